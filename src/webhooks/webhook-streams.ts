import { type DecisionBatcher, decisionBatcher } from '../eventlog/commands/decision-batcher.ts';
import type { EventLog, EventMeta } from '../eventlog/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import * as delivery from './delivery.ts';
import * as webhook from './webhook.ts';

/** The streams of webhooks as the commands of this module write them; one per process. */
export type WebhookStreams = {
  readonly webhooks: DecisionBatcher<webhook.State, webhook.WebhookEvent>;
  readonly deliveries: DecisionBatcher<delivery.State, delivery.DeliveryEvent>;
  readonly clock: Clock;
};

export const webhookStreams = ({
  log,
  clock,
}: {
  log: EventLog;
  clock: Clock;
}): WebhookStreams => ({
  clock,
  webhooks: decisionBatcher({ log, ...webhook }),
  deliveries: decisionBatcher({ log, ...delivery, maxStreams: 500 }),
});

/** What the service does by itself. */
export const systemMeta = (accountId: string, now: Date): EventMeta => ({
  occurred_at: now.toISOString(),
  account_id: accountId,
  actor: { type: 'system', id: 'worker' },
  channel: 'system',
});
