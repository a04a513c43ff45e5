import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isQueueWorked, usualPace } from '../adapters/work-queue.ts';
import type { PostgresEventLog } from '../eventlog/store.ts';
import type { Subscription } from '../eventlog/subscriptions.ts';
import type { Queries } from '../queries.ts';

/** No look takes longer: what has not answered by then has failed. */
const patienceMs = 1_500;

/** What readiness depends on, each looked at on its own. `redis` null: not configured. */
export const readinessOf =
  ({
    pool,
    log,
    subscriptions,
    redis,
  }: {
    readonly pool: Pool;
    readonly log: Pick<PostgresEventLog, 'lostEnd'>;
    readonly subscriptions: ReadonlyMap<string, Subscription>;
    readonly redis: (() => Promise<boolean>) | null;
  }): Queries['readiness'] =>
  async () => {
    const [database, eventStore, queue, isRedisUp] = await Promise.all([
      isDone(pool.query('SELECT 1').then(() => true)),
      isDone(isWhole(log, subscriptions)),
      isDone(isQueueWorked(pool, usualPace)),
      redis === null ? null : isDone(redis()),
    ]);
    return {
      database: word(database),
      eventStore: word(eventStore),
      queue: word(queue),
      redis: isRedisUp === null ? 'not_configured' : word(isRedisUp),
    };
  };

const word = (isUp: boolean): 'ok' | 'failed' => (isUp ? 'ok' : 'failed');

const isDone = (look: Promise<boolean>): Promise<boolean> =>
  Promise.race([look.catch(() => false), pause(patienceMs, false, { ref: false })]);

/** The log can be read and has lost nothing, and no read model stands still at an event it cannot fold. */
const isWhole = async (
  log: Pick<PostgresEventLog, 'lostEnd'>,
  subscriptions: ReadonlyMap<string, Subscription>,
): Promise<boolean> => {
  const reports = await Promise.all([...subscriptions.values()].map((one) => one.report()));
  if (log.lostEnd() !== null) return false;
  return reports.every((report) => report === null || report.failure === null);
};
