"""Webhooks, as Standard Webhooks signs them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping

from ..errors import WebhookVerificationError
from ..generated.models import WebhookEvent


def verify_webhook(
    *,
    secret: str,
    body: bytes | str,
    headers: Mapping[str, str],
    tolerance: float = 300.0,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a delivery that was signed with this secret no longer ago than `tolerance` seconds.

    `secret` as it was shown, `whsec_` included; `body` as it arrived, before any parsing; `now` in Unix seconds. Raises
    WebhookVerificationError: not signed, signed with another secret, changed, too old, or no JSON. A delivery can come
    again: remember its `id`.
    """
    named = {name.lower(): value for name, value in headers.items()}
    identity, sent, signatures = (named.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if identity == "" or sent == "" or signatures == "":
        raise WebhookVerificationError("the delivery is not signed")
    if not re.fullmatch("[0-9]{1,15}", sent):
        raise WebhookVerificationError("the time of the delivery is not a number")
    if abs((time.time() if now is None else now) - int(sent)) > tolerance:
        raise WebhookVerificationError("the delivery is too old, or the clocks differ")
    raw = body.encode() if isinstance(body, str) else body
    wanted = _signature(secret, f"{identity}.{sent}.".encode() + raw)
    # All of them are compared, each in constant time.
    matches = [hmac.compare_digest(given.encode(), wanted) for given in signatures.split(" ")[:16]]
    if not any(matches):
        raise WebhookVerificationError("the signature is not that of this secret and body")
    try:
        event: WebhookEvent = json.loads(raw)
    except ValueError as error:
        raise WebhookVerificationError("the body is not JSON") from error
    return event


def _signature(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise WebhookVerificationError("the secret is not one of a webhook") from error
    if key == b"":
        raise WebhookVerificationError("the secret is not one of a webhook")
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
