"""How requests are repeated."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

FIRST_BACKOFF = 0.25
LONGEST_BACKOFF = 8.0
SERVER_FAULTS = (500, 502, 503, 504)


@dataclass(frozen=True)
class Retries:
    """Repeats after the first attempt; a `Retry-After` longer than `max_wait` seconds is an error at once."""

    max_retries: int = 4
    max_wait: float = 60.0
    #: A number from 0 to 1, for jitter.
    random: Callable[[], float] = random.random

    def backoff(self, attempt: int, asked: float | None = None) -> float:
        """Seconds before a repeat; what the service asks for counts, else a random share of a growing pause."""
        if asked is not None:
            return asked + self.random() * FIRST_BACKOFF
        return self.random() * min(LONGEST_BACKOFF, FIRST_BACKOFF * 2.0**attempt)

    def pause(self, attempt: int, request: httpx.Request, response: httpx.Response | None) -> float | None:
        """Seconds to wait before a repeat; None: no repeat. Without a response the connection was lost."""
        if attempt >= self.max_retries:
            return None
        if response is None:
            return self.backoff(attempt) if is_repeatable(request) else None
        asked = retry_after(response.headers.get("Retry-After"))
        if asked is not None and asked > self.max_wait:
            return None
        return self.backoff(attempt, asked) if may_repeat(request, response) else None


def is_repeatable(request: httpx.Request) -> bool:
    """Whether a request that is done twice counts once: reads, and what carries an `Idempotency-Key`."""
    return request.method in ("GET", "HEAD") or "Idempotency-Key" in request.headers


def may_repeat(request: httpx.Request, response: httpx.Response) -> bool:
    status = response.status_code
    if status != 429 and status != 409 and status not in SERVER_FAULTS:
        return False
    if status != 429 and not is_repeatable(request):
        return False
    try:
        error = response.json()["error"]
        code, details = error["code"], error.get("details") or {}
    except (ValueError, KeyError, TypeError):
        code, details = "", {}
    if status == 409 and code != "IDEMPOTENCY_IN_PROGRESS":
        return False
    return details.get("retryable") is not False


def retry_after(header: str | None) -> float | None:
    """Seconds that `Retry-After` tells, as a number or as a date; None: nothing that can be read."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
