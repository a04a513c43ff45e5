import type { Pool } from 'pg';
import { subscriptionReports } from '../../eventlog/subscriptions/checkpoints.ts';
import type { DatabaseFigures } from '../../kernel/metrics.ts';

/** Limit of the count of due tasks. */
const maxDueCounted = 10_000;

/** Reads the metrics of the whole installation with three short sequential queries. */
export const readDatabaseFigures = async (
  pool: Pool,
  { workerDeadAfterS }: { readonly workerDeadAfterS: number },
): Promise<DatabaseFigures> => {
  const reports = await subscriptionReports(pool);
  const { hasQueue, ...ofServer } = await readServer(pool, workerDeadAfterS);
  return {
    lags: reports.map(({ name, lagPositions, lagSeconds, failure, parkedStreams }) => ({
      name,
      positions: Number(lagPositions),
      seconds: lagSeconds,
      isStopped: failure !== null,
      parkedStreams,
    })),
    tasks: hasQueue ? await readDueTasks(pool) : [],
    ...ofServer,
  };
};

const readServer = async (pool: Pool, workerDeadAfterS: number) => {
  const { rows } = await pool.query<Omit<DatabaseFigures, 'lags' | 'tasks'> & { readonly hasQueue: boolean }>(
    `SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM es_position)::float8 AS "headPosition",
       to_regclass('graphile_worker._private_jobs') IS NOT NULL AS "hasQueue",
       (SELECT count(DISTINCT (host, os_pid))::int FROM worker_pools
        WHERE beat_at >= now() - make_interval(secs => $1)) AS workers,
       (SELECT json_build_object('ageS', extract(epoch FROM clock_timestamp() - checked_at)::float8,
          'mismatches', (SELECT count(*) FROM audit_mismatch)) FROM audit_state) AS audit,
       (SELECT json_build_object('atS', extract(epoch FROM verified_at)::float8, 'problems', problems)
        FROM verification) AS verification,
       json_build_object('failures', failed_count,
         'lastAtS', extract(epoch FROM last_archived_time)::float8) AS "walArchive"
     FROM pg_stat_archiver`,
    [workerDeadAfterS],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('pg_stat_archiver has no row');
  return row;
};

/** All known task names, so that an empty queue is reported as 0 instead of absent. */
const readDueTasks = async (pool: Pool): Promise<DatabaseFigures['tasks']> => {
  const { rows } = await pool.query<DatabaseFigures['tasks'][number]>(
    `SELECT t.identifier AS task, count(due.run_at)::int AS due,
       coalesce(extract(epoch FROM now() - min(due.run_at)), 0)::float8 AS "oldestS"
     FROM graphile_worker._private_tasks AS t
     LEFT JOIN (
       SELECT q.task_id, q.run_at FROM graphile_worker._private_jobs AS q
       WHERE q.is_available AND q.run_at <= now()
       LIMIT ${maxDueCounted}
     ) AS due ON due.task_id = t.id
     GROUP BY t.identifier
     LIMIT 100`,
  );
  return rows;
};

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
