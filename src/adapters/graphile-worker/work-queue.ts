import type { Pool } from 'pg';
import { attemptsOfTask, type Task } from '../../edges/worker/task.ts';
import type { Transaction } from '../../eventlog/event-log.ts';
import type { Pace } from './pools.ts';

/** Adds tasks in the caller's transaction, so that they are queued exactly if it commits. */
export const addWork = async (by: Transaction, work: readonly Task[]): Promise<void> => {
  if (work.length === 0) return;
  // Only the newest task of each job key: one statement cannot insert a key twice.
  const distinct = [...new Map(work.map((one) => [one.key, one])).values()];
  await by.query(
    `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
       SELECT ROW(one.task, one.payload, one.queue_name, one.run_at, one.attempts, one.key, one.priority,
                  string_to_array(nullif(one.flags, ''), ' '))::graphile_worker.job_spec
       FROM unnest($1::text[], $2::json[], $3::timestamptz[], $4::text[], $5::int[], $6::text[], $7::int[], $8::text[])
         AS one (task, payload, run_at, key, priority, flags, attempts, queue_name)))`,
    [
      distinct.map(({ task }) => task),
      distinct.map(({ payload }) => JSON.stringify(payload)),
      distinct.map(({ runAt = null }) => runAt),
      distinct.map(({ key }) => key),
      distinct.map(({ priority = 0 }) => priority),
      distinct.map(({ concurrencyKeys = [] }) => concurrencyKeys.join(' ')),
      distinct.map(({ attemptsLeft = attemptsOfTask }) => attemptsLeft),
      distinct.map(({ queueName = null }) => queueName),
    ],
  );
};

/**
 * `no_worker`: no worker is running; requested work stays in the log and waits. `failed`: a worker is running, but the
 * tables of the queue are missing.
 */
export type QueueState = 'ok' | 'no_worker' | 'failed';

/**
 * Every pending or running task, as JSON of `Task` in `line`. Newer tasks have replaced those without a key;
 * permanently failed ones are found by `orphanedWork`.
 */
export const waitingWorkSql = `
SELECT jsonb_build_object(
  'task', t.identifier, 'key', j.key, 'payload', j.payload, 'runAt', j.run_at, 'priority', j.priority,
  'concurrencyKeys', (SELECT coalesce(jsonb_agg(flag), '[]') FROM jsonb_object_keys(j.flags) AS flag),
  'attemptsLeft', greatest(1, j.max_attempts - j.attempts), 'queueName', q.queue_name)::text AS line
FROM graphile_worker._private_jobs AS j
JOIN graphile_worker._private_tasks AS t ON t.id = j.task_id
LEFT JOIN graphile_worker._private_job_queues AS q ON q.id = j.job_queue_id
WHERE j.key IS NOT NULL AND (j.attempts < j.max_attempts OR j.locked_at IS NOT NULL)
ORDER BY j.id`;

/** Reads the state of the queue. The first worker that starts creates its tables. */
export const queueState = async (pool: Pool, { deadAfterS }: Pick<Pace, 'deadAfterS'>): Promise<QueueState> => {
  const { rows } = await pool.query<{ is_there: boolean; is_worked: boolean }>(
    `SELECT to_regclass('graphile_worker.jobs') IS NOT NULL AS is_there, EXISTS (
       SELECT FROM worker_pools WHERE beat_at >= now() - make_interval(secs => $1)) AS is_worked`,
    [deadAfterS],
  );
  const [row] = rows;
  if (row?.is_worked !== true) return 'no_worker';
  return row.is_there ? 'ok' : 'failed';
};

/** Limit of the count of due tasks. */
export const maxDueCounted = 1_000;

/** Number of due tasks by name; counts at most `maxDueCounted`. */
export const dueWork = async (pool: Pool): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await pool.query<{ task: string; pieces: number }>(
    `SELECT t.identifier AS task, count(*)::int AS pieces
     FROM (
       SELECT q.task_id FROM graphile_worker._private_jobs AS q
       WHERE q.is_available AND q.run_at <= now()
       LIMIT ${maxDueCounted}
     ) AS due
     JOIN graphile_worker._private_tasks AS t ON t.id = due.task_id
     GROUP BY t.identifier`,
  );
  return new Map(rows.map(({ task, pieces }) => [task, pieces]));
};

