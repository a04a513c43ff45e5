"""Receipts: what was charged, signed by the service with Ed25519 as a compact JWS."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from ..errors import ReceiptVerificationError
from ..generated.facts import RESULT_MEMBERS
from ..generated.models import KeySet


class Receipt(TypedDict):
    """What a receipt says. The balances include what is set aside for jobs; None: there is nothing to say."""

    account_id: str
    key_id: str | None
    grant_id: str | None
    operation: str
    video_id: str | None
    format: str | None
    options: dict[str, Any] | None
    content_sha256: str | None
    price_book: str
    credits: int
    balance_before: int
    balance_after: int
    event_id: str
    event_hash: str
    charged_at: str
    request_id: str | None
    cost_tag: str | None


def verify_receipt(jws: str, jwks: KeySet | Mapping[str, Any], content: Mapping[str, Any] | None = None) -> Receipt:
    """What a receipt of `get_receipts` says, if a key of `jwks` (`get_key_set`) signed it with Ed25519.

    With `content`, the answer of `get_transcript` in JSON without `clean` and `timestamps` or that of an AI operation:
    besides, that this is the content paid for. Raises ReceiptVerificationError: no receipt, another algorithm, an unknown
    key, changed, or other content. Needs `cryptography`: `pip install 'steno-client[receipts]'`.
    """
    parts = jws.split(".")
    if len(parts) != 3:
        raise ReceiptVerificationError("the receipt is not a compact JWS")
    header, receipt = (_object_of(part) for part in parts[:2])
    if header.get("alg") not in ("EdDSA", "Ed25519"):
        raise ReceiptVerificationError(f"the receipt is signed with {header.get('alg')}, not with Ed25519")
    _verify(_key_of(jwks, header.get("kid")), _decoded(parts[2]), f"{parts[0]}.{parts[1]}".encode())
    if receipt.get("credits") != _number_of(receipt, "balance_before") - _number_of(receipt, "balance_after"):
        raise ReceiptVerificationError("the balances of the receipt do not add up")
    if content is not None:
        _compare(receipt, content)
    return receipt  # type: ignore[return-value]


def _decoded(text: str) -> bytes:
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise ReceiptVerificationError("the receipt is not a compact JWS") from error
    # One text only stands for each value: unused bits are zero.
    if base64.urlsafe_b64encode(decoded).rstrip(b"=") != text.encode():
        raise ReceiptVerificationError("the receipt is not a compact JWS")
    return decoded


def _object_of(part: str) -> dict[str, Any]:
    try:
        value = json.loads(_decoded(part))
    except ValueError as error:
        raise ReceiptVerificationError("the receipt is not a compact JWS") from error
    if not isinstance(value, dict):
        raise ReceiptVerificationError("the receipt is not a compact JWS")
    return value


def _number_of(receipt: Mapping[str, Any], name: str) -> int:
    value = receipt.get(name)
    if not isinstance(value, int):
        raise ReceiptVerificationError(f"the receipt does not say its {name}")
    return value


def _key_of(jwks: Mapping[str, Any], kid: Any) -> bytes:
    for key in jwks.get("keys", ()):
        if key.get("kid") == kid and key.get("kty") == "OKP" and key.get("crv") == "Ed25519":
            return _decoded(key["x"])
    raise ReceiptVerificationError("the receipt names a key that is not among the keys")


def _verify(key: bytes, signature: bytes, signed: bytes) -> None:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ImportError("verify_receipt needs cryptography: pip install 'steno-client[receipts]'") from error
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except (InvalidSignature, ValueError) as error:
        raise ReceiptVerificationError("the receipt was changed, or signed by another key") from error


def _compare(receipt: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    wanted = receipt.get("content_sha256")
    if wanted is None:
        raise ReceiptVerificationError("the receipt does not say which content was paid for")
    found = hashlib.sha256(_canonical(_content_of(str(receipt.get("operation")), content)).encode()).hexdigest()
    if found != wanted:
        raise ReceiptVerificationError(f"this is not the content paid for: its hash is {found}, not {wanted}")


def _picked(value: Mapping[str, Any], members: Iterable[str]) -> dict[str, Any]:
    return {name: value[name] for name in members if name in value}


def _content_of(operation: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """What the hash covers: of captions who says what when, of an operation its result."""
    if operation in RESULT_MEMBERS:
        return _picked(answer, RESULT_MEMBERS[operation])
    content = _picked(answer, ("language", "source", "video_id", "segments"))
    if isinstance(content.get("segments"), list):
        content["segments"] = [_picked(segment, ("text", "start", "duration")) for segment in content["segments"]]
    return content


def _canonical(value: Any) -> str:
    """RFC 8785; NUL and half surrogate pairs are not hashed."""
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: str(name).encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{_canonical(value[name])}" for name in names) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_canonical(each) for each in value) + "]"
    if isinstance(value, str):
        return json.dumps(re.sub("[\ud800-\udfff]", "\ufffd", value.replace("\0", "")), ensure_ascii=False)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value)


def _number(value: int | float) -> str:
    """A number as ECMAScript writes it: the shortest digits, with an exponent below 1e-6 and from 1e21."""
    text = repr(float(value))
    if "inf" in text or "nan" in text:
        raise ReceiptVerificationError("the content has a number that JSON does not know")
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if digits == "":
        return "0"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if 0 < point <= 21:
        whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
        return f"{sign}{whole}{'.' if fraction else ''}{fraction}"
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"
