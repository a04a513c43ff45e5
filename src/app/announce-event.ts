import { answerOf } from '../contract/answer-of.ts';
import { budgetKindFor, webhookEventKinds } from '../contract/webhook-events.ts';
import type { WorkCommands } from '../edges/worker/work-commands.ts';
import type { EventType, ProductEvent } from '../events.ts';
import { readFollow } from '../follows/follow-streams.ts';
import { requestDeliveries, type WebhookTrigger } from '../webhooks/request-delivery.ts';
import type { WebhookStreams } from '../webhooks/webhook-streams.ts';
import type { CoreParts } from './application-core.ts';

type AnnounceDeps = Pick<CoreParts, 'log' | 'baseUrl'> & { readonly webhooks: WebhookStreams };

/** What is announced, and to which `webhook_url`. `subject` is as of the event: the same at every attempt. */
type Announcement = Omit<Extract<WebhookTrigger, { readonly subject: unknown }>, 'causeId'>;

/** Null: no delivery is requested. */
type Announce<Data> = (data: Data, deps: AnnounceDeps) => Promise<Announcement | null>;

type Announcements = {
  readonly [Type in EventType]?: Announce<Extract<ProductEvent, { readonly type: Type }>['data']>;
};

const pausedAnswer = answerOf(webhookEventKinds['follow.paused'].body.shape.data);
const transcribedAnswer = answerOf(webhookEventKinds['video.transcribed'].body.shape.data);
const failedAnswer = answerOf(webhookEventKinds['video.failed'].body.shape.data);
const changedAnswer = answerOf(webhookEventKinds['captions.changed'].body.shape.data);

/** The events that are announced, except the end of a run of a job, which is read again at delivery. */
const announcements: Announcements = {
  BudgetReached: async ({ accountId, keyId, authorizationId, capCredits, capPeriod, spent, share, at }) => {
    const who = keyId === undefined ? { grant_id: authorizationId ?? '' } : { key_id: keyId };
    return {
      ...{ accountId, happenedAt: at, ownUrl: null },
      kind: budgetKindFor(share),
      subject: { ...who, cap_credits: capCredits, cap_period: capPeriod, spent, share },
    };
  },
  FollowPaused: async (data, deps) => ({
    ...(await aboutFollow(data, deps)),
    kind: 'follow.paused',
    subject: pausedAnswer(data, { reason: data.why }),
  }),
  FollowVideoTranscribed: async (data, deps) => {
    const receipts_url = data.chargeId === null ? null : `${await deps.baseUrl()}/v1/receipts/${data.chargeId}`;
    const subject = transcribedAnswer(data, { receipts_url });
    return { ...(await aboutFollow(data, deps)), kind: 'video.transcribed', subject };
  },
  FollowVideoFailed: async (data, deps) => ({
    ...(await aboutFollow(data, deps)),
    kind: 'video.failed',
    subject: failedAnswer(data, { error_code: data.code }),
  }),
  FollowCaptionsChanged: async (data, deps) => ({
    ...(await aboutFollow(data, deps)),
    kind: 'captions.changed',
    subject: changedAnswer(data),
  }),
};

type OfFollow = { readonly followId: string; readonly accountId: string; readonly at: string };

const aboutFollow = async ({ followId, accountId, at }: OfFollow, { log }: AnnounceDeps) => {
  const { follow } = await readFollow({ log }, followId);
  return { accountId, happenedAt: at, ownUrl: follow?.options.webhookUrl ?? null };
};

/** Requests the deliveries that tell of an event of the log. */
export const announceEvent =
  (deps: AnnounceDeps): WorkCommands['announceEvent'] =>
  async ({ eventId }) => {
    const event = await deps.log.readById<ProductEvent>(eventId);
    if (event === null) throw new Error(`${eventId} is not in the log`);
    const announce = announcements[event.type] as Announce<ProductEvent['data']> | undefined;
    const announcement = (await announce?.(event.data, deps)) ?? null;
    if (announcement !== null) await requestDeliveries(deps.webhooks)({ ...announcement, causeId: eventId });
  };
