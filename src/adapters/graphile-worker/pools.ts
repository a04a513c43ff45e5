import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { crashesUntilDeadLetter } from '../../edges/worker/task.ts';
import { elapsedMs } from '../../kernel/clock.ts';
import { logFirstFailure } from '../../kernel/log-first-failure.ts';

/** The interval of heartbeats, and the silence after which a pool counts as dead. */
export type Pace = { readonly beatMs: number; readonly deadAfterS: number };

/** Polled every five seconds, so tasks of a killed worker are unlocked within half a minute. */
export const usualPace: Pace = { beatMs: 5_000, deadAfterS: 25 };

/** First key of advisory locks; arbitrary, but used for nothing else on the database. */
const reaperLock = [20260119, 1] as const;

/** A pool of the queue with the names of its tasks. */
export type LivePool = { readonly poolId: string; readonly tasks: readonly string[] };

/** Sends heartbeats for these pools until disposed, which deletes their rows. */
export const heartbeat = async (
  pool: Pool,
  options: {
    readonly pools: readonly LivePool[];
    readonly osPid: number;
    readonly beatMs: number;
    /** The database has stored a heartbeat. */
    readonly onStored: () => void;
    /** Called for the first of several failures in a row. */
    readonly onFailure: (error: unknown) => void;
  },
): Promise<AsyncDisposable> => {
  const { pools, osPid, beatMs, onStored, onFailure } = options;
  const poolIds = pools.map(({ poolId }) => poolId);
  const tasks = pools.map((one) => one.tasks.join(' '));
  const failures = logFirstFailure(onFailure);
  const beat = async () => {
    await pool.query(
      `INSERT INTO worker_pools (pool_id, tasks, host, os_pid)
       SELECT pool_id, string_to_array(tasks, ' '), $3, $4
       FROM unnest($1::text[], $2::text[]) AS living (pool_id, tasks)
       ON CONFLICT (pool_id) DO UPDATE SET beat_at = now()`,
      [poolIds, tasks, hostname(), osPid],
    );
    onStored();
  };
  await beat();
  const timer = setInterval(() => void beat().then(failures.succeeded, failures.failed), beatMs);
  timer.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await pool.query('DELETE FROM worker_pools WHERE pool_id = ANY ($1)', [poolIds]).catch(failures.failed);
    },
  };
};

/** Decides whether this process may judge other pools dead. */
export type HeartbeatMonitor = ReturnType<typeof heartbeatMonitor>;

/**
 * During an outage of the database no heartbeat is stored. The first process to check afterwards would find all pools dead,
 * its own included. A process whose own heartbeats failed therefore waits until the others had time to send theirs.
 */
export const heartbeatMonitor = ({ beatMs, deadAfterS }: Pace) => {
  const deadAfterMs = deadAfterS * 1_000;
  let lastHeartbeatMs: number | null = null;
  let steadySinceMs = Number.NEGATIVE_INFINITY;
  // Heartbeats of others come up to one interval before and up to one after an outage.
  const isSilent = (nowMs: number): boolean =>
    lastHeartbeatMs !== null && nowMs - lastHeartbeatMs > deadAfterMs - 2 * beatMs;
  return {
    /** The database has stored a heartbeat of this process. */
    recordHeartbeat: (): void => {
      const nowMs = elapsedMs();
      if (isSilent(nowMs)) steadySinceMs = nowMs;
      lastHeartbeatMs = nowMs;
    },
    isReliable: (): boolean => {
      const nowMs = elapsedMs();
      return !isSilent(nowMs) && nowMs - steadySinceMs >= deadAfterMs;
    },
  };
};

const unlocked = 'locked_at = NULL, locked_by = NULL';
/** An attempt that was cut off does not count: the limit of attempts is for tasks that fail by themselves. */
const attemptsWithoutThis = 'greatest(q.attempts - 1, 0)';
/** How often a dead-lettered task may crash while its end is recorded. After that it stays in the queue as failed. */
const crashesOfDeadLetter = 3;

/** The row of a task whose process ended: the attempt does not count, the crash does. */
const afterCrash = `${unlocked},
     payload = CASE json_typeof(q.payload)
       WHEN 'object' THEN jsonb_set(q.payload::jsonb, '{deaths}', to_jsonb(crashed.crashes))::json
       ELSE q.payload END,
     attempts = CASE
       WHEN crashed.crashes >= ${crashesUntilDeadLetter + crashesOfDeadLetter} THEN q.max_attempts
       ELSE ${attemptsWithoutThis} END`;

/**
 * Unlocks the tasks of pools without a heartbeat, and of unknown pools, and counts the crash; one process at a time.
 * Returns how many pools were found dead.
 */
export const reapDeadPools = async (pool: Pool, { deadAfterS }: Pick<Pace, 'deadAfterS'>): Promise<number> => {
  const { rows } = await pool.query<{ reaped: string }>(
    `WITH mine AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($1, $2) AS is_mine),
     holders AS (
       SELECT locked_by AS pool_id, min(locked_at) AS since
       FROM (
         SELECT locked_by, locked_at FROM graphile_worker._private_jobs
         UNION ALL
         SELECT locked_by, locked_at FROM graphile_worker._private_job_queues
       ) AS locked
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
     crashed AS (
       SELECT id, coalesce((payload ->> 'deaths')::int, 0) + 1 AS crashes
       FROM graphile_worker._private_jobs
       WHERE locked_by IN (SELECT pool_id FROM dead)
     ),
     unlocked_tasks AS (
       UPDATE graphile_worker._private_jobs AS q SET ${afterCrash}
       FROM crashed
       WHERE q.id = crashed.id AND q.locked_by IN (SELECT pool_id FROM dead)
     ),
     unlocked_queues AS (
       UPDATE graphile_worker._private_job_queues SET ${unlocked}
       WHERE locked_by IN (SELECT pool_id FROM dead)
     )
     SELECT count(*)::text AS reaped FROM dead`,
    [...reaperLock, deadAfterS],
  );
  return Number(rows[0]?.reaped ?? 0);
};

/** Ids of tasks that these pools have had locked for longer than a dead pool would keep them. */
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

/** Unlocks these tasks and their queues, as far as these pools hold them; neither an attempt nor a crash is counted. */
export const giveBack = async (pool: Pool, poolIds: readonly string[], ids: readonly string[]): Promise<void> => {
  await pool.query(
    `WITH unlocked_tasks AS (
       UPDATE graphile_worker._private_jobs AS q
       SET ${unlocked}, attempts = ${attemptsWithoutThis}
       WHERE id = ANY ($1) AND locked_by = ANY ($2)
       RETURNING job_queue_id, $2::text[] AS pools
     )
     UPDATE graphile_worker._private_job_queues AS queue SET ${unlocked}
     FROM unlocked_tasks
     WHERE queue.id = unlocked_tasks.job_queue_id AND queue.locked_by = ANY (unlocked_tasks.pools)`,
    [ids, poolIds],
  );
};
