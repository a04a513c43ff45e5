import type { Pool } from 'pg';
import { inTransaction } from '../../eventlog/connection.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import type { ReadTiles } from '../../tlog/tiles.ts';
import type { Bundle, LogHead, LogReads, LogStore } from '../../tlog/transparency-log.ts';

/** The log of this service in Postgres (migration 0037). */
export const postgresTransparencyLog = ({ pool }: { readonly pool: Pool }): LogStore => ({
  head: () => headIn(pool, ''),
  tiles: tilesIn(pool),
  bundle: (index) => bundleIn(pool, 'index = $1', String(index)),
  bundleAround: (position) =>
    bundleIn(pool, 'first_position <= $1 ORDER BY first_position DESC LIMIT 1', String(position)),
  bundlesUpTo: (first, position) =>
    bundlesIn(pool, 'index >= $1 AND first_position <= $2 ORDER BY tlog_bundle.index', [first, String(position)]),
  salts: (accountIds) => saltsIn(pool, accountIds),
  vkeys: async () => {
    const { rows } = await pool.query<{ vkey: string }>('SELECT vkey FROM tlog_key ORDER BY first_used DESC, vkey');
    return rows.map(({ vkey }) => vkey);
  },
  update: (change) =>
    inTransaction(pool, async (transaction: Transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1, $2)', lockOfLog);
      const before = await headIn(transaction, 'FOR UPDATE');
      const changed = await change(readsIn(transaction), before);
      if (changed === null) return { commit: false, result: before };
      const { head, tiles, bundles, vkeys } = changed;
      await transaction.query(storeHead, [
        ...[head.origin, head.size, String(head.position)],
        ...[head.checkpoint, head.signedAt],
      ]);
      await transaction.query(storeKeys, [vkeys, head.signedAt]);
      for (const { level, index, hashes } of tiles) await transaction.query(storeTile, [level, index, hashes]);
      for (const { index, positions, entries } of bundles) {
        await transaction.query(storeBundle, [index, positions.map(String), entries]);
      }
      return { commit: true, result: head };
    }),
});

/** Any pair of numbers that nothing else on the database uses: the row cannot be locked before it is there. */
const lockOfLog = [20261126, 1] as const;

const readsIn = (transaction: Transaction): LogReads => ({
  tiles: tilesIn(transaction),
  bundle: (index) => bundleIn(transaction, 'index = $1', String(index)),
  addSalts: async (salts) => {
    const accountIds = [...salts.keys()];
    await transaction.query(
      `INSERT INTO tlog_salt (account_id, salt)
       SELECT * FROM unnest($1::text[], $2::bytea[])
       ON CONFLICT DO NOTHING`,
      [accountIds, [...salts.values()]],
    );
    return await saltsIn(transaction, accountIds);
  },
});

const headIn = async (by: Transaction, lock: '' | 'FOR UPDATE'): Promise<LogHead | null> => {
  const { rows } = await by.query<Omit<LogHead, 'position'> & { readonly position: string }>(
    `SELECT origin, size::float8, position::text, checkpoint, signed_at AS "signedAt" FROM tlog_head ${lock}`,
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, position: BigInt(row.position) };
};

const tilesIn =
  (by: Transaction): ReadTiles =>
  async (ids) => {
    const { rows } = await by.query<{ level: number; index: number; hashes: Buffer }>(
      `SELECT t.level, t.index::float8, t.hashes
       FROM unnest($1::smallint[], $2::bigint[]) AS wanted (level, index)
       JOIN tlog_tile AS t ON t.level = wanted.level AND t.index = wanted.index`,
      [ids.map(({ level }) => level), ids.map(({ index }) => index)],
    );
    return rows;
  };

const bundlesIn = async (by: Transaction, where: string, values: readonly unknown[]): Promise<readonly Bundle[]> => {
  const { rows } = await by.query<Omit<Bundle, 'positions'> & { readonly positions: readonly string[] }>(
    `SELECT index::float8, positions::text[], entries FROM tlog_bundle WHERE ${where}`,
    values,
  );
  return rows.map((row) => ({ ...row, positions: row.positions.map(BigInt) }));
};

const bundleIn = async (by: Transaction, where: string, value: string): Promise<Bundle | null> =>
  (await bundlesIn(by, where, [value]))[0] ?? null;

const saltsIn = async (by: Transaction, accountIds: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
  const { rows } = await by.query<{ account_id: string; salt: Buffer }>(
    'SELECT account_id, salt FROM tlog_salt WHERE account_id = ANY ($1)',
    [accountIds],
  );
  return new Map(rows.map(({ account_id, salt }) => [account_id, salt]));
};

const storeHead = `
  INSERT INTO tlog_head (origin, size, position, checkpoint, signed_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (is_only) DO UPDATE
  SET size = excluded.size, position = excluded.position, checkpoint = excluded.checkpoint,
    signed_at = excluded.signed_at`;

const storeKeys = `
  INSERT INTO tlog_key (vkey, first_used)
  SELECT vkey, $2 FROM unnest($1::text[]) AS vkey
  ON CONFLICT DO NOTHING`;

const storeTile = `
  INSERT INTO tlog_tile (level, index, hashes)
  VALUES ($1, $2, $3)
  ON CONFLICT (level, index) DO UPDATE SET hashes = excluded.hashes`;

const storeBundle = `
  INSERT INTO tlog_bundle (index, first_position, positions, entries)
  VALUES ($1, ($2::bigint[])[1], $2, $3)
  ON CONFLICT (index) DO UPDATE SET positions = excluded.positions, entries = excluded.entries`;
