import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { idleTransactions } from '../adapters/idle-transactions.ts';
import { usualPace } from '../adapters/work-queue/pools.ts';
import { queueState } from '../adapters/work-queue.ts';
import type { Config } from '../config.ts';
import type { PostgresEventLog } from '../eventlog/postgres-event-log.ts';
import { isAnyStopped, subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import type { Queries } from '../queries.ts';

/** Timeout of a check. */
const checkTimeoutMs = 1_500;

/** The checks of the dependencies of this process. */
export const looksOf = (
  { idleTransactionAlarmMs }: Pick<Config['database'], 'idleTransactionAlarmMs'>,
  {
    pool,
    log,
    subscriptions,
    redis,
  }: {
    readonly pool: Pool;
    readonly log: Pick<PostgresEventLog, 'detectedRollback'>;
    /** The read models of this process, by name. */
    readonly subscriptions: ReadonlyMap<string, unknown>;
    /** Null: not configured. */
    readonly redis: (() => Promise<boolean>) | null;
  },
): Pick<Queries, 'readiness' | 'idleTransactionSince' | 'lags'> => ({
  readiness: async () => {
    const [database, eventStore, queue, isRedisUp] = await Promise.all([
      isDone(pool.query('SELECT 1').then(() => true)),
      isDone(isWhole(log, pool, [...subscriptions.keys()])),
      answerOr(queueState(pool, usualPace), 'failed'),
      redis === null ? null : isDone(redis()),
    ]);
    return {
      database: word(database),
      eventStore: word(eventStore),
      queue,
      redis: isRedisUp === null ? 'not_configured' : word(isRedisUp),
    };
  },
  // An unreachable database has a separate alert.
  idleTransactionSince: () =>
    answerOr(
      idleTransactions(pool, idleTransactionAlarmMs).then(([longest]) => longest?.since ?? null),
      null,
    ),
  lags: () =>
    answerOr(
      subscriptionReports(pool).then((reports) =>
        reports.map(({ name, lagPositions, lagSeconds, failure }) => ({
          name,
          positions: Number(lagPositions),
          seconds: Math.round(lagSeconds * 1_000) / 1_000,
          isStopped: failure !== null,
        })),
      ),
      [],
    ),
});

const word = (isUp: boolean): 'ok' | 'failed' => (isUp ? 'ok' : 'failed');

const isDone = (look: Promise<boolean>): Promise<boolean> => answerOr(look, false);

/** The result of a check, or `other` if it failed or timed out. */
const answerOr = <Found>(look: Promise<Found>, other: Found): Promise<Found> =>
  Promise.race([look.catch(() => other), pause(checkTimeoutMs, other, { ref: false })]);

/** Whether the log is readable and complete, and no read model is stopped by an event it cannot fold. */
const isWhole = async (
  log: Pick<PostgresEventLog, 'detectedRollback'>,
  pool: Pool,
  readModels: readonly string[],
): Promise<boolean> => {
  const isOneStopped = await isAnyStopped(pool, readModels);
  return !isOneStopped && log.detectedRollback() === null;
};
