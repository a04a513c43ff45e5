import type { Failure } from '../middleware/error-response.ts';

type Example = { readonly message: string; readonly details?: Readonly<Record<string, unknown>> };

/** What the body of each error looks like. A new code does not compile without one. */
export const errorExamples: Readonly<Record<Failure['code'], Example>> = {
  INVALID_REQUEST: {
    message: 'format is not valid: is not one of the possible values',
    details: {
      fields: [
        { path: 'format', code: 'invalid_value', message: 'is not one of the possible values' },
      ],
    },
  },
  INVALID_VIDEO_ID: {
    message: 'This is neither a video id of 11 characters nor the address of a video.',
    details: { reason: 'malformed', retryable: false },
  },
  CAPTCHA_FAILED: { message: 'The captcha was not solved. Please ask for a new one.' },
  INVALID_API_KEY: { message: 'The API key is missing or not valid.' },
  UNAUTHENTICATED: { message: 'Sign in required.' },
  INVALID_CREDENTIALS: { message: 'The mail address or the password is wrong.' },
  INSUFFICIENT_CREDITS: {
    message: 'This operation needs 5 credits; 3 are left.',
    details: { required: 5, remaining: 3 },
  },
  FORBIDDEN: {
    message: 'This key has no scope "jobs:write".',
    details: { required: 'jobs:write' },
  },
  ACCOUNT_SUSPENDED: { message: 'This account is suspended. Ask the operator.' },
  NOT_FOUND: { message: 'There is nothing at this address.' },
  VIDEO_NOT_FOUND: {
    message: 'There is no such video, or it was deleted.',
    details: { reason: 'not_found_or_deleted', retryable: false },
  },
  VIDEO_UNAVAILABLE: {
    message: 'The video is private.',
    details: { reason: 'private', retryable: false },
  },
  TRANSCRIPT_NOT_AVAILABLE: {
    message: 'The video has no captions.',
    details: { reason: 'no_captions', retryable: false },
  },
  LANGUAGE_NOT_AVAILABLE: {
    message: 'The video has no captions in this language.',
    details: { requested: 'fr', available: ['en', 'ja'] },
  },
  PLAYLIST_NOT_FOUND: {
    message: 'There is no such playlist, or it cannot be viewed.',
    details: { reason: 'playlist_not_found', retryable: false },
  },
  CHANNEL_NOT_FOUND: {
    message: 'There is no such channel.',
    details: { reason: 'channel_not_found', retryable: false },
  },
  JOB_NOT_FOUND: { message: 'This account has no job with this id.' },
  KEY_NOT_FOUND: { message: 'This account has no key with this id.' },
  WEBHOOK_NOT_FOUND: { message: 'This account has no webhook with this id.' },
  METHOD_NOT_ALLOWED: { message: 'This address takes GET and HEAD.' },
  IDEMPOTENCY_IN_PROGRESS: {
    message: 'The first request with this Idempotency-Key is still being answered.',
  },
  PAYLOAD_TOO_LARGE: {
    message: 'The body may have 65536 bytes at most.',
    details: { limit: 65_536 },
  },
  UNSUPPORTED_MEDIA_TYPE: { message: 'The body must be application/json.' },
  IDEMPOTENCY_KEY_REUSED: { message: 'This Idempotency-Key was used for another request.' },
  RATE_LIMITED: {
    message: 'More than 120 requests in this minute. The next minute begins in 12 s.',
    details: { policy: 'key', limit: 120, reset: 1_767_225_660 },
  },
  REGISTRATION_BLOCKED: {
    message: 'Registration is not possible at the moment. Please try again later.',
  },
  PLATFORM_BLOCKED: {
    message: 'The platform refuses requests of this service.',
    details: { reason: 'egress_refused', retryable: true },
  },
  PLATFORM_RATE_LIMITED: {
    message: 'The platform asks this service to slow down.',
    details: { reason: 'rate_limited', retryable: true },
  },
  INTERNAL_ERROR: {
    message: 'The service made a mistake; it has been recorded under this request id.',
  },
  PLATFORM_CHANGED: {
    message: 'The platform answered in a shape that is not known.',
    details: { reason: 'shape', retryable: true },
  },
  NOT_READY: { message: 'The service cannot take work right now.' },
  SERVICE_UNAVAILABLE: {
    message: 'A part of the service is not available right now. Please try again.',
  },
  PLATFORM_TIMEOUT: {
    message: 'The platform did not answer in time.',
    details: { reason: 'timeout', retryable: true },
  },
};
