/** Every way the product says no. The edges map each code to their protocol; a new code does not compile without one. */
export const refusalCodes = [
  'INVALID_REQUEST',
  'INVALID_VIDEO_ID',
  'INVALID_API_KEY',
  'UNAUTHENTICATED',
  'INVALID_CREDENTIALS',
  'CAPTCHA_FAILED',
  'FORBIDDEN',
  'ACCOUNT_SUSPENDED',
  'INSUFFICIENT_CREDITS',
  'BUDGET_EXHAUSTED',
  'NOT_FOUND',
  'VIDEO_NOT_FOUND',
  'VIDEO_UNAVAILABLE',
  'TRANSCRIPT_NOT_AVAILABLE',
  'LANGUAGE_NOT_AVAILABLE',
  'PLAYLIST_NOT_FOUND',
  'CHANNEL_NOT_FOUND',
  'JOB_NOT_FOUND',
  'KEY_NOT_FOUND',
  'FOLLOW_NOT_FOUND',
  'WEBHOOK_NOT_FOUND',
  'PROOF_PENDING',
  'METHOD_NOT_ALLOWED',
  'CONFIRMATION_REQUIRED',
  'LIBRARY_FULL',
  'FOLLOW_EXISTS',
  'IDEMPOTENCY_IN_PROGRESS',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_REUSED',
  'RATE_LIMITED',
  'REGISTRATION_BLOCKED',
  'PLATFORM_BLOCKED',
  'PLATFORM_RATE_LIMITED',
  'PLATFORM_TIMEOUT',
  'PLATFORM_CHANGED',
  'NOT_READY',
  'SERVICE_UNAVAILABLE',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

export type RefusalDetails = Readonly<Record<string, unknown>>;

/**
 * The product says no: expected, safe to show to the caller, never a fault.
 * `retryAfterS` (seconds) is set where waiting helps; edges turn it into `Retry-After`. It has no stack: nobody asks
 * where an answer was decided, and to note it costs some 2 µs, which a flood of bad requests would make us pay.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: RefusalDetails | null;
  readonly retryAfterS: number | null;

  constructor(
    code: RefusalCode,
    message: string,
    details: RefusalDetails | null = null,
    retryAfterS: number | null = null,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
    this.retryAfterS = retryAfterS;
  }
}

/** Details of a refusal after which the work is done, and may be charged: with its repeat it is charged once. */
export const answerLost = { reason: 'answer_lost' } as const;

/**
 * One thing about a request that is wrong: a member of its body, a parameter or a header by its name (`body`: all of it), or
 * what the request is about (`job_id`). `message` says what it takes, never what it held.
 */
export type WrongField = { readonly path: string; readonly code: string; readonly message: string };

/** The refusal of a request in which one thing is wrong; `details.fields` names it, as in every INVALID_REQUEST. */
export const invalidRequest = (
  message: string,
  field: { readonly path: string; readonly code: string; readonly message?: string },
  more: RefusalDetails = {},
): Refusal => {
  const { path, code } = field;
  const fields: readonly WrongField[] = [{ path, code, message: field.message ?? message }];
  return new Refusal('INVALID_REQUEST', message, { ...more, fields });
};
