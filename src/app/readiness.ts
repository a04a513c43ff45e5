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

type Parts = {
  readonly pool: Pool;
  readonly log: Pick<PostgresEventLog, 'detectedRollback'>;
  /** The read models of this process, by name. */
  readonly subscriptions: ReadonlyMap<string, unknown>;
  /** Null: not configured. */
  readonly redis: (() => Promise<boolean>) | null;
};

/** The checks of the dependencies of this process. */
export const looksOf = (
  { idleTransactionAlarmMs }: Pick<Config['database'], 'idleTransactionAlarmMs'>,
  parts: Parts,
): Pick<Queries, 'readiness' | 'idleTransactionSince' | 'lags'> => ({
  readiness: readinessOf(parts),
  idleTransactionSince: idleTransactionSince(parts.pool, idleTransactionAlarmMs),
  lags: lagsOf(parts.pool),
});

/** The checks that readiness depends on. */
const readinessOf =
  ({ pool, log, subscriptions, redis }: Parts): Queries['readiness'] =>
  async () => {
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
  };

/** Checks for a transaction that is idle for too long; an unreachable database has a separate alert. */
const idleTransactionSince =
  (pool: Pool, longerThanMs: number): Queries['idleTransactionSince'] =>
  () =>
    answerOr(
      idleTransactions(pool, longerThanMs).then(([longest]) => longest?.since ?? null),
      null,
    );

const lagsOf =
  (pool: Pool): Queries['lags'] =>
  () =>
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
    );

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
