// Made from docs/openapi.json by `npm run clients`.

import { StenoError } from '../errors.js';

export class InvalidRequestError extends StenoError {}
export class InvalidVideoIdError extends StenoError {}
export class CaptchaFailedError extends StenoError {}
export class InvalidApiKeyError extends StenoError {}
export class UnauthenticatedError extends StenoError {}
export class InvalidCredentialsError extends StenoError {}
export class InsufficientCreditsError extends StenoError {}
export class BudgetExhaustedError extends StenoError {}
export class ForbiddenError extends StenoError {}
export class AccountSuspendedError extends StenoError {}
export class NotFoundError extends StenoError {}
export class VideoNotFoundError extends StenoError {}
export class VideoUnavailableError extends StenoError {}
export class TranscriptNotAvailableError extends StenoError {}
export class LanguageNotAvailableError extends StenoError {}
export class PlaylistNotFoundError extends StenoError {}
export class ChannelNotFoundError extends StenoError {}
export class JobNotFoundError extends StenoError {}
export class KeyNotFoundError extends StenoError {}
export class FollowNotFoundError extends StenoError {}
export class WebhookNotFoundError extends StenoError {}
export class ProofPendingError extends StenoError {}
export class MethodNotAllowedError extends StenoError {}
export class ConfirmationRequiredError extends StenoError {}
export class LibraryFullError extends StenoError {}
export class FollowExistsError extends StenoError {}
export class IdempotencyInProgressError extends StenoError {}
export class PayloadTooLargeError extends StenoError {}
export class UnsupportedMediaTypeError extends StenoError {}
export class IdempotencyKeyReusedError extends StenoError {}
export class RateLimitedError extends StenoError {}
export class RegistrationBlockedError extends StenoError {}
export class PlatformBlockedError extends StenoError {}
export class PlatformRateLimitedError extends StenoError {}
export class PlatformChangedError extends StenoError {}
export class NotReadyError extends StenoError {}
export class ServiceUnavailableError extends StenoError {}
export class PlatformTimeoutError extends StenoError {}
export class InternalError extends StenoError {}

/** The class of each error code. A code that is not here is a `StenoError`. */
export const errorClasses: Readonly<Record<string, typeof StenoError>> = {
  INVALID_REQUEST: InvalidRequestError,
  INVALID_VIDEO_ID: InvalidVideoIdError,
  CAPTCHA_FAILED: CaptchaFailedError,
  INVALID_API_KEY: InvalidApiKeyError,
  UNAUTHENTICATED: UnauthenticatedError,
  INVALID_CREDENTIALS: InvalidCredentialsError,
  INSUFFICIENT_CREDITS: InsufficientCreditsError,
  BUDGET_EXHAUSTED: BudgetExhaustedError,
  FORBIDDEN: ForbiddenError,
  ACCOUNT_SUSPENDED: AccountSuspendedError,
  NOT_FOUND: NotFoundError,
  VIDEO_NOT_FOUND: VideoNotFoundError,
  VIDEO_UNAVAILABLE: VideoUnavailableError,
  TRANSCRIPT_NOT_AVAILABLE: TranscriptNotAvailableError,
  LANGUAGE_NOT_AVAILABLE: LanguageNotAvailableError,
  PLAYLIST_NOT_FOUND: PlaylistNotFoundError,
  CHANNEL_NOT_FOUND: ChannelNotFoundError,
  JOB_NOT_FOUND: JobNotFoundError,
  KEY_NOT_FOUND: KeyNotFoundError,
  FOLLOW_NOT_FOUND: FollowNotFoundError,
  WEBHOOK_NOT_FOUND: WebhookNotFoundError,
  PROOF_PENDING: ProofPendingError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  CONFIRMATION_REQUIRED: ConfirmationRequiredError,
  LIBRARY_FULL: LibraryFullError,
  FOLLOW_EXISTS: FollowExistsError,
  IDEMPOTENCY_IN_PROGRESS: IdempotencyInProgressError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReusedError,
  RATE_LIMITED: RateLimitedError,
  REGISTRATION_BLOCKED: RegistrationBlockedError,
  PLATFORM_BLOCKED: PlatformBlockedError,
  PLATFORM_RATE_LIMITED: PlatformRateLimitedError,
  PLATFORM_CHANGED: PlatformChangedError,
  NOT_READY: NotReadyError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
  PLATFORM_TIMEOUT: PlatformTimeoutError,
  INTERNAL_ERROR: InternalError,
};
