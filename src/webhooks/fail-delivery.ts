import type { Command } from '@event-driven-io/emmett';
import { bySystem } from '../eventlog/commands/decision-batcher.ts';
import { type ExpectedAttempt, isSuperseded } from '../kernel/attempt-fencing.ts';
import type { DeliveryAttempt } from './deliver-webhook.ts';
import * as delivery from './delivery.ts';
import type { WebhookStreams } from './webhook-streams.ts';

/** Fails a delivery whose task has failed at its last attempt. */
export type FailDelivery = Command<'FailDelivery', { expectedAttempt: ExpectedAttempt }, { now: Date }>;

/** Fails the attempt and the delivery; the owner sees it and can replay it. */
export const decide = (
  { data: { expectedAttempt }, metadata: { now } }: FailDelivery,
  { requested, status, attempts }: delivery.State,
): delivery.DeliveryEvent[] => {
  if (requested === null || status !== 'pending' || isSuperseded(attempts, expectedAttempt)) return [];
  const { deliveryId, accountId, webhookId } = requested;
  const about = { deliveryId, accountId, webhookId, at: now.toISOString() };
  const why = 'internal_error';
  const made = { attempt: attempts + 1, httpStatus: null, durationMs: 0, retryAt: null };
  return [
    { type: 'DeliveryAttemptFailed', data: { ...about, ...made, why } },
    { type: 'DeliveryGivenUp', data: { ...about, why } },
  ];
};

/** Fails a delivery whose task has thrown `fault` at its last attempt. */
export const failDelivery =
  (deps: WebhookStreams & { readonly onFault: (fault: unknown) => void }) =>
  async ({ deliveryId, expectedAttempt }: DeliveryAttempt, fault: unknown): Promise<void> => {
    const stream = delivery.streamOf(deliveryId);
    const { requested } = await deps.deliveries.read(stream);
    if (requested === null) throw fault;
    deps.onFault(fault);
    const failed = bySystem(deps, requested.accountId, (state: delivery.State, now) =>
      decide({ type: 'FailDelivery', data: { expectedAttempt }, metadata: { now } }, state),
    );
    await deps.deliveries.run(stream, failed);
  };
