import type { Pool } from 'pg';
import type { EventLog, RecordedEvent } from '#src/eventlog/event-log.ts';
import type { RunnerSettings, Subscriber } from '#src/eventlog/subscriptions/handle-batch.ts';
import { type Runner, type Subscription, subscriptionRunner } from '#src/eventlog/subscriptions/subscription-runner.ts';

export type SubscriptionOptions = Subscriber &
  RunnerSettings & { readonly log: Pick<EventLog, 'read' | 'readAll' | 'onAppended'> };

/** One subscription with a runner of its own. It does nothing until `start`. */
export const subscription = (options: SubscriptionOptions): Subscription & Runner => {
  const { name, types, handle, onError, log, ...settings } = options;
  const { subscriptions, ...runner } = subscriptionRunner<RecordedEvent>({
    ...settings,
    log,
    subscribers: [{ name, types, handle, onError }],
    readBatch: log.readAll,
    readStream: log.read,
  });
  const [only] = subscriptions.values();
  if (only === undefined) throw new Error(`${name} has no subscription`);
  return { ...only, ...runner };
};

/** The streams that a subscription has set aside. */
export const parkedStreams = async (pool: Pool, subscription: string) => {
  const { rows } = await pool.query<{ stream: string; version: string; failure: string }>(
    `SELECT stream, version::text AS version, failure FROM es_parked_stream
     WHERE subscription = $1 ORDER BY parked_at, stream`,
    [subscription],
  );
  return rows.map(({ version, ...row }) => ({ ...row, version: BigInt(version) }));
};
