import { ownValue } from '../../kernel/own-value.ts';
import { Refusal, type RefusalCode } from '../../kernel/refusal.ts';
import { NetworkError, ServerError } from './server-error.ts';
import type { Terminal } from './terminal.ts';

/** The exit codes, for scripts. */
export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  auth: 4,
  notFound: 5,
  credits: 6,
  limited: 7,
  partial: 8,
  network: 9,
  interrupted: 130,
} as const;

const codes: Readonly<Record<RefusalCode, number>> = {
  INVALID_REQUEST: exit.usage,
  INVALID_VIDEO_ID: exit.usage,
  INVALID_API_KEY: exit.auth,
  UNAUTHENTICATED: exit.auth,
  INVALID_CREDENTIALS: exit.auth,
  CAPTCHA_FAILED: exit.auth,
  FORBIDDEN: exit.auth,
  ACCOUNT_SUSPENDED: exit.auth,
  INSUFFICIENT_CREDITS: exit.credits,
  BUDGET_EXHAUSTED: exit.credits,
  NOT_FOUND: exit.notFound,
  VIDEO_NOT_FOUND: exit.notFound,
  VIDEO_UNAVAILABLE: exit.notFound,
  TRANSCRIPT_NOT_AVAILABLE: exit.notFound,
  LANGUAGE_NOT_AVAILABLE: exit.notFound,
  PLAYLIST_NOT_FOUND: exit.notFound,
  CHANNEL_NOT_FOUND: exit.notFound,
  JOB_NOT_FOUND: exit.notFound,
  KEY_NOT_FOUND: exit.notFound,
  FOLLOW_NOT_FOUND: exit.notFound,
  WEBHOOK_NOT_FOUND: exit.notFound,
  PROOF_PENDING: exit.notFound,
  METHOD_NOT_ALLOWED: exit.usage,
  CONFIRMATION_REQUIRED: exit.failed,
  LIBRARY_FULL: exit.failed,
  FOLLOW_EXISTS: exit.failed,
  IDEMPOTENCY_IN_PROGRESS: exit.failed,
  PAYLOAD_TOO_LARGE: exit.usage,
  UNSUPPORTED_MEDIA_TYPE: exit.usage,
  IDEMPOTENCY_KEY_REUSED: exit.usage,
  RATE_LIMITED: exit.limited,
  REGISTRATION_BLOCKED: exit.limited,
  PLATFORM_BLOCKED: exit.limited,
  PLATFORM_RATE_LIMITED: exit.limited,
  PLATFORM_TIMEOUT: exit.network,
  PLATFORM_CHANGED: exit.network,
  NOT_READY: exit.network,
  SERVICE_UNAVAILABLE: exit.network,
};

/** The exit code for an error; `isUnavailable` recognizes errors of an unavailable database. */
export const exitCodeOf = (error: unknown, { isUnavailable }: Pick<Terminal, 'isUnavailable'>): number => {
  if (error instanceof Refusal) return codes[error.code];
  if (error instanceof NetworkError) return exit.network;
  if (error instanceof ServerError) return exitCodeOfAnswer(error);
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if (isUnavailable(cause)) return exit.network;
    cause = cause.cause;
  }
  return exit.failed;
};

/** By the error code, or by the status if this version does not know the code. */
const exitCodeOfAnswer = ({ code, status }: ServerError): number => {
  const known: Readonly<Record<string, number>> = codes;
  return ownValue(known, code) ?? byStatus[status] ?? (status >= 500 ? exit.network : exit.usage);
};

const byStatus: Readonly<Record<number, number>> = {
  401: exit.auth,
  402: exit.credits,
  403: exit.auth,
  404: exit.notFound,
  409: exit.failed,
  429: exit.limited,
};
