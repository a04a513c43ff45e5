import type { Projection } from '../src/eventlog/projections/projection.ts';
import { accountEvents } from './accounts.ts';
import { balances } from './balances.ts';
import { follows } from './follows.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { receipts } from './receipts.ts';
import { usage } from './usage.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';

/** Every read model that a subscription keeps. */
export const projections: readonly Projection[] = [
  usage,
  balances,
  receipts,
  keys,
  accountEvents,
  jobs,
  webhookDeliveries,
  follows,
];
