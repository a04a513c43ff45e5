"""What goes wrong, as exceptions."""

from __future__ import annotations

from typing import Any


class StenoError(Exception):
    """An error that the service answered. Each code has a class of its own; one that is not known here is a StenoError."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        message: str,
        request_id: str | None,
        details: dict[str, Any] | None,
        retry_after: float | None,
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" ({request_id})" if request_id else ""))
        self.status = status
        self.code = code
        self.message = message
        #: Names the request for whoever runs the service.
        self.request_id = request_id
        self.details = details
        #: Seconds, as `Retry-After` says; None: it does not.
        self.retry_after = retry_after


class StenoConnectionError(Exception):
    """No answer came: the connection failed or took longer than the timeout. `__cause__` is what was raised."""


class WebhookVerificationError(Exception):
    """A webhook that is not to be believed."""


class ReceiptVerificationError(Exception):
    """A receipt that is not to be believed, or content that it is not for."""
