import type { Pool } from 'pg';
import { inTransaction } from '../../../eventlog/connection.ts';
import type { Transaction } from '../../../eventlog/event-log.ts';

/** Which SECRET_KEY the rows of a database are made with, by fingerprint. */
export type SecretState = {
  readonly fingerprint: string;
  /** The key that is being replaced; null: none is. */
  readonly previous: string | null;
  /** The newest key that was replaced. */
  readonly retired: string | null;
  /** When the newest replacement began. */
  readonly begunAt: Date | null;
  /** The id of the key that made rows without one. */
  readonly unmarkedId: string;
};

/** Names a key in rows. */
export const keyIdOf = (fingerprint: string): string => fingerprint.slice(0, 16);

const columns = `fingerprint, previous, retired, begun_at AS "begunAt", 
  coalesce(unmarked_id, left(fingerprint, 16)) AS "unmarkedId"`;

/** The state of the database; its first process stores that of its own key. */
export const secretState = async (pool: Pool, fingerprint: string): Promise<SecretState> => {
  await insertSecretState(pool, { fingerprint, previous: null });
  // A separate statement, which sees a row of another process; the lock waits for a replacement that begins.
  const { rows } = await pool.query<SecretState>(`SELECT ${columns} FROM secret_fingerprint FOR SHARE`);
  const [state] = rows;
  if (state === undefined) throw new Error('the fingerprint of SECRET_KEY was deleted');
  return state;
};

/** Stores the state of a database that has none. */
export const insertSecretState = async (
  by: Transaction,
  { fingerprint, previous }: Pick<SecretState, 'fingerprint' | 'previous'>,
): Promise<void> => {
  await by.query(
    `INSERT INTO secret_fingerprint (fingerprint, previous, begun_at, unmarked_id)
     VALUES ($1, $2, CASE WHEN $2::text IS NOT NULL THEN now() END, $3)
     ON CONFLICT DO NOTHING`,
    [fingerprint, previous, keyIdOf(previous ?? fingerprint)],
  );
};

/**
 * Begins to replace the key `from` by `to`. `check` runs under the lock that processes which start wait for, and throws
 * when it must not begin.
 */
export const beginReplacement = (
  pool: Pool,
  { from, to }: { readonly from: string; readonly to: string },
  check: () => Promise<void>,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `SELECT FROM secret_fingerprint WHERE fingerprint = $1 AND previous IS NULL FOR UPDATE`,
      [from],
    );
    if (rowCount === 1) {
      await check();
      await client.query(
        `UPDATE secret_fingerprint SET fingerprint = $2, previous = $1, begun_at = now(),
           unmarked_id = coalesce(unmarked_id, left($1, 16))`,
        [from, to],
      );
    }
    return { commit: true, result: undefined };
  });

/** Ends the replacement of `previous`; false: another process has. */
export const endReplacement = async (pool: Pool, previous: string): Promise<boolean> => {
  const { rowCount } = await pool.query(
    'UPDATE secret_fingerprint SET previous = NULL, retired = previous WHERE previous = $1',
    [previous],
  );
  return rowCount === 1;
};

/** Makes this the only key of the database, in the transaction that has settled its rows. */
export const adoptFingerprint = async (by: Transaction, fingerprint: string): Promise<void> => {
  await insertSecretState(by, { fingerprint, previous: null });
  await by.query(
    `UPDATE secret_fingerprint SET fingerprint = $1, previous = NULL, retired = NULL,
       unmarked_id = coalesce(unmarked_id, left(fingerprint, 16))`,
    [fingerprint],
  );
};

/** The stored state; null before the first start, or before the migration that it came with. */
export const secretStateIn = async (by: Transaction): Promise<SecretState | null> => {
  const { rows: found } = await by.query<{ columns: string }>(
    `SELECT count(*) AS columns FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = 'secret_fingerprint'`,
  );
  const count = Number(found[0]?.columns);
  if (count === 0) return null;
  const { rows } = await by.query<SecretState>(
    count > 2
      ? `SELECT ${columns} FROM secret_fingerprint`
      : `SELECT fingerprint, NULL AS previous, NULL AS retired, NULL AS "begunAt",
           left(fingerprint, 16) AS "unmarkedId" FROM secret_fingerprint`,
  );
  return rows[0] ?? null;
};
