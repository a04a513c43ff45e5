import { aboutWebhookKind, type WebhookKind } from '../contract/webhook-events.ts';
import { maxRecovered } from '../contract/webhooks.ts';
import { metaOf, systemMeta } from '../eventlog/event-log.ts';
import type { Call } from '../kernel/call.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import * as delivery from './delivery.ts';
import type { Subject } from './payload.ts';
import { requireWebhook } from './register-webhook.ts';
import * as webhook from './webhook.ts';
import type { WebhookStreams } from './webhook-streams.ts';

/** An event that receivers are notified of. */
export type WebhookTrigger = {
  readonly accountId: string;
  readonly kind: WebhookKind;
  /** Id of the event in the log, from which the id that receivers see is derived. */
  readonly causeId: string;
  /** The `webhook_url` of the job or the follow, which gets the kinds with `toUrlOf`. */
  readonly ownUrl: string | null;
} & (
  | { readonly jobId: string; readonly run: number }
  /** Something else than a run of a job: when it happened, and what receivers are told of it. */
  | { readonly happenedAt: string; readonly subject: Subject }
);

type Target = { readonly url: string; readonly webhookId: string | null };

/** Each URL once. A registered webhook wins over the `webhook_url`, because it has a secret of its own. */
const targetsOf = (
  { webhooks }: Pick<webhook.State, 'webhooks'>,
  { kind, ownUrl }: Pick<WebhookTrigger, 'kind' | 'ownUrl'>,
): readonly Target[] => {
  const targets = new Map<string, Target>();
  for (const { url, webhookId, isActive, kinds } of webhooks.values()) {
    if (isActive && kinds.includes(kind)) targets.set(url, { url, webhookId });
  }
  if (ownUrl !== null && aboutWebhookKind(kind).toUrlOf !== undefined && !targets.has(ownUrl)) {
    targets.set(ownUrl, { url: ownUrl, webhookId: null });
  }
  return [...targets.values()];
};

/** Requests a delivery to every receiver that has subscribed to the event. Idempotent. */
export const requestDeliveries =
  ({ webhooks, deliveries, clock }: WebhookStreams) =>
  async (occasion: WebhookTrigger): Promise<void> => {
    const { accountId, causeId } = occasion;
    const account = await webhooks.read(webhook.streamOf(accountId));
    const told = { jobId: null, run: null, ...occasion, eventId: delivery.eventIdOf(causeId) };
    for (const target of targetsOf(account, occasion)) {
      await request({ deliveries }, systemMeta(accountId, clock()), told, target, null);
    }
  };

type DeliverySubject = Pick<
  delivery.DeliveryRequested['data'],
  'accountId' | 'eventId' | 'kind' | 'jobId' | 'run' | 'subject' | 'happenedAt'
>;

/** Requests a delivery; resolves to its id. `replay`: the delivery that it repeats, and a key by which it is another one. */
const request = async (
  { deliveries }: Pick<WebhookStreams, 'deliveries'>,
  meta: ReturnType<typeof systemMeta>,
  { accountId, eventId, kind, jobId, run, subject, happenedAt }: DeliverySubject,
  { url, webhookId }: Target,
  replay: { readonly of: string; readonly key: string } | null,
): Promise<string> => {
  const deliveryId = delivery.deliveryIdOf(eventId, url, replay?.key ?? null);
  const about = { deliveryId, accountId, webhookId, url, eventId, kind, jobId, run };
  const told = subject === undefined || happenedAt === undefined ? {} : { subject, happenedAt };
  const data = { ...about, ...told, replayOf: replay?.of ?? null, at: meta.occurred_at };
  return await deliveries.run(delivery.streamOf(deliveryId), {
    decide: ({ requested }) => (requested === null ? [{ type: 'DeliveryRequested', data }] : []),
    meta,
    answer: () => deliveryId,
  });
};

/** Replays, recoveries and test deliveries. Each creates a delivery and returns its id. */
export const replayDeliveries = (
  deps: WebhookStreams & {
    /** Ids of the failed deliveries of a webhook that were requested since a time, oldest first, at most `limit`. */
    readonly failedSince: (
      accountId: string,
      webhookId: string,
      since: string,
      limit: number,
    ) => Promise<readonly string[]>;
  },
) => {
  const { deliveries, clock } = deps;

  /** Throws NOT_FOUND, also for a delivery of another webhook or job. */
  const original = async (call: Call, deliveryId: string, of: 'webhook' | 'job', id: string) => {
    const { requested } = await deliveries.read(delivery.streamOf(deliveryId));
    if (requested?.accountId === call.accountId && requested[`${of}Id`] === id) return requested;
    throw new Refusal('NOT_FOUND', `This ${of} has no delivery with this id.`);
  };

  const replay = async (call: Call, receiver: Target, first: delivery.DeliveryRequested['data']): Promise<string> => {
    // The deduplication key makes a repeat the same replay.
    const key = `${call.deduplicationKey}|${receiver.webhookId ?? 'job'}`;
    const meta = metaOf(call, clock().toISOString());
    return await request({ deliveries }, meta, first, receiver, { of: first.deliveryId, key });
  };

  return {
    replayDelivery: async (
      call: Call,
      { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
    ): Promise<{ readonly deliveryId: string }> => {
      const receiver = await activeReceiver(deps, call, webhookId);
      const first = await original(call, deliveryId, 'webhook', webhookId);
      return { deliveryId: await replay(call, receiver, first) };
    },
    /** One that tells of a job: to the webhook that it went to, or to the `webhook_url` of the job. */
    replayJobDelivery: async (
      call: Call,
      { jobId, deliveryId }: { jobId: string; deliveryId: string },
    ): Promise<{ readonly deliveryId: string }> => {
      const first = await original(call, deliveryId, 'job', jobId);
      const { webhookId } = first;
      const receiver = webhookId === null ? first : await activeReceiver(deps, call, webhookId);
      return { deliveryId: await replay(call, receiver, first) };
    },
    recoverDeliveries: async (
      call: Call,
      { webhookId, since }: { webhookId: string; since: string },
    ): Promise<{ readonly deliveryIds: readonly string[] }> => {
      const receiver = await activeReceiver(deps, call, webhookId);
      const failed = await deps.failedSince(call.accountId, webhookId, since, maxRecovered);
      const deliveryIds: string[] = [];
      for (const deliveryId of failed) {
        deliveryIds.push(await replay(call, receiver, await original(call, deliveryId, 'webhook', webhookId)));
      }
      return { deliveryIds };
    },
    testWebhook: async (call: Call, { webhookId }: { webhookId: string }): Promise<{ readonly deliveryId: string }> => {
      const receiver = await activeReceiver(deps, call, webhookId);
      const { accountId } = receiver;
      const eventId = delivery.eventIdOf(`${accountId}|${call.deduplicationKey}|${webhookId}|test`);
      const told = { accountId, eventId, kind: 'job.completed', jobId: null, run: null } as const;
      const meta = metaOf(call, clock().toISOString());
      return { deliveryId: await request(deps, meta, told, receiver, null) };
    },
  };
};

/** Throws WEBHOOK_NOT_FOUND, and INVALID_REQUEST for a disabled webhook. */
const activeReceiver = async (
  { webhooks }: Pick<WebhookStreams, 'webhooks'>,
  call: Call,
  webhookId: string,
): Promise<webhook.Webhook> => {
  const receiver = requireWebhook(await webhooks.read(webhook.streamOf(call.accountId)), webhookId);
  if (receiver.isActive) return receiver;
  const message = 'The webhook is disabled. Enable it first.';
  throw invalidRequest(message, { path: 'webhook_id', code: 'disabled' });
};
