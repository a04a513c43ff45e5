import type { EventLog, RecordedEvent } from '../event-log.ts';
import type { Runner, RunnerSettings, Subscriber, Subscription } from './subscriber.ts';
import { subscriptionRunner } from './subscription-runner.ts';

export type SubscriptionOptions = Subscriber &
  RunnerSettings & {
    readonly log: Pick<EventLog, 'read' | 'readAll' | 'onAppended'> & {
      readonly canRelyOnNotify?: () => boolean;
    };
  };

/** One subscription with a runner of its own, see `Subscriber`. It does nothing until `start`. */
export const subscription = ({
  name,
  types,
  handle,
  onError,
  log,
  ...settings
}: SubscriptionOptions): Subscription & Runner => {
  const { subscriptions, ...runner } = subscriptionRunner<RecordedEvent>({
    ...settings,
    log,
    subscribers: [{ name, types, handle, onError }],
    readBatch: ({ types: wanted, ...range }) =>
      log.readAll({ ...range, ...(wanted === undefined ? {} : { types: wanted }) }),
    readStream: log.read,
  });
  const [only] = subscriptions.values();
  if (only === undefined) throw new Error(`${name} has no subscription`);
  return { ...only, ...runner };
};
