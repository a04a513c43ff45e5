import type { Pool } from 'pg';

/** Stores the result of the newest verification of the whole log (migration 0024). */
export const recordVerification = async (
  pool: Pool,
  { events, problems }: { readonly events: number; readonly problems: number },
): Promise<void> => {
  await pool.query(
    `INSERT INTO verification (verified_at, events, problems) VALUES (now(), $1, $2)
     ON CONFLICT (is_newest) DO UPDATE
     SET verified_at = excluded.verified_at, events = excluded.events, problems = excluded.problems`,
    [events, problems],
  );
};