/** Retention (days) of failed tasks whose end no read model knows, for diagnosis. */
const failedKeptDays = 30;
const failedRemovedAtOnce = 500;

/** Whether the tables of the queue exist. */
export const hasQueue = async (by: Pick<Pool, 'query'>): Promise<boolean> => {
  const { rows } = await by.query<{ is_there: boolean }>(
    `SELECT to_regclass('graphile_worker._private_jobs') IS NOT NULL AS is_there`,
  );
  return rows[0]?.is_there === true;
};

/** Number of permanently failed tasks by name. */
export const failedWork = async (
  pool: Pool,
): Promise<readonly { readonly task: string; readonly pieces: number }[]> => {
  const { rows } = await pool.query<{ task: string; pieces: number }>(
    `SELECT t.identifier AS task, count(*)::int AS pieces
     FROM graphile_worker._private_jobs AS q
     JOIN graphile_worker._private_tasks AS t ON t.id = q.task_id
     WHERE q.attempts >= q.max_attempts AND q.locked_at IS NULL
     GROUP BY t.identifier
     ORDER BY t.identifier`,
  );
  return rows;
};

/**
 * Removes permanently failed tasks: items (and the message to their job that all have ended), retries, listings and deliveries
 * once their streams contain the end, those without a key, because newer tasks have replaced them, the rest after thirty days;
 * at most 500. Returns their number.
 */
export const removeFailedWork = async (pool: Pool): Promise<number> => {
  const { rowCount } = await pool.query(
    `DELETE FROM graphile_worker._private_jobs
     WHERE attempts >= max_attempts AND locked_at IS NULL AND id IN (
       SELECT q.id
       FROM graphile_worker._private_jobs AS q
       JOIN graphile_worker._private_tasks AS t ON t.id = q.task_id
       WHERE q.attempts >= q.max_attempts AND q.locked_at IS NULL AND (q.key IS NULL OR CASE t.identifier
         WHEN 'extract-items' THEN NOT EXISTS (
           SELECT FROM job_items i
           WHERE i.job_id = q.payload ->> 'jobId' AND i.status IN ('queued', 'processing')
             AND q.payload::jsonb -> 'itemIds' ? i.item_id)
           AND NOT EXISTS (
             SELECT FROM jobs j
             WHERE j.job_id = q.payload ->> 'jobId' AND j.status IN ('queued', 'processing')
               AND j.is_listed AND j.completed_items + j.failed_items >= j.total_items)
         WHEN 'requeue-items' THEN NOT EXISTS (
           SELECT FROM jobs j
           WHERE j.job_id = q.payload ->> 'jobId' AND j.status IN ('queued', 'processing'))
         WHEN 'resolve-listing' THEN NOT EXISTS (
           SELECT FROM jobs j
           WHERE j.job_id = q.payload ->> 'jobId' AND j.status = 'queued' AND NOT j.is_listed)
         WHEN 'deliver-webhook' THEN NOT EXISTS (
           SELECT FROM webhook_deliveries d
           WHERE d.delivery_id = q.payload ->> 'deliveryId' AND d.status = 'pending')
         ELSE q.run_at < now() - make_interval(days => $1)
       END)
       LIMIT $2)`,
    [failedKeptDays, failedRemovedAtOnce],
  );
  return rowCount ?? 0;
};

type OfJob = { readonly jobId: string };

/** Work that is open in the streams and missing in the queue: the queue is not the source of truth and may lose rows. */
type OrphanedWork = {
  readonly items: readonly (OfJob & { readonly itemId: string })[];
  readonly listings: readonly OfJob[];
  readonly retries: readonly OfJob[];
  readonly cancellations: readonly OfJob[];
  readonly deliveries: readonly {
    readonly deliveryId: string;
    readonly accountId: string;
    readonly webhookId: string | null;
  }[];
  /** With videos that wait for nothing, or whose job was not begun. */
  readonly follows: readonly { readonly followId: string }[];
  /** With follows that were not told of all that is new. */
  readonly sources: readonly { readonly source: string }[];
};

