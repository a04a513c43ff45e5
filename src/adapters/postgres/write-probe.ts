import type { Pool } from 'pg';

/**
 * One transaction that writes one row and a temporary file of about half a megabyte. The row alone would not show a full
 * disk: its new version fits into the page of the old one.
 */
const probe = `
SELECT set_config('work_mem', '64kB', true);
INSERT INTO write_probe (is_newest, written_at) VALUES (true, now())
ON CONFLICT (is_newest) DO UPDATE SET written_at = excluded.written_at;
SELECT count(*) FROM generate_series(1, 20000)`;

/** Throws if the database takes no writes: its disk is full, or it is read-only. */
export const probeWrites = async (pool: Pick<Pool, 'query'>): Promise<void> => {
  await pool.query(probe);
};
