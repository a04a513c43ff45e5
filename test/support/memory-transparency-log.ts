import type { Tile } from '#src/tlog/tiles.ts';
import type { Bundle, LogHead, LogStore } from '#src/tlog/transparency-log.ts';

/** A transparency log in memory, for tests without a database. */
export const memoryLogStore = (): LogStore => {
  let head: LogHead | null = null;
  const tiles = new Map<string, Tile>();
  const bundles = new Map<number, Bundle>();
  const salts = new Map<string, Uint8Array>();
  const vkeys: string[] = [];
  const nameOf = ({ level, index }: Pick<Tile, 'level' | 'index'>): string => `${level}/${index}`;
  const reads: Pick<LogStore, 'tiles' | 'bundle'> = {
    tiles: async (ids) => ids.flatMap((id) => tiles.get(nameOf(id)) ?? []),
    bundle: async (index) => bundles.get(index) ?? null,
  };
  return {
    ...reads,
    head: async () => head,
    bundleAround: async (position) =>
      [...bundles.values()].findLast(({ positions: [first] }) => first !== undefined && first <= position) ?? null,
    bundlesUpTo: async (from, position) =>
      [...bundles.values()].filter(
        ({ index, positions: [first] }) => index >= from && first !== undefined && first <= position,
      ),
    salts: async (accountIds) => new Map([...salts].filter(([accountId]) => accountIds.includes(accountId))),
    vkeys: async () => vkeys.toReversed(),
    update: async (change) => {
      const addSalts = async (added: ReadonlyMap<string, Uint8Array>) => {
        for (const [accountId, salt] of added) if (!salts.has(accountId)) salts.set(accountId, salt);
        return salts;
      };
      const changed = await change({ ...reads, addSalts }, head);
      if (changed === null) return head;
      head = changed.head;
      for (const tile of changed.tiles) tiles.set(nameOf(tile), tile);
      for (const bundle of changed.bundles) bundles.set(bundle.index, bundle);
      vkeys.push(...changed.vkeys.filter((vkey) => !vkeys.includes(vkey)));
      return head;
    },
  };
};
