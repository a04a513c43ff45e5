import { hashBytes, leafHash } from './merkle.ts';
import type { Tile } from './tiles.ts';
import { type Bundle, loggedEntry, type NewLeaf } from './transparency-log.ts';

/**
 * Compares entries of ledgers with the leaves of the transparency log, in the order of positions. `bundles` and `tiles` (of
 * level 0, by the same indexes) hold all leaves in `range`, and may hold others. Null: they match.
 */
export const leafProblem = (
  entries: readonly NewLeaf[],
  {
    bundles,
    tiles,
    salts,
    range: { after, upTo },
  }: {
    readonly bundles: readonly Bundle[];
    readonly tiles: readonly Pick<Tile, 'index' | 'hashes'>[];
    readonly salts: ReadonlyMap<string, Uint8Array>;
    /** Positions of the event log. */
    readonly range: { readonly after: bigint; readonly upTo: bigint };
  },
): string | null => {
  const hashesOf = new Map(tiles.map(({ index, hashes }) => [index, hashes]));
  const leaves = new Map<bigint, { readonly entry: Uint8Array; readonly hash: Uint8Array }>();
  for (const { index, positions, entries: logged } of bundles) {
    for (const [place, position] of positions.entries()) {
      if (position <= after || position > upTo) continue;
      const at = place * hashBytes;
      const hash = hashesOf.get(index)?.subarray(at, at + hashBytes) ?? new Uint8Array();
      leaves.set(position, { entry: logged.subarray(at, at + hashBytes), hash });
    }
  }
  for (const { position, accountId, hash } of entries) {
    const leaf = leaves.get(position);
    if (leaf === undefined) return `the entry at position ${position} is not in the transparency log`;
    const salt = salts.get(accountId);
    if (salt === undefined || Buffer.compare(loggedEntry(salt, hash), leaf.entry) !== 0) {
      return `the entry at position ${position} is another one in the transparency log`;
    }
    if (Buffer.compare(leafHash(leaf.entry), leaf.hash) !== 0) {
      return `the tree of the transparency log has another leaf for the entry at position ${position}`;
    }
    leaves.delete(position);
  }
  const [extra] = leaves.keys();
  return extra === undefined ? null : `the transparency log has an entry at position ${extra} that is in no ledger`;
};
