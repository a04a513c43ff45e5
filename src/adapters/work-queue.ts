import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Transaction } from '../eventlog/log.ts';
import type { Work } from '../kernel/work.ts';

/** Tries of one piece of work; each later one waits longer, up to some six hours. */
const maxAttempts = 25;

/** How often pools say that they live, and when one that says nothing is taken for dead. */
export type Pace = { readonly beatMs: number; readonly deadAfterS: number };

/** With a look every five seconds, what a killed worker held is given to others within half a minute. */
export const usualPace: Pace = { beatMs: 5_000, deadAfterS: 25 };

/** Any numbers that nothing else on the database uses as the first half of an advisory lock. */
const reaperLock = [20260119, 1] as const;

/** Adds work in the transaction of whoever causes it: there exactly when that is committed. */
export const addWork = async (by: Transaction, work: readonly Work[]): Promise<void> => {
  if (work.length === 0) return;
  // The newest of each key: one statement cannot insert one key twice.
  const distinct = [...new Map(work.map((one) => [one.key, one])).values()];
  await by.query(
    `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
       SELECT ROW(one.task, one.payload, NULL, one.run_at, ${maxAttempts}, one.key, one.priority,
                  string_to_array(nullif(one.uses, ''), ' '))::graphile_worker.job_spec
       FROM unnest($1::text[], $2::json[], $3::timestamptz[], $4::text[], $5::int[], $6::text[])
         AS one (task, payload, run_at, key, priority, uses)))`,
    [
      distinct.map(({ task }) => task),
      distinct.map(({ payload }) => JSON.stringify(payload)),
      distinct.map(({ runAt }) => runAt),
      distinct.map(({ key }) => key),
      distinct.map(({ priority }) => priority),
      distinct.map(({ uses }) => uses.join(' ')),
    ],
  );
};

/** A pool of the queue and what it takes. */
export type LivingPool = { readonly poolId: string; readonly tasks: readonly string[] };

/** Says every few seconds that these pools live, until disposed: then their rows go, and with them their locks. */
export const heartbeat = async (
  pool: Pool,
  options: {
    readonly pools: readonly LivingPool[];
    readonly osPid: number;
    readonly beatMs: number;
    readonly onFailure: (error: unknown) => void;
  },
): Promise<AsyncDisposable> => {
  const { pools, osPid, beatMs, onFailure } = options;
  const poolIds = pools.map(({ poolId }) => poolId);
  const tasks = pools.map((one) => one.tasks.join(' '));
  const beat = () =>
    pool.query(
      `INSERT INTO worker_pools (pool_id, tasks, host, os_pid)
       SELECT pool_id, string_to_array(tasks, ' '), $3, $4
       FROM unnest($1::text[], $2::text[]) AS living (pool_id, tasks)
       ON CONFLICT (pool_id) DO UPDATE SET beat_at = now()`,
      [poolIds, tasks, hostname(), osPid],
    );
  await beat();
  const timer = setInterval(() => void beat().catch(onFailure), beatMs);
  timer.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await pool
        .query('DELETE FROM worker_pools WHERE pool_id = ANY ($1)', [poolIds])
        .catch(onFailure);
    },
  };
};

/**
 * `no_worker`: nobody lives who takes work; what is asked for is in the log and waits. `failed`: somebody lives, and there
 * are no tables to take it from.
 */
export type QueueState = 'ok' | 'no_worker' | 'failed';

/** How the queue stands, one look. The tables are made by the first worker that starts. */
export const queueState = async (
  pool: Pool,
  { deadAfterS }: Pick<Pace, 'deadAfterS'>,
): Promise<QueueState> => {
  const { rows } = await pool.query<{ is_there: boolean; is_worked: boolean }>(
    `SELECT to_regclass('graphile_worker.jobs') IS NOT NULL AS is_there, EXISTS (
       SELECT FROM worker_pools WHERE beat_at >= now() - make_interval(secs => $1)) AS is_worked`,
    [deadAfterS],
  );
  const [row] = rows;
  if (row?.is_worked !== true) return 'no_worker';
  return row.is_there ? 'ok' : 'failed';
};

/** So many pieces that are due are counted; more are as good as all. */
export const mostDue = 1_000;

