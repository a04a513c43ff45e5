import type { Pool } from 'pg';

/** Whether the database was first used with the SECRET_KEY of this fingerprint; the first call stores it. */
export const isBegunWith = async (pool: Pool, fingerprint: string): Promise<boolean> => {
  await pool.query(
    'INSERT INTO secret_fingerprint (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING',
    [fingerprint],
  );
  // A separate statement, which sees a row inserted by another process meanwhile.
  return (await selected(pool)) === fingerprint;
};

/** Replaces the stored fingerprint. */
export const adoptFingerprint = async (pool: Pool, fingerprint: string): Promise<void> => {
  await pool.query(
    `INSERT INTO secret_fingerprint (fingerprint) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET fingerprint = excluded.fingerprint`,
    [fingerprint],
  );
};

/** The stored fingerprint; null before the first start or the first migration. */
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
