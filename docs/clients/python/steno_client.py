"""A client of the Steno API. It reads the description of the service (/openapi.json) and has a method for each operation.

    steno = Steno("http://127.0.0.1:3000", key)
    transcript = steno.getTranscript(videoId="lighthouse1", lang="en")

Members of the path, the query and the body are keyword arguments by the names of the description. It needs Python 3.9
or newer; it uses httpx where that is installed, and the standard library elsewhere.
"""

import contextlib
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

try:
    import httpx
except ImportError:
    httpx = None

TRIES = 4


class StenoError(Exception):
    """An error that the service answered. `code` is for programs; docs/errors.md lists the codes."""

    def __init__(self, status, error):
        super().__init__(f"{error['code']}: {error['message']} ({error['request_id']})")
        self.status = status
        self.code = error["code"]
        self.details = error["details"]
        self.request_id = error["request_id"]


class Steno:
    def __init__(self, url, key, timeout=40):
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"}
        self._timeout = timeout
        document = self._read("GET", "/openapi.json", {}, None)
        self._operations = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._operations:
            raise AttributeError(f"the API has no operation {name}")
        return lambda **values: self._call(name, values)

    def events(self, job_id):
        """The events of a job until it is over, as (event, data). A lost connection is opened again where it ended."""
        last = ""
        while True:
            headers = {**self._headers, "Last-Event-ID": last}
            path = f"/v1/jobs/{urllib.parse.quote(job_id, safe='')}/events"
            with _open("GET", self._url + path, headers, None, self._timeout) as (status, answered, pieces):
                if status == 204:
                    return
                if status != 200:
                    if status in (429, 503):
                        time.sleep(int(answered.get("retry-after", "1")))
                        continue
                    raise _error(status, b"".join(pieces).decode())
                fields = {}
                for line in _lines(pieces):
                    name, _, value = line.partition(": ")
                    if name:
                        fields[name] = value
                    elif "data" in fields:
                        last = fields["id"]
                        yield fields["event"], json.loads(fields["data"])
                        fields = {}

    def _call(self, name, values):
        method, path, operation = self._operations[name]
        values, query, headers = dict(values), {}, {}
        for parameter in operation["parameters"]:
            called, place = parameter["name"], parameter["in"]
            if called == "Idempotency-Key":
                # A repeat after a lost answer is charged once.
                headers[called] = values.pop("idempotency_key", str(uuid.uuid4()))
            elif place == "path":
                path = path.replace(f"{{{called}}}", urllib.parse.quote(str(values.pop(called)), safe=""))
            elif called in values:
                (query if place == "query" else headers)[called] = _text(values.pop(called))
        if "requestBody" not in operation and values:
            raise TypeError(f"{name} takes no {', '.join(values)}")
        target = f"{path}?{urllib.parse.urlencode(query)}" if query else path
        return self._read(method, target, headers, values if "requestBody" in operation else None)

    def _read(self, method, target, headers, body):
        """Sends a request, again when the service says so; the JSON or the text of its answer."""
        sent = {**self._headers, **headers}
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        for tried in range(1, TRIES + 1):
            with _open(method, self._url + target, sent, data, self._timeout) as (status, answered, pieces):
                text = b"".join(pieces).decode()
            if status < 400:
                break
            if status not in (409, 429, 503) or tried == TRIES:
                raise _error(status, text)
            time.sleep(int(answered.get("retry-after", "1")))
        is_json = answered.get("content-type", "").startswith("application/json")
        return json.loads(text) if is_json else text or None


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lines(pieces):
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.decode() for line in lines)


def _error(status, text):
    return StenoError(status, json.loads(text)["error"])


@contextlib.contextmanager
def _open(method, url, headers, data, timeout):
    """The status, the headers by their names in small letters, and the bytes of an answer as they come."""
    if httpx is not None:
        with httpx.stream(method, url, headers=headers, content=data, timeout=timeout) as answer:
            yield answer.status_code, answer.headers, answer.iter_bytes()
        return
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        named = {name.lower(): value for name, value in answer.headers.items()}
        yield answer.status, named, answer