/** What could be taken now, pieces by task; of more than `mostDue` only some are counted. */
export const dueWork = async (pool: Pool): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await pool.query<{ task: string; pieces: number }>(
    `SELECT t.identifier AS task, count(*)::int AS pieces
     FROM (
       SELECT q.task_id FROM graphile_worker._private_jobs AS q
       WHERE q.is_available AND q.run_at <= now()
       LIMIT ${mostDue}
     ) AS due
     JOIN graphile_worker._private_tasks AS t ON t.id = due.task_id
     GROUP BY t.identifier`,
  );
  return new Map(rows.map(({ task, pieces }) => [task, pieces]));
};

/** Our work stands in no named queues, so that its own row is all there is to unlock. */
const givenBack = 'SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0)';

/**
 * Unlocks what pools hold that beat no more, and what is held by pools that nobody knows; one process at a time. A try
 * that ended with its process does not count: the work had no part in it, and tries are to end what fails by itself.
 * Returns how many pools were found dead.
 */
export const reapDeadPools = async (
  pool: Pool,
  { deadAfterS }: Pick<Pace, 'deadAfterS'>,
): Promise<number> => {
  const { rows } = await pool.query<{ reaped: string }>(
    `WITH mine AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($1, $2) AS is_mine),
     holders AS (
       SELECT locked_by AS pool_id, min(locked_at) AS since
       FROM graphile_worker._private_jobs
       WHERE locked_by IS NOT NULL
       GROUP BY locked_by
     ),
     dead AS (
       SELECT h.pool_id
       FROM holders h
       LEFT JOIN worker_pools p USING (pool_id)
       WHERE (SELECT is_mine FROM mine)
         AND coalesce(p.beat_at, h.since) < now() - make_interval(secs => $3)
     ),
     gone AS (
       DELETE FROM worker_pools
       WHERE (SELECT is_mine FROM mine) AND beat_at < now() - make_interval(secs => $3)
     ),
     given AS (
       UPDATE graphile_worker._private_jobs ${givenBack} WHERE locked_by IN (SELECT pool_id FROM dead)
     )
     SELECT count(*)::text AS reaped FROM dead`,
    [...reaperLock, deadAfterS],
  );
  return Number(rows[0]?.reaped ?? 0);
};

