import { z } from 'zod';
import type { RefusalCode } from '../kernel/refusal.ts';
import { described, named } from './schemas.ts';

/** The status of each refusal. A new code does not compile without one. */
export const statusOf: Readonly<Record<RefusalCode, number>> = {
  INVALID_REQUEST: 400,
  INVALID_VIDEO_ID: 400,
  CAPTCHA_FAILED: 400,
  INVALID_API_KEY: 401,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  INSUFFICIENT_CREDITS: 402,
  BUDGET_EXHAUSTED: 402,
  FORBIDDEN: 403,
  ACCOUNT_SUSPENDED: 403,
  NOT_FOUND: 404,
  VIDEO_NOT_FOUND: 404,
  VIDEO_UNAVAILABLE: 404,
  TRANSCRIPT_NOT_AVAILABLE: 404,
  LANGUAGE_NOT_AVAILABLE: 404,
  PLAYLIST_NOT_FOUND: 404,
  CHANNEL_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  FOLLOW_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  PROOF_PENDING: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFIRMATION_REQUIRED: 409,
  LIBRARY_FULL: 409,
  FOLLOW_EXISTS: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  REGISTRATION_BLOCKED: 429,
  PLATFORM_BLOCKED: 429,
  PLATFORM_RATE_LIMITED: 429,
  PLATFORM_CHANGED: 502,
  NOT_READY: 503,
  SERVICE_UNAVAILABLE: 503,
  PLATFORM_TIMEOUT: 504,
};

/** The refusals of the platform, whatever is read of it. */
export const refusalsOfPlatform = [
  'PLATFORM_BLOCKED',
  'PLATFORM_RATE_LIMITED',
  'PLATFORM_TIMEOUT',
  'PLATFORM_CHANGED',
] as const satisfies readonly RefusalCode[];

/** The Error shape of the specification. */
export const errorSchema = named('Error', {
  error: described('The error.', {
    code: z
      .string()
      .meta({ 'x-extensible-enum': [...Object.keys(statusOf), 'INTERNAL_ERROR'], examples: ['VIDEO_NOT_FOUND'] })
      .describe(
        'What went wrong, for programs. New codes may be added at any time: treat an unknown one by its status.',
      ),
    message: z.string().describe('The same in a sentence for people.'),
    request_id: z.string().describe('The request that it belongs to: `X-Request-ID` of its response.'),
    details: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('More about the refusal, such as `reason`, `fields` or `retry_after_s`; null: nothing more.'),
  }),
});
