import type { Pool } from 'pg';

/** Whether the database was begun with the secret of this fingerprint; the first one that asks begins it. */
export const isBegunWith = async (pool: Pool, fingerprint: string): Promise<boolean> => {
  await pool.query(
    'INSERT INTO secret_fingerprint (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING',
    [fingerprint],
  );
  // A statement of its own: it sees what another process has inserted meanwhile.
  return (await selected(pool)) === fingerprint;
};

/** Whatever it was begun with, from now on the database is that of this secret. */
export const adoptFingerprint = async (pool: Pool, fingerprint: string): Promise<void> => {
  await pool.query(
    `INSERT INTO secret_fingerprint (fingerprint) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET fingerprint = excluded.fingerprint`,
    [fingerprint],
  );
};

/** What the database was begun with; null before its first start, also where it is not migrated yet. */
export const fingerprintIn = async (pool: Pool): Promise<string | null> => {
  const { rows } = await pool.query<{ is_there: boolean }>(
    `SELECT to_regclass('secret_fingerprint') IS NOT NULL AS is_there`,
  );
  return rows[0]?.is_there === true ? await selected(pool) : null;
};

const selected = async (pool: Pool): Promise<string | null> => {
  const { rows } = await pool.query<{ fingerprint: string }>(
    'SELECT fingerprint FROM secret_fingerprint',
  );
  return rows[0]?.fingerprint ?? null;
};
