import { answerOf } from '../contract/answer-of.ts';
import { type WebhookKind, webhookEventKinds } from '../contract/webhook-events.ts';
import type { FollowEvent } from './follow.ts';
import type { FollowedVideoEvent } from './followed-video.ts';

/** What receivers are told of an event of a follow. */
export type FollowNotice = {
  readonly kind: WebhookKind;
  readonly followId: string;
  readonly accountId: string;
  readonly happenedAt: string;
  /** The members of the payload. */
  readonly subject: Readonly<Record<string, string | number | null>>;
};

const pausedAnswer = answerOf(webhookEventKinds['follow.paused'].body.shape.data);
const transcribedAnswer = answerOf(webhookEventKinds['video.transcribed'].body.shape.data);
const failedAnswer = answerOf(webhookEventKinds['video.failed'].body.shape.data);
const changedAnswer = answerOf(webhookEventKinds['captions.changed'].body.shape.data);

/** Null: nobody is told. `publicUrl` has no trailing slash. */
export const noticeOf = ({ type, data }: FollowEvent | FollowedVideoEvent, publicUrl: string): FollowNotice | null => {
  const { followId, accountId, at: happenedAt } = data;
  const about = { followId, accountId, happenedAt };
  switch (type) {
    case 'FollowPaused':
      return { ...about, kind: 'follow.paused', subject: pausedAnswer(data, { reason: data.why }) };
    case 'FollowVideoTranscribed': {
      const receipts_url = data.chargeId === null ? null : `${publicUrl}/v1/receipts/${data.chargeId}`;
      return { ...about, kind: 'video.transcribed', subject: transcribedAnswer(data, { receipts_url }) };
    }
    case 'FollowVideoFailed':
      return { ...about, kind: 'video.failed', subject: failedAnswer(data, { error_code: data.code }) };
    case 'FollowCaptionsChanged':
      return { ...about, kind: 'captions.changed', subject: changedAnswer(data) };
    default:
      return null;
  }
};
