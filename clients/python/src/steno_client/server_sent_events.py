"""The lines of a stream of server-sent events, as events."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ServerSentEvent:
    id: str
    event: str
    data: str


@dataclass
class EventReader:
    """Takes line by line; an event is there at the empty line that ends it."""

    _id: str = ""
    _event: str = ""
    _data: list[str] = field(default_factory=list)

    def feed(self, line: str) -> ServerSentEvent | None:
        line = line.rstrip("\r\n")
        if line != "":
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                self._id = value
            elif name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            return None
        event, data = self._event or "message", self._data
        self._event, self._data = "", []
        return ServerSentEvent(self._id, event, "\n".join(data)) if data else None
