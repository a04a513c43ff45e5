"""The installed package `steno_client` against a demo: `npm run test:clients` checks its types and runs it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import unittest
from collections.abc import Callable
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from steno_client import (
    AsyncSteno,
    InvalidApiKeyError,
    InvalidRequestError,
    JobNotFoundError,
    RateLimitedError,
    ReceiptVerificationError,
    Retries,
    Steno,
    StenoConnectionError,
    StenoError,
    VideoUnavailableError,
    WebhookVerificationError,
    models,
    verify_receipt,
    verify_webhook,
)

URL, KEY = os.environ["STENO_URL"], os.environ["STENO_API_KEY"]
Attempt = Callable[[httpx.Request], httpx.Response]
QUICK = Retries(random=lambda: 0.0)


def refusal(status: int, code: str, details: Any = None, **headers: str) -> Attempt:
    error = {"code": code, "message": "No.", "request_id": "req_1", "details": details}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request: httpx.Response(status, json={"error": error}, headers=named)


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("lost", request=request)


class AnsweredFirst(httpx.HTTPTransport):
    """The first requests are answered by these; the demo answers the others."""

    def __init__(self, attempts: list[Attempt]) -> None:
        super().__init__()
        self.attempts, self.requests = attempts, list[httpx.Request]()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if len(self.requests) <= len(self.attempts):
            return self.attempts[len(self.requests) - 1](request)
        return super().handle_request(request)

    def client(self, retries: Retries = QUICK) -> Steno:
        return Steno(KEY, URL, retries=retries, http_client=httpx.Client(transport=self))


class Broken(httpx.SyncByteStream):
    """A body that breaks off."""

    def __init__(self, begun: bytes) -> None:
        self.begun = begun

    def __iter__(self) -> Any:
        yield self.begun
        raise httpx.ReadError("lost")


class PythonClient(unittest.TestCase):
    def setUp(self) -> None:
        self.steno = Steno(KEY, URL, retries=QUICK)
        self.addCleanup(self.steno.close)

    def start_job(self) -> str:
        job: models.JobStarted = self.steno.create_job(ids=["lighthouse1", "languages-6"])
        return job["job_id"]

    def test_reads_transcripts_typed_by_the_format(self) -> None:
        transcript: models.Transcript = self.steno.get_transcript("lighthouse1", lang="en")
        self.assertEqual(transcript["title"], "How a lighthouse speaks")
        subtitles: str = self.steno.get_transcript("lighthouse1", format="srt")
        self.assertRegex(subtitles, r"^1\r?\n00:00:")
        by_link = self.steno.get_transcript("https://www.youtube.com/watch?v=lighthouse1&t=3", clean=True)
        self.assertEqual(by_link["video_id"], "lighthouse1")

    def test_shows_the_headers_of_an_answer(self) -> None:
        charged: list[str] = []
        self.steno.get_transcript("lighthouse1", on_response=lambda said: charged.append(said.headers["X-Credits-Charged"]))
        self.assertEqual(charged, ["1"])

    def test_runs_operations_or_asks_for_their_price(self) -> None:
        said: models.Answer = self.steno.ask(video_id="lighthouse1", question="How much does the lens weigh?")
        self.assertIsInstance(said["answer"], str)
        price: models.InsightQuote = self.steno.ask(video_id="lighthouse1", question="Why?", dry_run=True)
        self.assertIs(price["dry_run"], True)
        plan: models.JobPlan = self.steno.create_job(ids=["lighthouse1"], dry_run=True)
        self.assertEqual(plan["credits_needed"], 1)

    def test_raises_each_code_as_a_class(self) -> None:
        with self.assertRaises(VideoUnavailableError) as raised:
            self.steno.get_transcript("private-001")
        error = raised.exception
        self.assertEqual((error.status, error.details and error.details["reason"]), (404, "private"))
        self.assertRegex(error.request_id or "", "^req_")
        self.assertRaises(JobNotFoundError, self.steno.get_job, "job_none")
        with self.assertRaises(InvalidRequestError):
            self.steno.ask(video_id="lighthouse1", question="")
        with Steno("wrong", URL) as stranger:
            self.assertRaises(InvalidApiKeyError, stranger.get_usage)
        other = AnsweredFirst([refusal(418, "NEW_CODE"), lambda request: httpx.Response(400, text="<html>")]).client()
        for code in ("NEW_CODE", "HTTP_400"):
            with self.assertRaises(StenoError) as unknown:
                other.get_usage()
            self.assertEqual(unknown.exception.code, code)

    def test_repeats_what_was_lost_under_one_idempotency_key_charged_once(self) -> None:
        def answer_lost(request: httpx.Request) -> httpx.Response:
            """The work is done, its answer is lost."""
            with httpx.HTTPTransport() as transport:
                transport.handle_request(request).read()
            raise httpx.ReadError("lost", request=request)

        transport = AnsweredFirst(
            [
                lost,
                refusal(503, "SERVICE_UNAVAILABLE", Retry_After="0"),
                refusal(409, "IDEMPOTENCY_IN_PROGRESS", Retry_After="0"),
                answer_lost,
            ]
        )
        before = self.steno.get_usage()["credits_remaining"]
        transport.client().get_transcripts(ids=["languages-6"])
        self.assertEqual(len(transport.requests), 5)
        keys = {request.headers["Idempotency-Key"] for request in transport.requests}
        self.assertEqual(len(keys), 1)
        self.assertEqual(self.steno.get_usage()["credits_remaining"], before - 1)

    def test_takes_an_idempotency_key_of_its_caller(self) -> None:
        transport = AnsweredFirst([])
        transport.client().create_job(ids=["lighthouse1"], idempotency_key="nightly-2")
        self.assertEqual(transport.requests[0].headers["Idempotency-Key"], "nightly-2")

    def test_waits_as_long_as_retry_after_says_and_not_for_ever(self) -> None:
        transport = AnsweredFirst([refusal(429, "RATE_LIMITED", Retry_After="1")])
        transport.client().get_usage()
        self.assertEqual(len(transport.requests), 2)
        self.assertEqual(QUICK.backoff(0, 7.0), 7.0)
        self.assertLessEqual(Retries(random=lambda: 1.0).backoff(20), 8.0)
        with self.assertRaises(RateLimitedError) as raised:
            AnsweredFirst([refusal(429, "RATE_LIMITED", Retry_After="3600")]).client().get_usage()
        self.assertEqual(raised.exception.retry_after, 3600)

    def test_repeats_nothing_that_cannot_change_or_might_be_done_twice(self) -> None:
        final = AnsweredFirst([refusal(504, "PLATFORM_TIMEOUT", {"retryable": False})])
        self.assertRaises(StenoError, final.client().get_transcript, "lighthouse1")
        self.assertEqual(len(final.requests), 1)
        unsafe = AnsweredFirst([lost])
        self.assertRaises(StenoConnectionError, unsafe.client().delete_webhook, "wh_1")
        self.assertEqual(len(unsafe.requests), 1)
        hopeless = AnsweredFirst([lost, lost, lost])
        self.assertRaises(StenoConnectionError, hopeless.client(Retries(max_retries=2, random=lambda: 0)).get_usage)
        self.assertEqual(len(hopeless.requests), 3)

    def test_follows_a_job_again_where_its_connection_was_lost(self) -> None:
        job_id = self.start_job()
        whole = list(self.steno.watch_job(job_id))
        self.assertEqual((whole[-1].event, whole[-1].data["status"]), ("job", "completed"))

        def broken(request: httpx.Request) -> httpx.Response:
            """The stream breaks within its second event."""
            with httpx.HTTPTransport() as transport:
                text = transport.handle_request(request).read()
            second = text.index(b"id: ", text.index(b"id: ") + 1)
            kind = {"Content-Type": "text/event-stream"}
            return httpx.Response(200, headers=kind, stream=Broken(text[: second + 40]))

        transport = AnsweredFirst([broken])
        self.assertEqual(list(transport.client().watch_job(job_id)), whole)
        self.assertEqual(transport.requests[1].headers["Last-Event-ID"], whole[0].id)
        self.assertEqual(list(self.steno.watch_job(job_id, last_event_id=whole[-2].id)), whole[-1:])

    def test_gives_the_results_of_a_job_as_they_come(self) -> None:
        job_id = self.start_job()
        results = list(self.steno.follow_job(job_id))
        self.assertEqual(sorted(one.result["reference"] for one in results), ["languages-6", "lighthouse1"])
        self.assertEqual(self.steno.wait_for_job(job_id)["status"], "completed")
        self.assertTrue(list(self.steno.follow_job(job_id, cursor=results[-1].cursor)))
        self.assertRaises(JobNotFoundError, list, self.steno.follow_job("job_none"))

    def test_ends_with_the_last_page_of_a_job_that_is_over_though_it_is_full(self) -> None:
        def page(following: str | None) -> Attempt:
            results = [{"reference": f"v{place}"} for place in range(100)]
            body = {"status": "completed", "results": results, "next_cursor": following}
            return lambda request: httpx.Response(200, json=body)

        transport = AnsweredFirst([page("c1"), page(None)])
        followed = list(transport.client().follow_job("job_1"))
        self.assertEqual((len(followed), followed[-1].cursor), (200, "c1"))
        self.assertEqual(len(transport.requests), 2)

    def test_iterates_over_pages(self) -> None:
        ids = [job["id"] for job in self.steno.iterate_jobs(limit=1)]
        self.assertEqual(len(set(ids)), len(self.steno.list_jobs(limit=50)["jobs"]))
        self.assertGreater(len(ids), 1)


class AsynchronousPythonClient(unittest.IsolatedAsyncioTestCase):
    async def test_does_the_same_without_blocking(self) -> None:
        async with AsyncSteno(KEY, URL) as steno:
            first, second = await asyncio.gather(
                steno.get_transcript("lighthouse1"), steno.get_transcript("languages-6", format="vtt")
            )
            self.assertEqual(first["title"], "How a lighthouse speaks")
            self.assertTrue(second.startswith("WEBVTT"))
            job = await steno.create_job(ids=["lighthouse1", "languages-6"])
            results = [one.result["reference"] async for one in steno.follow_job(job["job_id"])]
            self.assertEqual(sorted(results), ["languages-6", "lighthouse1"])
            self.assertEqual((await steno.wait_for_job(job["job_id"]))["status"], "completed")
            self.assertGreaterEqual(len([entry async for entry in steno.iterate_ledger(limit=2)]), 3)
            with self.assertRaises(VideoUnavailableError):
                await steno.get_transcript("private-001")


class Webhooks(unittest.TestCase):
    secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    body = b'{"id":"evt_1","type":"job.completed"}'
    now = 1767225600.0
    headers = {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": "1767225600",
        "Webhook-Signature": "v1,RZ3vNozCEHkz6UfUsJ2gswFqrZfZhrdodkO4WBJX7a4=",
    }

    def verify(self, **changed: Any) -> models.WebhookEvent:
        given: dict[str, Any] = {"secret": self.secret, "body": self.body, "headers": self.headers, "now": self.now}
        return verify_webhook(**{**given, **changed})

    def test_are_believed_where_they_are_signed(self) -> None:
        self.assertEqual(self.verify()["id"], "evt_1")
        both = {**self.headers, "Webhook-Signature": f"v1,AAAA {self.headers['Webhook-Signature']}"}
        self.assertEqual(self.verify(headers=both, now=self.now + 299)["type"], "job.completed")

    def test_are_refused_elsewhere(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"body": self.body.replace(b"evt_1", b"evt_2")},
            {"now": self.now + 301},
            {"now": self.now - 301},
            {"headers": {}},
            {"headers": {**self.headers, "Webhook-Id": "evt_2"}},
            {"headers": {**self.headers, "Webhook-Timestamp": "now"}},
            {"headers": {**self.headers, "Webhook-Signature": "v1,x v1,AAAA v2,\u00e4"}},
            {"secret": "whsec_b3RoZXI="},
            {"secret": ""},
        ]
        for changed in wrong:
            with self.subTest(changed), self.assertRaises(WebhookVerificationError):
                self.verify(**changed)


class Receipts(unittest.TestCase):
    def test_say_what_was_charged_and_for_which_content(self) -> None:
        with Steno(KEY, URL) as steno:
            charges: list[str] = []

            def kept(response: httpx.Response) -> None:
                charges.append(response.headers["X-Credits-Event"])

            transcript = steno.get_transcript("lighthouse1", on_response=kept)
            chapters = steno.chapters(video_id="lighthouse1", on_response=kept)
            jwks = steno.get_key_set()
            jws = [steno.get_receipts(charge)["receipts"][0] for charge in charges]
        contents: list[Any] = [transcript, chapters]
        for receipt, content, operation in zip(jws, contents, ["transcript", "chapters"]):
            said = verify_receipt(receipt, jwks, content)
            self.assertEqual((said["operation"], said["video_id"]), (operation, "lighthouse1"))
        other = {**contents[0], "segments": transcript["segments"][1:]}
        with self.assertRaisesRegex(ReceiptVerificationError, "not the content paid for"):
            verify_receipt(jws[0], jwks, other)

    key = Ed25519PrivateKey.generate()
    said: dict[str, Any] = {
        **{"operation": "summarize", "credits": 2, "balance_before": 5, "balance_after": 3},
        "content_sha256": "704207ddaea3e629c8a0953dec247a452670eb2c02e85fe55785fd899c510a4f",
    }

    def jwks(self, key: Ed25519PrivateKey) -> models.KeySet:
        x = encoded(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
        return {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x, "kid": "k1", "use": "sig"}]}

    def signed(self, said: Any = said, **header: str) -> str:
        parts = ({"alg": "EdDSA", "kid": "k1", **header}, said)
        begun = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        return f"{begun}.{encoded(self.key.sign(begun.encode()))}"

    def test_are_refused_where_they_are_not_signed_with_a_published_key(self) -> None:
        good, jwks = self.signed(), self.jwks(self.key)
        self.assertEqual(verify_receipt(good, jwks)["credits"], 2)
        head, payload, signature = good.split(".")
        changed = encoded(json.dumps({**self.said, "credits": 1, "balance_after": 4}).encode())
        wrong: list[tuple[str, models.KeySet, str]] = [
            (f"{head}.{changed}.{signature}", jwks, "was changed"),
            (f"{head}.{payload}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}", jwks, "was changed"),
            (good, self.jwks(Ed25519PrivateKey.generate()), "another key"),
            (self.signed(kid="k2"), jwks, "not among the keys"),
            (good, {"keys": []}, "not among the keys"),
            (self.signed(alg="none"), jwks, "signed with none"),
            (self.signed(alg="HS256"), jwks, "signed with HS256"),
            (f"{head}.{payload}.", jwks, "was changed"),
            (self.signed({**self.said, "credits": 1}), jwks, "do not add up"),
            (self.signed([]), jwks, "not a compact JWS"),
            *((text, jwks, "not a compact JWS") for text in ("", "a.b", "..", "\u00e4.b.c", f"{good}.x", f"{good}=")),
        ]
        for receipt, keys, why in wrong:
            with self.subTest(why), self.assertRaisesRegex(ReceiptVerificationError, why):
                verify_receipt(receipt, keys)

    def test_hash_content_in_the_canonical_form_of_the_service(self) -> None:
        content = json.loads(
            r"""{"summary": {"z": [1, 1.0, 1e21, 1e-7, 123456789.125, -0.0, 0.000001, true, null],
            "\u00e9": "\u2028\u0000\"\ud83d\ude00\ud800\n\u001f", "\ud83d\ude00": "", "\uffee": ""}, "video_id": "v"}"""
        )
        self.assertEqual(verify_receipt(self.signed(), self.jwks(self.key), content)["operation"], "summarize")
        without = self.signed({**self.said, "content_sha256": None})
        with self.assertRaisesRegex(ReceiptVerificationError, "does not say which content"):
            verify_receipt(without, self.jwks(self.key), content)


def encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


if __name__ == "__main__":
    unittest.main()
