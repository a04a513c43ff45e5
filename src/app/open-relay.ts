import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { lateAfterS } from '../contract/meta.ts';
import { type SubscriptionReport, subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import { remoteSubscription } from '../eventlog/subscriptions/remote-subscription.ts';
import type { RelayReport } from '../queries.ts';
import type { CoreParts } from './application-core.ts';

/** The name of the checkpoint of the relay to KurrentDB. */
const relayName = 'relay';

/** The reports of the readers that the service itself depends on: without the relay, which may no longer be configured. */
export const ofReadModels = (reports: readonly SubscriptionReport[]): readonly SubscriptionReport[] =>
  reports.filter(({ name }) => name !== relayName);

/** Relays every event to the KurrentDB of EVENTSTORE_URL, in one process at a time; without it nothing is loaded. */
export const openRelay = async (
  stack: AsyncDisposableStack,
  { eventStoreUrl }: Pick<Config, 'eventStoreUrl'>,
  parts: Pick<CoreParts, 'log' | 'pool' | 'sessions' | 'logger'>,
): Promise<void> => {
  if (eventStoreUrl === null) return;
  const { kurrentStore } = await import('../adapters/kurrentdb/kurrent-store.ts');
  const store = stack.use(kurrentStore(eventStoreUrl));
  stack.use(remoteSubscription({ ...parts, name: relayName, store }));
};

export const neverRun = { position: null, lagPositions: null, lagSeconds: null, failure: null };

/** How the relay does, whichever process runs it. */
export const relayReport = async (
  { eventStoreUrl }: Pick<Config, 'eventStoreUrl'>,
  pool: Pool,
): Promise<RelayReport> => {
  if (eventStoreUrl === null) return { ...neverRun, state: 'not_configured' };
  const [report] = await subscriptionReports(pool, relayName);
  if (report === undefined) return { ...neverRun, state: 'not_started' };
  const { position, lagPositions, lagSeconds, failure } = report;
  const state = failure !== null ? 'failing' : lagSeconds > lateAfterS ? 'behind' : 'ok';
  return {
    ...{ state, failure, position: String(position), lagPositions: Number(lagPositions) },
    lagSeconds: Math.round(lagSeconds * 1_000) / 1_000,
  };
};
