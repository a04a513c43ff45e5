from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import replace
from types import TracebackType
from typing import Any, AsyncIterator

import httpx

from .errors import StenoConnectionError
from .generated.async_operations import AsyncOperations
from .generated.facts import IDEMPOTENT, VERSION
from .generated.models import Job
from .jobs import EVENT_KINDS, FIRST_POLL, LONGEST_POLL, RESULTS_OF_PAGE, RUNNING, SILENT_PAUSE, FollowedResult, JobEvent
from .request import OMIT, OnResponse, Paging, Request, answer_of, error_of
from .retries import Retries
from .server_sent_events import EventReader


class AsyncSteno(AsyncOperations):
    """A client of the Steno API: a method for each operation.

    Requests are repeated where that helps and costs nothing twice; errors that the service answers are raised, each code
    as a class of its own. `timeout` is that of one attempt, in seconds. `http_client` replaces the client of httpx; one
    that was given is not closed.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        retries: Retries = Retries(),
        timeout: float = 60.0,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        if api_key == "":
            raise ValueError("api_key is empty")
        self._base_url = base_url.rstrip("/")
        self._retries = retries
        self._timeout = timeout
        self._owns_client = http_client is None
        self._http = http_client if http_client is not None else httpx.AsyncClient()
        self._headers = {
            "Authorization": f"Bearer {api_key}",
            "User-Agent": f"steno-client-python/{VERSION}",
        }

    async def __aenter__(self) -> AsyncSteno:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._owns_client:
            await self._http.aclose()

    def _built(self, request: Request) -> httpx.Request:
        headers = {**self._headers, **request.sent_headers()}
        if f"{request.method} {request.template}" in IDEMPOTENT:
            # A repeat after a lost answer is charged once.
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        return self._http.build_request(
            request.method,
            self._base_url + request.target(),
            params=request.sent_query() or None,
            headers=headers,
            json=request.sent_body(),
            timeout=self._timeout,
        )

    async def _send(self, request: Request, on_response: OnResponse | None, *, stream: bool = False) -> httpx.Response:
        """The answer after repeats; a stream that began stays open."""
        sent = self._built(request)
        attempt = 0
        while True:
            response: httpx.Response | None = None
            lost: httpx.TransportError | None = None
            try:
                response = await self._http.send(sent, stream=stream)
                if stream and response.status_code != 200:
                    await response.aread()
            except httpx.TransportError as error:
                response, lost = None, error
            pause = self._retries.pause(attempt, sent, response) if response is None or response.is_error else None
            if pause is None:
                if response is None:
                    raise StenoConnectionError(f"no answer from {sent.url}: {lost!r}") from lost
                if on_response is not None:
                    on_response(response)
                return response
            await asyncio.sleep(pause)
            attempt += 1

    async def _call(self, request: Request, on_response: OnResponse | None) -> Any:
        return answer_of(await self._send(request, on_response))

    async def _pages(self, request: Request, paging: Paging, on_response: OnResponse | None) -> AsyncIterator[Any]:
        parameter, following, items = paging
        while True:
            page = await self._call(request, on_response)
            for item in page[items]:
                yield item
            if not page[items] or page[following] is None:
                return
            request = replace(request, query={**request.query, parameter: page[following]})

    async def watch_job(self, job_id: str, *, last_event_id: str = "") -> AsyncIterator[JobEvent]:
        """The events of a job from its beginning, or after `last_event_id`, until it is over.

        A connection that is lost is opened again behind the last event; StenoConnectionError after `max_retries` in a row.
        """
        last, failures = last_event_id, 0
        while True:
            headers = {"Last-Event-ID": last or OMIT}
            request = Request("GET", "/v1/jobs/{jobId}/events", {"jobId": job_id}, {}, headers, None)
            response = await self._send(request, None, stream=True)
            if response.status_code == 204:
                return
            if response.status_code != 200:
                raise error_of(response)
            reader, came = EventReader(), False
            lost: httpx.TransportError | None = None
            try:
                async for line in response.aiter_lines():
                    event = reader.feed(line)
                    if event is not None:
                        last, failures, came = event.id, 0, True
                        if event.event in EVENT_KINDS:
                            yield EVENT_KINDS[event.event](event.id, json.loads(event.data))
            except httpx.TransportError as error:
                lost = error
            finally:
                await response.aclose()
            if lost is not None:
                if failures >= self._retries.max_retries:
                    raise StenoConnectionError(f"the events of {job_id}: {lost!r}") from lost
                await asyncio.sleep(self._retries.backoff(failures))
                failures += 1
            elif not came:
                # A server or a proxy that ends streams at once is not asked at once again.
                await asyncio.sleep(SILENT_PAUSE)

    async def wait_for_job(self, job_id: str) -> Job:
        """The job as it is when it is over."""
        async for _ in self.watch_job(job_id):
            pass
        return await self.get_job(job_id)

    async def follow_job(self, job_id: str, *, cursor: str | None = None) -> AsyncIterator[FollowedResult]:
        """The results of a job as they come, until it is over.

        With the `cursor` of a result, it goes on where that was read: behind the page before it, so that up to a hundred
        results come again and none is missed.
        """
        pause = FIRST_POLL
        while True:
            page = await self.get_job_results(job_id, limit=RESULTS_OF_PAGE, cursor=OMIT if cursor is None else cursor)
            for result in page["results"]:
                yield FollowedResult(result, cursor)
            goes_on = len(page["results"]) >= RESULTS_OF_PAGE and page["next_cursor"] is not None
            if page["status"] not in RUNNING and not goes_on:
                return
            cursor = page["next_cursor"] or cursor
            if goes_on:
                continue
            pause = FIRST_POLL if page["results"] else min(LONGEST_POLL, pause * 2)
            await asyncio.sleep(pause)
