import type { Command } from '@event-driven-io/emmett';
import { type ExpectedAttempt, isSuperseded } from '../kernel/task-payload.ts';
import type { DeliveryAttempt } from './deliver-webhook.ts';
import * as delivery from './delivery.ts';
import { systemMeta, type WebhookStreams } from './webhook-streams.ts';

/** Whatever is tried with a delivery throws: it is not tried any more. */
export type FailDelivery = Command<
  'FailDelivery',
  { expectedAttempt: ExpectedAttempt },
  { now: Date }
>;

/** The attempt that could not be made failed, and with it the delivery; its owner sees it and may send it again. */
export const decide = (
  { data: { expectedAttempt }, metadata: { now } }: FailDelivery,
  { requested, status, attempts }: delivery.State,
): delivery.DeliveryEvent[] => {
  if (requested === null || status !== 'pending' || isSuperseded(attempts, expectedAttempt))
    return [];
  const { deliveryId, accountId, webhookId } = requested;
  const about = { deliveryId, accountId, webhookId, at: now.toISOString() };
  const why = 'internal_error';
  const made = { attempt: attempts + 1, httpStatus: null, durationMs: 0, retryAt: null };
  return [
    { type: 'DeliveryAttemptFailed', data: { ...about, ...made, why } },
    { type: 'DeliveryGivenUp', data: { ...about, why } },
  ];
};

/** Ends a delivery whose task has thrown `fault` at its last try. */
export const failDelivery =
  ({
    deliveries,
    clock,
    onFault,
  }: Pick<WebhookStreams, 'deliveries' | 'clock'> & {
    readonly onFault: (fault: unknown) => void;
  }) =>
  async ({ deliveryId, expectedAttempt }: DeliveryAttempt, fault: unknown): Promise<void> => {
    const stream = delivery.streamOf(deliveryId);
    const { requested } = await deliveries.read(stream);
    if (requested === null) throw fault;
    onFault(fault);
    const now = clock();
    await deliveries.run(stream, {
      decide: (state) =>
        decide({ type: 'FailDelivery', data: { expectedAttempt }, metadata: { now } }, state),
      meta: systemMeta(requested.accountId, now),
      answer: () => null,
    });
  };