/**
 * SQL condition: the queue has this task pending, or it failed permanently within the last day. A task whose end cannot be
 * recorded fails so; it is queued again once a day. The time of failure is `run_at`, which
 * each failure moves to the next retry, some six hours later at most; `updated_at` is the time of the request.
 */
const isKnown = `(q.attempts < q.max_attempts OR q.run_at > now() - interval '1 day')`;

/** The same for this task of a job, or of another subject. */
const isQueued = (task: string, subject: string, member = 'jobId'): string =>
  `EXISTS (
     SELECT FROM graphile_worker._private_jobs AS q
     JOIN graphile_worker._private_tasks AS t ON t.id = q.task_id
     WHERE t.identifier = '${task}' AND q.payload ->> '${member}' = ${subject} AND ${isKnown})`;

/**
 * SQL condition: a stream has no event of the last `$1` seconds by the clock of the database. Due times in events
 * come from the clocks of processes, and a task just requested may not be queued yet.
 */
const isSilent = (stream: string): string =>
  `(SELECT e.recorded_at FROM es_event AS e WHERE e.stream = ${stream} ORDER BY e.version DESC LIMIT 1)
     < now() - make_interval(secs => $1)`;

/** The stream of an item's group; a group has `$2` items. */
const groupOf = (jobId: string, itemId: string): string =>
  `'items-' || ${jobId} || '-' || lpad((right(${itemId}, 4)::int / $2)::text, 2, '0')`;

const isIn = (stream: string, type: string): string =>
  `EXISTS (SELECT FROM es_event AS e WHERE e.stream = ${stream} AND e.type = '${type}')`;

/** Groups with items that have been due for `$1` seconds while a cancellation of their job, not failed, has not reached them. */
const uncancelled = `
  SELECT due.job_id, due.stream
  FROM (
    SELECT DISTINCT i.job_id, ${groupOf('i.job_id', 'i.item_id')} AS stream
    FROM job_items AS i
    JOIN jobs AS j USING (job_id)
    WHERE i.status IN ('queued', 'processing') AND i.due_at < now() - make_interval(secs => $1)
      AND j.status = 'cancelled'
  ) AS due
  WHERE NOT ${isIn('due.stream', 'ItemsCancelled')}
    AND NOT ${isIn("'job-' || due.job_id", 'JobCancellationSettled')}`;

/**
 * Finds work that is open in the streams, has been due for `olderThanS` seconds, and is missing in the queue: items,
 * one item of each group of a job whose items have all ended without the job recording it, the retries of such jobs, cancellations
 * that did not reach all groups, listings, deliveries, videos of follows, and sources; at most 500 of each.
 */
