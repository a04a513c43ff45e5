import type { WebhookKind } from '../contract/webhook-events.ts';
import type { FollowEvent } from './follow.ts';
import type { FollowedVideoEvent } from './followed-video.ts';

/** What receivers are told of an event of a follow. */
export type FollowNotice = {
  readonly kind: WebhookKind;
  readonly followId: string;
  readonly accountId: string;
  readonly at: string;
  /** The members of the payload. */
  readonly subject: Readonly<Record<string, string | number | null>>;
};

/** Null: nobody is told. `publicUrl` has no trailing slash. */
export const noticeOf = (event: FollowEvent | FollowedVideoEvent, publicUrl: string): FollowNotice | null => {
  const { followId, accountId, at } = event.data;
  const about = { followId, accountId, at };
  const follow_id = followId;
  switch (event.type) {
    case 'FollowPaused':
      return { ...about, kind: 'follow.paused', subject: { follow_id, reason: event.data.why } };
    case 'FollowVideoTranscribed': {
      const { videoId: video_id, jobId: job_id, language, creditsCharged, chargeId, contentHash } = event.data;
      const cost = { credits_charged: creditsCharged, charge_id: chargeId };
      const receipts_url = chargeId === null ? null : `${publicUrl}/v1/receipts/${chargeId}`;
      const subject = { follow_id, video_id, job_id, language, ...cost, receipts_url, content_hash: contentHash };
      return { ...about, kind: 'video.transcribed', subject };
    }
    case 'FollowVideoFailed': {
      const { videoId: video_id, code, jobId: job_id } = event.data;
      return { ...about, kind: 'video.failed', subject: { follow_id, video_id, error_code: code, job_id } };
    }
    case 'FollowCaptionsChanged': {
      const { videoId: video_id, contentHash, previousContentHash } = event.data;
      const hashes = { content_hash: contentHash, previous_content_hash: previousContentHash };
      return { ...about, kind: 'captions.changed', subject: { follow_id, video_id, ...hashes } };
    }
    default:
      return null;
  }
};
