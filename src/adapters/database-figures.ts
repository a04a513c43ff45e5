import type { Pool } from 'pg';
import { subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import type { DatabaseFigures } from '../kernel/metrics.ts';

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
  const { rows } = await pool.query<{
    head: string;
    has_queue: boolean;
    workers: number;
    verified_at: number | null;
    problems: number | null;
    wal_failures: string;
    wal_archived_at: number | null;
  }>(
    `SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM es_position)::text AS head,
       to_regclass('graphile_worker._private_jobs') IS NOT NULL AS has_queue,
       (SELECT count(DISTINCT (host, os_pid))::int FROM worker_pools
        WHERE beat_at >= now() - make_interval(secs => $1)) AS workers,
       (SELECT extract(epoch FROM verified_at)::float8 FROM verification) AS verified_at,
       (SELECT problems FROM verification) AS problems,
       failed_count::text AS wal_failures,
       extract(epoch FROM last_archived_time)::float8 AS wal_archived_at
     FROM pg_stat_archiver`,
    [workerDeadAfterS],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('pg_stat_archiver has no row');
  const { verified_at: atS, problems } = row;
  return {
    headPosition: Number(row.head),
    hasQueue: row.has_queue,
    workers: row.workers,
    verification: atS === null || problems === null ? null : { atS, problems },
    walArchive: { failures: Number(row.wal_failures), lastAtS: row.wal_archived_at },
  };
};

/** All known task names, so that an empty queue is reported as 0 instead of absent. */
const readDueTasks = async (pool: Pool): Promise<DatabaseFigures['tasks']> => {
  const { rows } = await pool.query<{ task: string; due: number; oldest: number }>(
    `SELECT t.identifier AS task, count(due.run_at)::int AS due,
       coalesce(extract(epoch FROM now() - min(due.run_at)), 0)::float8 AS oldest
     FROM graphile_worker._private_tasks AS t
     LEFT JOIN (
       SELECT q.task_id, q.run_at FROM graphile_worker._private_jobs AS q
       WHERE q.is_available AND q.run_at <= now()
       LIMIT ${maxDueCounted}
     ) AS due ON due.task_id = t.id
     GROUP BY t.identifier
     LIMIT 100`,
  );
  return rows.map(({ task, due, oldest }) => ({ task, due, oldestS: oldest }));
};
