"""A request of a generated method, and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from .errors import StenoError
from .generated.errors import ERROR_CLASSES
from .retries import retry_after

#: An argument that was not given. None is a value of its own: `null` in a body.
OMIT: Any = type("Omitted", (), {"__repr__": lambda self: "OMIT"})()

#: Called with each answer: its headers tell the price (`X-Credits-Charged`), the language and the limits.
OnResponse = Callable[[httpx.Response], None]

#: The parameter that reads on, the member that tells where, and the member of the items.
Paging = tuple[str, str, str]


@dataclass(frozen=True)
class Request:
    method: str
    template: str
    path: Mapping[str, str]
    query: Mapping[str, Any]
    headers: Mapping[str, Any]
    body: Mapping[str, Any] | None

    def target(self) -> str:
        """The path, each parameter percent-encoded: a link of a video may be one."""
        return self.template.format_map({name: quote(value, safe="") for name, value in self.path.items()})

    def sent_query(self) -> dict[str, str]:
        given = {name: value for name, value in self.query.items() if value is not OMIT and value is not None}
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}

    def sent_headers(self) -> dict[str, str]:
        """A flag is 1, or absent."""
        given = {name: value for name, value in self.headers.items() if value not in (OMIT, None, False)}
        return {name: "1" if value is True else str(value) for name, value in given.items()}

    def sent_body(self) -> dict[str, Any] | None:
        if self.body is None:
            return None
        return {name: value for name, value in self.body.items() if value is not OMIT}


def answer_of(response: httpx.Response) -> Any:
    """The body by its type: JSON, text, or bytes. Raises the error that it is."""
    if response.status_code >= 400:
        raise error_of(response)
    kind = response.headers.get("Content-Type", "")
    if response.status_code == 204:
        return None
    if kind.startswith("application/json") or "+json" in kind:
        return response.json()
    if kind.startswith("text/") or any(name in kind for name in ("subrip", "ndjson", "jose", "xml")):
        return response.content.decode()
    return response.content


def error_of(response: httpx.Response) -> StenoError:
    """The error of an answer, by its code; a body of another shape, such as that of a proxy, is told by its status."""
    try:
        error = response.json()["error"]
        code, message, details = str(error["code"]), str(error["message"]), error.get("details")
    except (ValueError, KeyError, TypeError):
        code, message, details = f"HTTP_{response.status_code}", "The answer is not one of the service.", None
    return ERROR_CLASSES.get(code, StenoError)(
        status=response.status_code,
        code=code,
        message=message,
        request_id=response.headers.get("X-Request-ID"),
        details=details,
        retry_after=retry_after(response.headers.get("Retry-After")),
    )
