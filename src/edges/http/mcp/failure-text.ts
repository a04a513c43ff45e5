import { answerLost } from '../../../kernel/refusal.ts';
import type { Failure } from '../middleware/error-response.ts';

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

const withoutTranscript = (details: Failure['details']): string => {
  if (details?.['reason'] === 'kind_missing') return 'Call again without captions, which accepts any kind.';
  if (details?.['reason'] === 'recognition_unavailable') return 'Call again without asr.';
  return 'Retrying will not help; use another video.';
};

/** What to do about a failure, for a model that can act on it. */
const adviceOn = ({ code, details, retryAfterS }: Failure): string => {
  switch (code) {
    case 'INVALID_REQUEST':
      return 'Correct the arguments and call again.';
    case 'INVALID_VIDEO_ID':
      return 'Expected 11 characters like dQw4w9WgXcQ or a watch URL.';
    case 'LANGUAGE_NOT_AVAILABLE': {
      const available = asText(details?.['available']);
      const listed = available === '' ? '' : `Available: ${available}. `;
      return `${listed}Call again with one of these, or use translate with target_lang.`;
    }
    case 'ACCOUNT_SUSPENDED':
    case 'INSUFFICIENT_CREDITS':
      return 'Tell the user; retrying will not help.';
    case 'CONFIRMATION_REQUIRED':
      return `Ask the user; if they agree, call again with accept_price: ${details?.['accept_price']}.`;
    case 'BUDGET_EXHAUSTED':
      return details?.['renews'] === 'next_day'
        ? 'Tell the user; the budget of the day renews at 0:00 UTC, and the user can authorize again with another one.'
        : 'Tell the user, who can authorize this application again with another budget.';
    case 'UNAUTHENTICATED':
      return 'Tell the user, who can authorize this application again.';
    case 'VIDEO_NOT_FOUND':
    case 'JOB_NOT_FOUND':
    case 'FOLLOW_NOT_FOUND':
    case 'PLAYLIST_NOT_FOUND':
    case 'CHANNEL_NOT_FOUND':
    case 'NOT_FOUND':
      return 'Check the id with the user; retrying will not help.';
    case 'VIDEO_UNAVAILABLE':
      return 'Retrying will not help; use another video.';
    case 'TRANSCRIPT_NOT_AVAILABLE':
      return withoutTranscript(details);
    case 'FOLLOW_EXISTS':
      return 'list_follows shows it; retrying will not help.';
    case 'LIBRARY_FULL':
      return 'Call again without keep, or ask the user to remove videos from the library.';
    case 'FORBIDDEN':
      return 'Tell the user: the API key needs another scope.';
    case 'IDEMPOTENCY_KEY_REUSED':
      return 'Use a new idempotency key for a new call.';
    case 'INTERNAL_ERROR':
      return 'Calling again may help; if not, tell the user the request id.';
    case 'RATE_LIMITED':
    case 'PLATFORM_BLOCKED':
    case 'PLATFORM_RATE_LIMITED':
    case 'PLATFORM_TIMEOUT':
    case 'PLATFORM_CHANGED':
    case 'NOT_READY':
    case 'SERVICE_UNAVAILABLE':
    case 'PROOF_PENDING':
    case 'IDEMPOTENCY_IN_PROGRESS':
      return retryAfterS === null ? 'Call again later.' : `Call again in ${retryAfterS} s.`;
    // No tool meets these.
    case 'INVALID_API_KEY':
    case 'INVALID_CREDENTIALS':
    case 'CAPTCHA_FAILED':
    case 'REGISTRATION_BLOCKED':
    case 'KEY_NOT_FOUND':
    case 'WEBHOOK_NOT_FOUND':
    case 'METHOD_NOT_ALLOWED':
    case 'PAYLOAD_TOO_LARGE':
    case 'UNSUPPORTED_MEDIA_TYPE':
      return 'Retrying will not help.';
  }
};

/**
 * Whether it is certain that a failed call was not charged. A fault or an outage may come after the charge; a call that is
 * in progress under the same idempotency key may be charged yet.
 */
export const isUncharged = ({ code, details, isFault, isOutage }: Failure): boolean =>
  !isFault && !isOutage && code !== 'IDEMPOTENCY_IN_PROGRESS' && details?.['reason'] !== answerLost.reason;

/** A failure in one line: code, what happened, what to do next, and that nothing was charged, where that is certain. */
export const failureText = (failure: Failure, requestId: string): string => {
  const { code, message, isFault } = failure;
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  const id = isFault ? ` request_id ${requestId}.` : '';
  return `${code}: ${sentence}${id} ${adviceOn(failure)}${isUncharged(failure) ? ' Nothing was charged.' : ''}`;
};