export const orphanedWork = async (
  pool: Pool,
  { olderThanS, itemsPerGroup }: { readonly olderThanS: number; readonly itemsPerGroup: number },
): Promise<OrphanedWork> => {
  const open = async <Row extends object>(sql: string, ...more: number[]): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, [olderThanS, ...more])).rows;
  const inJobs = await open<OfJob & { readonly itemId: string | null }>(
    `WITH known AS MATERIALIZED (
       SELECT jsonb_array_elements_text(q.payload::jsonb -> 'itemIds') AS item_id
       FROM graphile_worker._private_jobs q
       WHERE ${isKnown}
     ),
     uncancelled AS MATERIALIZED (${uncancelled}),
     open AS (
       SELECT i.job_id, i.item_id
       FROM job_items i
       WHERE i.status IN ('queued', 'processing') AND i.due_at < now() - make_interval(secs => $1)
       UNION ALL
       SELECT j.job_id, last.item_id
       FROM jobs j
       CROSS JOIN LATERAL (
         SELECT DISTINCT ON (right(i.item_id, 4)::int / $2) i.item_id
         FROM job_items i
         WHERE i.job_id = j.job_id
       ) AS last
       WHERE j.status IN ('queued', 'processing') AND j.updated_at < now() - make_interval(secs => $1)
         AND j.is_listed AND j.completed_items + j.failed_items >= j.total_items
     )
     (SELECT open.job_id AS "jobId", open.item_id AS "itemId"
      FROM open
      WHERE NOT EXISTS (SELECT FROM known WHERE known.item_id = open.item_id)
        AND ${groupOf('open.job_id', 'open.item_id')} NOT IN (SELECT stream FROM uncancelled)
        AND ${isSilent(groupOf('open.job_id', 'open.item_id'))}
      LIMIT 500)
     UNION ALL
     (SELECT DISTINCT u.job_id, NULL
      FROM uncancelled AS u
      WHERE NOT ${isQueued('cancel-items', 'u.job_id')}
        AND ${isSilent("'job-' || u.job_id")}
      LIMIT 500)`,
    itemsPerGroup,
  );
  return {
    items: inJobs.flatMap(({ jobId, itemId }) => (itemId === null ? [] : [{ jobId, itemId }])),
    cancellations: inJobs.flatMap(({ jobId, itemId }) => (itemId === null ? [{ jobId }] : [])),
    listings: await open(`SELECT j.job_id AS "jobId"
     FROM jobs j
     WHERE j.status = 'queued' AND NOT j.is_listed AND j.updated_at < now() - make_interval(secs => $1)
       AND NOT EXISTS (
         SELECT FROM graphile_worker._private_jobs q
         WHERE q.payload ->> 'jobId' = j.job_id AND ${isKnown})
       AND ${isSilent("'job-' || j.job_id")}
     LIMIT 500`),
    retries: await open(`SELECT j.job_id AS "jobId"
     FROM jobs j
     WHERE j.status IN ('queued', 'processing') AND j.run > 1 AND j.updated_at < now() - make_interval(secs => $1)
       AND j.completed_items + j.failed_items >= j.total_items
       AND NOT ${isQueued('requeue-items', 'j.job_id')}
       AND ${isSilent("'job-' || j.job_id")}
     LIMIT 500`),
    deliveries:
      await open(`SELECT d.delivery_id AS "deliveryId", d.account_id AS "accountId", d.webhook_id AS "webhookId"
     FROM webhook_deliveries d
     WHERE d.status = 'pending' AND d.due_at < now() - make_interval(secs => $1)
       AND NOT EXISTS (
         SELECT FROM graphile_worker._private_jobs q
         WHERE q.payload ->> 'deliveryId' = d.delivery_id AND ${isKnown})
       AND ${isSilent("'delivery-' || d.delivery_id")}
     LIMIT 500`),
    follows: await open(`SELECT DISTINCT v.follow_id AS "followId"
     FROM follow_videos AS v
     JOIN follows AS f USING (follow_id)
     WHERE v.status IN ('waiting', 'queued') AND coalesce(v.due_at, v.found_at) < now() - make_interval(secs => $1)
       AND (v.status = 'waiting' OR NOT EXISTS (SELECT FROM jobs AS j WHERE j.job_id = v.job_id))
       AND f.status = 'active'
       AND NOT EXISTS (
         SELECT FROM graphile_worker._private_jobs q
         WHERE q.payload ->> 'followId' = v.follow_id AND coalesce(q.payload ->> 'videoId', v.video_id) = v.video_id
           AND ${isKnown})
       AND ${isSilent("'follow-video-' || v.follow_id || '-' || v.video_id")}
     LIMIT 500`),
    sources: await open(`SELECT f.source
     FROM followed_sources AS f
     WHERE f.last_look_at < now() - make_interval(secs => $1)
       AND EXISTS (
         SELECT FROM follow_subscriptions AS s
         WHERE s.source = f.source AND s.is_active AND s.read_to < (
           SELECT max(v.number) FROM followed_videos AS v WHERE v.source = f.source AND NOT v.is_old))
       AND NOT ${isQueued('tell-follows', 'f.source', 'source')}
     LIMIT 500`),
  };
};
