import { decisionBatcher } from '../eventlog/commands/decision-batcher.ts';
import type { EventLog } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import * as delivery from './delivery.ts';
import * as webhook from './webhook.ts';

/** The command handlers of webhooks and deliveries; one of each per process. */
export type WebhookStreams = ReturnType<typeof webhookStreams>;

/** To be called once per process: decisions on one stream are batched by its handlers. */
export const webhookStreams = ({ log, clock }: { log: EventLog; clock: Clock }) => ({
  clock,
  webhooks: decisionBatcher({ log, ...webhook }),
  deliveries: decisionBatcher({ log, ...delivery }),
});
