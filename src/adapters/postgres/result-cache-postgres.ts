import type { Pool } from 'pg';

const keptDays = 30;
const savesBetweenPrunes = 200;

/** Results of models in Postgres (migration 0017), by the hash of all their inputs. */
export const postgresResultCache = ({ pool }: { readonly pool: Pool }) => {
  let saves = 0;
  return {
    /** Null on a miss. */
    read: async (key: string): Promise<unknown> => {
      const { rows } = await pool.query<{ result: string }>(
        `SELECT result FROM insight_result WHERE key = $1
         AND created_at > now() - make_interval(days => $2::int)`,
        [key, keptDays],
      );
      const [row] = rows;
      return row === undefined ? null : JSON.parse(row.result);
    },
    save: async (key: string, value: unknown): Promise<void> => {
      await pool.query(
        `INSERT INTO insight_result (key, result, created_at) VALUES ($1, $2, now())
         ON CONFLICT (key) DO UPDATE SET result = excluded.result, created_at = excluded.created_at`,
        [key, JSON.stringify(value)],
      );
      saves += 1;
      if (saves % savesBetweenPrunes === 0) await prune(pool);
    },
  };
};

const prune = async (pool: Pool): Promise<void> => {
  await pool.query(
    `DELETE FROM insight_result WHERE key = ANY (ARRAY(
       SELECT key FROM insight_result
       WHERE created_at < now() - make_interval(days => $1::int) LIMIT 1000))`,
    [keptDays],
  );
};
