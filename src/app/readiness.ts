import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { usualPace } from '../adapters/graphile-worker/pools.ts';
import { queueState } from '../adapters/graphile-worker/work-queue.ts';
import { postgresAudit } from '../adapters/postgres/audit-postgres.ts';
import { idleTransactions } from '../adapters/postgres/idle-transactions.ts';
import { probeWrites } from '../adapters/postgres/write-probe.ts';
import type { Config } from '../config.ts';
import { isAnyStopped, subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { logFirstFailure } from '../kernel/log-first-failure.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Queries } from '../queries.ts';
import type { CoreParts } from './application-core.ts';
import { neverRun, ofReadModels, relayReport } from './open-relay.ts';

/** Timeout of a check. */
const checkTimeoutMs = 1_500;
/** Callers within this time share one probe of writes, for less long if it failed. */
const probeSharedMs = { good: 5_000, failed: 1_000 };

/** The checks of the dependencies of this process. */
export const looksOf = (
  {
    database: { idleTransactionAlarmMs },
    eventStoreUrl,
  }: Pick<Config, 'eventStoreUrl'> & { readonly database: Pick<Config['database'], 'idleTransactionAlarmMs'> },
  parts: Pick<CoreParts, 'pool' | 'log' | 'subscriptions' | 'logger'> & {
    /** Null: not configured. */
    readonly redis: (() => Promise<boolean>) | null;
  },
): Pick<Queries, 'readiness' | 'isWritable' | 'idleTransactionSince' | 'lags' | 'auditState' | 'relay'> => {
  const { pool, redis } = parts;
  const isWritable = writeCheck(pool, parts.logger);
  return {
    isWritable,
    readiness: async () => {
      const [database, takesWrites, eventStore, queue, isRedisUp] = await Promise.all([
        isDone(pool.query('SELECT 1').then(() => true)),
        isWritable(),
        isDone(isWhole(parts)),
        answerOr(queueState(pool, usualPace), 'failed'),
        redis === null ? null : isDone(redis()),
      ]);
      return {
        database: word(database),
        writes: word(takesWrites),
        eventStore: word(eventStore && takesWrites),
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
          ofReadModels(reports).map(({ name, lagPositions, lagSeconds, failure }) => ({
            name,
            positions: Number(lagPositions),
            seconds: Math.round(lagSeconds * 1_000) / 1_000,
            isStopped: failure !== null,
          })),
        ),
        [],
      ),
    auditState: () => answerOr(postgresAudit({ pool }).state(), null),
    relay: () => answerOr(relayReport({ eventStoreUrl }, pool), { ...neverRun, state: 'unknown' }),
  };
};

/** Whether the database takes writes; the first failure of a row is logged with its reason. */
const writeCheck = (pool: Pool, logger: Pick<Logger, 'error'>): (() => Promise<boolean>) => {
  const first = logFirstFailure((error) => logger.error('the database accepts no writes', { error }));
  const probe = async (): Promise<boolean> => {
    try {
      await probeWrites(pool);
      first.succeeded();
      return true;
    } catch (error) {
      first.failed(error);
      return false;
    }
  };
  let shared = Promise.resolve(true);
  let sharedUntilMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (elapsedMs() < sharedUntilMs) return shared;
    sharedUntilMs = elapsedMs() + probeSharedMs.good;
    shared = isDone(probe()).then((isGood) => {
      if (!isGood) sharedUntilMs = elapsedMs() + probeSharedMs.failed;
      return isGood;
    });
    return shared;
  };
};

const word = (isUp: boolean): 'ok' | 'failed' => (isUp ? 'ok' : 'failed');

const isDone = (look: Promise<boolean>): Promise<boolean> => answerOr(look, false);

/** The result of a check, or `other` if it failed or timed out. */
const answerOr = <Answer>(look: Promise<Answer>, other: Answer): Promise<Answer> =>
  Promise.race([look.catch(() => other), pause(checkTimeoutMs, other, { ref: false })]);

/** Whether the log is readable and complete, and no read model is stopped by an event it cannot fold. */
const isWhole = async ({
  log,
  pool,
  subscriptions,
}: Pick<CoreParts, 'pool' | 'log' | 'subscriptions'>): Promise<boolean> => {
  const isOneStopped = await isAnyStopped(pool, [...subscriptions.keys()]);
  return !isOneStopped && log.detectedRollback() === null;
};
