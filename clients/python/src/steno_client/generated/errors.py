# Made from docs/openapi.json by `npm run clients`.
from __future__ import annotations

from ..errors import StenoError


class InvalidRequestError(StenoError):
    pass


class InvalidVideoIdError(StenoError):
    pass


class CaptchaFailedError(StenoError):
    pass


class InvalidApiKeyError(StenoError):
    pass


class UnauthenticatedError(StenoError):
    pass


class InvalidCredentialsError(StenoError):
    pass


class InsufficientCreditsError(StenoError):
    pass


class BudgetExhaustedError(StenoError):
    pass


class ForbiddenError(StenoError):
    pass


class AccountSuspendedError(StenoError):
    pass


class NotFoundError(StenoError):
    pass


class VideoNotFoundError(StenoError):
    pass


class VideoUnavailableError(StenoError):
    pass


class TranscriptNotAvailableError(StenoError):
    pass


class LanguageNotAvailableError(StenoError):
    pass


class PlaylistNotFoundError(StenoError):
    pass


class ChannelNotFoundError(StenoError):
    pass


class JobNotFoundError(StenoError):
    pass


class KeyNotFoundError(StenoError):
    pass


class FollowNotFoundError(StenoError):
    pass


class WebhookNotFoundError(StenoError):
    pass


class ProofPendingError(StenoError):
    pass


class MethodNotAllowedError(StenoError):
    pass


class ConfirmationRequiredError(StenoError):
    pass


class LibraryFullError(StenoError):
    pass


class FollowExistsError(StenoError):
    pass


class IdempotencyInProgressError(StenoError):
    pass


class PayloadTooLargeError(StenoError):
    pass


class UnsupportedMediaTypeError(StenoError):
    pass


class IdempotencyKeyReusedError(StenoError):
    pass


class RateLimitedError(StenoError):
    pass


class RegistrationBlockedError(StenoError):
    pass


class PlatformBlockedError(StenoError):
    pass


class PlatformRateLimitedError(StenoError):
    pass


class PlatformChangedError(StenoError):
    pass


class NotReadyError(StenoError):
    pass


class ServiceUnavailableError(StenoError):
    pass


class PlatformTimeoutError(StenoError):
    pass


class InternalError(StenoError):
    pass


#: The class of each error code. A code that is not here is a `StenoError`.
ERROR_CLASSES: dict[str, type[StenoError]] = {
    "INVALID_REQUEST": InvalidRequestError,
    "INVALID_VIDEO_ID": InvalidVideoIdError,
    "CAPTCHA_FAILED": CaptchaFailedError,
    "INVALID_API_KEY": InvalidApiKeyError,
    "UNAUTHENTICATED": UnauthenticatedError,
    "INVALID_CREDENTIALS": InvalidCredentialsError,
    "INSUFFICIENT_CREDITS": InsufficientCreditsError,
    "BUDGET_EXHAUSTED": BudgetExhaustedError,
    "FORBIDDEN": ForbiddenError,
    "ACCOUNT_SUSPENDED": AccountSuspendedError,
    "NOT_FOUND": NotFoundError,
    "VIDEO_NOT_FOUND": VideoNotFoundError,
    "VIDEO_UNAVAILABLE": VideoUnavailableError,
    "TRANSCRIPT_NOT_AVAILABLE": TranscriptNotAvailableError,
    "LANGUAGE_NOT_AVAILABLE": LanguageNotAvailableError,
    "PLAYLIST_NOT_FOUND": PlaylistNotFoundError,
    "CHANNEL_NOT_FOUND": ChannelNotFoundError,
    "JOB_NOT_FOUND": JobNotFoundError,
    "KEY_NOT_FOUND": KeyNotFoundError,
    "FOLLOW_NOT_FOUND": FollowNotFoundError,
    "WEBHOOK_NOT_FOUND": WebhookNotFoundError,
    "PROOF_PENDING": ProofPendingError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "CONFIRMATION_REQUIRED": ConfirmationRequiredError,
    "LIBRARY_FULL": LibraryFullError,
    "FOLLOW_EXISTS": FollowExistsError,
    "IDEMPOTENCY_IN_PROGRESS": IdempotencyInProgressError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "UNSUPPORTED_MEDIA_TYPE": UnsupportedMediaTypeError,
    "IDEMPOTENCY_KEY_REUSED": IdempotencyKeyReusedError,
    "RATE_LIMITED": RateLimitedError,
    "REGISTRATION_BLOCKED": RegistrationBlockedError,
    "PLATFORM_BLOCKED": PlatformBlockedError,
    "PLATFORM_RATE_LIMITED": PlatformRateLimitedError,
    "PLATFORM_CHANGED": PlatformChangedError,
    "NOT_READY": NotReadyError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
    "PLATFORM_TIMEOUT": PlatformTimeoutError,
    "INTERNAL_ERROR": InternalError,
}

__all__ = [
    "ERROR_CLASSES",
    "InvalidRequestError",
    "InvalidVideoIdError",
    "CaptchaFailedError",
    "InvalidApiKeyError",
    "UnauthenticatedError",
    "InvalidCredentialsError",
    "InsufficientCreditsError",
    "BudgetExhaustedError",
    "ForbiddenError",
    "AccountSuspendedError",
    "NotFoundError",
    "VideoNotFoundError",
    "VideoUnavailableError",
    "TranscriptNotAvailableError",
    "LanguageNotAvailableError",
    "PlaylistNotFoundError",
    "ChannelNotFoundError",
    "JobNotFoundError",
    "KeyNotFoundError",
    "FollowNotFoundError",
    "WebhookNotFoundError",
    "ProofPendingError",
    "MethodNotAllowedError",
    "ConfirmationRequiredError",
    "LibraryFullError",
    "FollowExistsError",
    "IdempotencyInProgressError",
    "PayloadTooLargeError",
    "UnsupportedMediaTypeError",
    "IdempotencyKeyReusedError",
    "RateLimitedError",
    "RegistrationBlockedError",
    "PlatformBlockedError",
    "PlatformRateLimitedError",
    "PlatformChangedError",
    "NotReadyError",
    "ServiceUnavailableError",
    "PlatformTimeoutError",
    "InternalError",
]
