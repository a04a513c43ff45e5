import type { Pool } from 'pg';

/** Whether the database was begun with the secret of this fingerprint; the first one that asks begins it. */
export const isBegunWith = async (pool: Pool, fingerprint: string): Promise<boolean> => {
  await pool.query(
    'INSERT INTO secret_fingerprint (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING',
    [fingerprint],
  );
  // A statement of its own: it sees what another process has inserted meanwhile.
  const { rows } = await pool.query<{ fingerprint: string }>(
    'SELECT fingerprint FROM secret_fingerprint',
  );
  return rows[0]?.fingerprint === fingerprint;
};
