import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';
import { toldOnce } from '../../kernel/told-once.ts';
import { alone, deathsUntilAlone, deathsUntilGivenUp, deathsUse } from '../../kernel/work.ts';

/** How often pools say that they live, and when one that says nothing is taken for dead. */
export type Pace = { readonly beatMs: number; readonly deadAfterS: number };

/** With a look every five seconds, what a killed worker held is given to others within half a minute. */
export const usualPace: Pace = { beatMs: 5_000, deadAfterS: 25 };

/** Any numbers that nothing else on the database uses as the first half of an advisory lock. */
const reaperLock = [20260119, 1] as const;

/** A pool of the queue and what it takes. */
export type LivingPool = { readonly poolId: string; readonly tasks: readonly string[] };

/** Says every few seconds that these pools live, until disposed: then their rows go, and with them their locks. */
export const heartbeat = async (
  pool: Pool,
  options: {
    readonly pools: readonly LivingPool[];
    readonly osPid: number;
    readonly beatMs: number;
    /** The database has heard a beat. */
    readonly onHeard?: () => void;
    /** Of failures in a row the first. */
    readonly onFailure: (error: unknown) => void;
  },
): Promise<AsyncDisposable> => {
  const { pools, osPid, beatMs, onHeard = () => {}, onFailure } = options;
  const poolIds = pools.map(({ poolId }) => poolId);
  const tasks = pools.map((one) => one.tasks.join(' '));
  const told = toldOnce(onFailure);
  const beat = async () => {
    await pool.query(
      `INSERT INTO worker_pools (pool_id, tasks, host, os_pid)
       SELECT pool_id, string_to_array(tasks, ' '), $3, $4
       FROM unnest($1::text[], $2::text[]) AS living (pool_id, tasks)
       ON CONFLICT (pool_id) DO UPDATE SET beat_at = now()`,
      [poolIds, tasks, hostname(), osPid],
    );
    onHeard();
  };
  await beat();
  const timer = setInterval(() => void beat().then(told.succeeded, told.failed), beatMs);
  timer.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await pool
        .query('DELETE FROM worker_pools WHERE pool_id = ANY ($1)', [poolIds])
        .catch(told.failed);
    },
  };
};

/** Whether this process can tell who is dead. */
export type Witness = {
  /** The database has heard a beat of its own. */
  readonly heard: () => void;
  readonly isReliable: () => boolean;
};

/**
 * Who was not heard himself knows nothing of the silence of others: while the database is away all fall silent, and who
 * looks first when it is back would find them dead, and himself. He looks again when the others had time to beat.
 */
export const witness = ({ beatMs, deadAfterS }: Pace): Witness => {
  const deadAfterMs = deadAfterS * 1_000;
  let heardAtMs: number | null = null;
  let steadySinceMs = Number.NEGATIVE_INFINITY;
  // Others beat up to one pace before, and up to one after, what keeps both from being heard.
  const isSilent = (nowMs: number): boolean =>
    heardAtMs !== null && nowMs - heardAtMs > deadAfterMs - 2 * beatMs;
  return {
    heard: () => {
      const nowMs = elapsedMs();
      if (isSilent(nowMs)) steadySinceMs = nowMs;
      heardAtMs = nowMs;
    },
    isReliable: () => {
      const nowMs = elapsedMs();
      return !isSilent(nowMs) && nowMs - steadySinceMs >= deadAfterMs;
    },
  };
};

/** Our work stands in no named queues, so that its own row is all there is to unlock. */
const unlocked = 'locked_at = NULL, locked_by = NULL';
/** A try that did not come to an end does not count: tries are to end what fails by itself. */
const lessOneTry = 'greatest(q.attempts - 1, 0)';
/** So often it is tried to write the end of what is given up. */
const triesToGiveUp = 3;

/**
 * What becomes of work whose process died: the try does not count, the death does. What was met by too many has a few
 * tries left, which are spent on its end, and these count; else an end that is deadly itself would be tried for ever.
 */
const metByDeath = `${unlocked},
     payload = CASE json_typeof(q.payload)
       WHEN 'object' THEN jsonb_set(q.payload::jsonb, '{deaths}', to_jsonb(met.deaths))::json
       ELSE q.payload END,
     flags = CASE
       WHEN met.deaths >= ${deathsUntilAlone} THEN
         coalesce(q.flags, '{}') - ('${deathsUse}:' || met.deaths - 1)
           || jsonb_build_object('${alone}', true, '${deathsUse}:' || met.deaths, true)
       ELSE q.flags END,
     max_attempts = CASE
       WHEN met.deaths = ${deathsUntilGivenUp} THEN ${lessOneTry} + ${triesToGiveUp}
       ELSE q.max_attempts END,
     attempts = CASE
       WHEN met.deaths > ${deathsUntilGivenUp} THEN q.attempts
       ELSE ${lessOneTry} END`;

/**
 * Unlocks what pools hold that beat no more, and what is held by pools that nobody knows, and counts the death; one
 * process at a time. Returns how many pools were found dead.
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
     met AS (
       SELECT id, coalesce((payload ->> 'deaths')::int, 0) + 1 AS deaths
       FROM graphile_worker._private_jobs
       WHERE locked_by IN (SELECT pool_id FROM dead)
     ),
     given AS (
       UPDATE graphile_worker._private_jobs AS q SET ${metByDeath}
       FROM met
       WHERE q.id = met.id AND q.locked_by IN (SELECT pool_id FROM dead)
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

/** Unlocks these, as far as these pools hold them; the try does not count, and nobody died. */
export const giveBack = async (
  pool: Pool,
  poolIds: readonly string[],
  ids: readonly string[],
): Promise<void> => {
  await pool.query(
    `UPDATE graphile_worker._private_jobs AS q SET ${unlocked}, attempts = ${lessOneTry}
     WHERE id = ANY ($1) AND locked_by = ANY ($2)`,
    [ids, poolIds],
  );
};