/** Ids of what these pools have held for longer than a dead one would be let. */
export const heldFor = async (
  pool: Pool,
  poolIds: readonly string[],
  { deadAfterS }: Pick<Pace, 'deadAfterS'>,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id::text FROM graphile_worker._private_jobs
     WHERE locked_by = ANY ($1) AND locked_at < now() - make_interval(secs => $2)
     LIMIT 1000`,
    [poolIds, deadAfterS],
  );
  return rows.map(({ id }) => id);
};

/** Unlocks these, as far as these pools hold them; the try does not count either. */
export const giveBack = async (
  pool: Pool,
  poolIds: readonly string[],
  ids: readonly string[],
): Promise<void> => {
  await pool.query(
    `UPDATE graphile_worker._private_jobs ${givenBack}
     WHERE id = ANY ($1) AND locked_by = ANY ($2)`,
    [ids, poolIds],
  );
};

/** Failed work that no read model knows the end of is kept this long, days, for whoever asks what happened. */
const failedKeptDays = 30;
const failedRemovedAtOnce = 500;

/** Whether a worker has ever made the tables of the queue. */
export const hasQueue = async (pool: Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ is_there: boolean }>(
    `SELECT to_regclass('graphile_worker._private_jobs') IS NOT NULL AS is_there`,
  );
  return rows[0]?.is_there === true;
};

/** What was tried for the last time and failed, by task. */
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
 * Removes work that failed for good: items (and the word to their job that all have ended), listings and deliveries once
 * the streams say how they ended, the rest after thirty days; at most 500 pieces. Tells how many.
 */
export const removeFailedWork = async (pool: Pool): Promise<number> => {
  const { rowCount } = await pool.query(
    `DELETE FROM graphile_worker._private_jobs
     WHERE attempts >= max_attempts AND locked_at IS NULL AND id IN (
       SELECT q.id
       FROM graphile_worker._private_jobs AS q
       JOIN graphile_worker._private_tasks AS t ON t.id = q.task_id
       WHERE q.attempts >= q.max_attempts AND q.locked_at IS NULL AND CASE t.identifier
         WHEN 'extract-items' THEN NOT EXISTS (
           SELECT FROM job_items i
           WHERE i.job_id = q.payload ->> 'jobId' AND i.status IN ('queued', 'processing')
             AND q.payload::jsonb -> 'itemIds' ? i.item_id)
           AND NOT EXISTS (
             SELECT FROM jobs j
             WHERE j.job_id = q.payload ->> 'jobId' AND j.status IN ('queued', 'processing')
               AND j.is_listed AND j.completed_items + j.failed_items >= j.total_items)
         WHEN 'resolve-listing' THEN NOT EXISTS (
           SELECT FROM jobs j
           WHERE j.job_id = q.payload ->> 'jobId' AND j.status = 'queued' AND NOT j.is_listed)
         WHEN 'deliver-webhook' THEN NOT EXISTS (
           SELECT FROM webhook_deliveries d
           WHERE d.delivery_id = q.payload ->> 'deliveryId' AND d.status = 'pending')
         ELSE q.updated_at < now() - make_interval(days => $1)
       END
       LIMIT $2)`,
    [failedKeptDays, failedRemovedAtOnce],
  );
  return rowCount ?? 0;
};

/** How work stands that should be under way: queue rows are hints, and one of them may be lost. */
export type Forgotten = {
  readonly items: readonly { readonly jobId: string; readonly itemId: string }[];
  readonly listings: readonly { readonly jobId: string }[];
  readonly deliveries: readonly {
    readonly deliveryId: string;
    readonly accountId: string;
    readonly webhookId: string | null;
  }[];
};

/**
 * Whether the queue knows of work: it waits, or it failed for good within the last day. Work whose end cannot even be
 * written fails so; it is tried anew once a day, when its reason may have been mended.
 */
const isKnown = `(q.attempts < q.max_attempts OR q.updated_at > now() - interval '1 day')`;

/**
 * Whether a stream has been silent for `$1` seconds, by the clock of the database: what is due stands in events and
 * thus goes by the clock of some process, and work that was just asked for may be on its way into the queue.
 */
const isSilent = (stream: string): string =>
  `(SELECT e.recorded_at FROM es_event AS e WHERE e.stream = ${stream} ORDER BY e.version DESC LIMIT 1)
     < now() - make_interval(secs => $1)`;

/**
 * What the streams say is open and has been due for `olderThanS` (seconds), and the queue knows nothing of: items,
 * one item of each group of a job whose items are all over and whose end nobody told, listings, deliveries; at most 500 of each.
 */
export const forgottenWork = async (
  pool: Pool,
  { olderThanS, itemsPerGroup }: { readonly olderThanS: number; readonly itemsPerGroup: number },
): Promise<Forgotten> => {
  const items = await pool.query<{ job_id: string; item_id: string }>(
    `WITH known AS MATERIALIZED (
       SELECT jsonb_array_elements_text(q.payload::jsonb -> 'itemIds') AS item_id
       FROM graphile_worker._private_jobs q
       WHERE ${isKnown}
     ),
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
     SELECT open.job_id, open.item_id
     FROM open
     WHERE NOT EXISTS (SELECT FROM known WHERE known.item_id = open.item_id)
       AND ${isSilent("'items-' || open.job_id || '-' || lpad((right(open.item_id, 4)::int / $2)::text, 2, '0')")}
     LIMIT 500`,
    [olderThanS, itemsPerGroup],
  );
  const listings = await pool.query<{ job_id: string }>(
    `SELECT j.job_id
     FROM jobs j
     WHERE j.status = 'queued' AND NOT j.is_listed AND j.updated_at < now() - make_interval(secs => $1)
       AND NOT EXISTS (
         SELECT FROM graphile_worker._private_jobs q
         WHERE q.payload ->> 'jobId' = j.job_id AND ${isKnown})
       AND ${isSilent("'job-' || j.job_id")}
     LIMIT 500`,
    [olderThanS],
  );
  const deliveries = await pool.query<{
    delivery_id: string;
    account_id: string;
    webhook_id: string | null;
  }>(
    `SELECT d.delivery_id, d.account_id, d.webhook_id
     FROM webhook_deliveries d
     WHERE d.status = 'pending' AND d.due_at < now() - make_interval(secs => $1)
       AND NOT EXISTS (
         SELECT FROM graphile_worker._private_jobs q
         WHERE q.payload ->> 'deliveryId' = d.delivery_id AND ${isKnown})
       AND ${isSilent("'delivery-' || d.delivery_id")}
     LIMIT 500`,
    [olderThanS],
  );
  return {
    items: items.rows.map(({ job_id, item_id }) => ({ jobId: job_id, itemId: item_id })),
    listings: listings.rows.map(({ job_id }) => ({ jobId: job_id })),
    deliveries: deliveries.rows.map(({ delivery_id, account_id, webhook_id }) => ({
      deliveryId: delivery_id,
      accountId: account_id,
      webhookId: webhook_id,
    })),
  };
};
