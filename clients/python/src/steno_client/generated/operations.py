# Made from docs/openapi.json by `npm run clients`.
from __future__ import annotations

from typing import Any, Iterator, Literal, overload

from .. import request as _request
from ..request import OMIT, OnResponse, Request
from . import models


class Operations:
    """A method for each operation of the API."""

    def _call(self, request: Request, on_response: OnResponse | None) -> Any:
        raise NotImplementedError

    def _pages(self, request: Request, paging: _request.Paging, on_response: OnResponse | None) -> Iterator[Any]:
        raise NotImplementedError

    @overload
    def get_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        format: Literal["txt", "srt", "vtt", "markdown", "json", "md"] = OMIT,
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        body: bool = OMIT,
        translate: Literal["platform"] = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        keep: bool = OMIT,
        include: Literal["video"] = OMIT,
        count_tokens: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def get_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        format: Literal["txt", "srt", "vtt", "markdown", "md"],
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        body: bool = OMIT,
        translate: Literal["platform"] = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        keep: bool = OMIT,
        include: Literal["video"] = OMIT,
        count_tokens: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> str: ...

    @overload
    def get_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        format: Literal["json"] = OMIT,
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        body: bool = OMIT,
        translate: Literal["platform"] = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        keep: bool = OMIT,
        include: Literal["video"] = OMIT,
        count_tokens: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Transcript: ...

    def get_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        format: Literal["txt", "srt", "vtt", "markdown", "json", "md"] = OMIT,
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        body: bool = OMIT,
        translate: Literal["platform"] = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        keep: bool = OMIT,
        include: Literal["video"] = OMIT,
        count_tokens: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | str | models.Transcript:
        """Get the transcript of a video

        Costs 1 credit in any format, 10 if speech was recognized. A failed request costs nothing.
        """
        answer: models.PriceQuote | str | models.Transcript = self._call(
            Request(
                "GET",
                "/v1/transcripts/{videoId}",
                path={"videoId": video_id},
                query={"lang": lang, "captions": captions, "words": words, "format": format, "timestamps": timestamps, "clean": clean, "body": body, "translate": translate, "asr": asr, "keep": keep, "include": include, "count_tokens": count_tokens},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def get_raw_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        keep: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def get_raw_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        keep: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.RawTranscript: ...

    def get_raw_transcript(
        self,
        video_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        words: bool = OMIT,
        keep: bool = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.RawTranscript:
        """Get the captions as the platform sent them

        Costs 1 credit, as a transcript. The text is not cleaned, and every caption track of the video is listed.
        """
        answer: models.PriceQuote | models.RawTranscript = self._call(
            Request(
                "GET",
                "/v1/transcripts/{videoId}/raw",
                path={"videoId": video_id},
                query={"lang": lang, "captions": captions, "words": words, "keep": keep},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_languages(
        self,
        video_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Languages:
        """List the languages a video has captions in

        Free of charge. A video without captions returns an empty list, not an error. Each track says whether it is manual or automatic.
        """
        answer: models.Languages = self._call(
            Request(
                "GET",
                "/v1/transcripts/{videoId}/languages",
                path={"videoId": video_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def get_transcripts(
        self,
        *,
        ids: list[str],
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        format: Literal["txt", "srt", "vtt", "markdown", "json", "md"] = OMIT,
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def get_transcripts(
        self,
        *,
        ids: list[str],
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        format: Literal["txt", "srt", "vtt", "markdown", "json", "md"] = OMIT,
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Batch: ...

    def get_transcripts(
        self,
        *,
        ids: list[str],
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        format: Literal["txt", "srt", "vtt", "markdown", "json", "md"] = OMIT,
        timestamps: bool = OMIT,
        clean: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.Batch:
        """Get the transcripts of up to 50 videos at once

        Each successful video costs 1 credit, 10 if speech was recognized; a failed one does not fail the others.
        """
        answer: models.PriceQuote | models.Batch = self._call(
            Request(
                "POST",
                "/v1/transcripts",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"ids": ids, "lang": lang, "captions": captions, "keep": keep, "format": format, "timestamps": timestamps, "clean": clean, "words": words, "asr": asr, "include": include, "count_tokens": count_tokens, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def get_chunks(
        self,
        video_id: str,
        *,
        max_tokens: int = OMIT,
        overlap: int = OMIT,
        by: Literal["sentences", "chapters"] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["json", "ndjson"] = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def get_chunks(
        self,
        video_id: str,
        *,
        max_tokens: int = OMIT,
        overlap: int = OMIT,
        by: Literal["sentences", "chapters"] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["ndjson"],
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> str: ...

    @overload
    def get_chunks(
        self,
        video_id: str,
        *,
        max_tokens: int = OMIT,
        overlap: int = OMIT,
        by: Literal["sentences", "chapters"] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["json"] = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Chunks: ...

    def get_chunks(
        self,
        video_id: str,
        *,
        max_tokens: int = OMIT,
        overlap: int = OMIT,
        by: Literal["sentences", "chapters"] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["json", "ndjson"] = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | str | models.Chunks:
        """Get a transcript in pieces for retrieval

        Whole sentences with their time, a link to that time and their token count (`o200k_base`). Costs 1 credit like a transcript, 10 if speech was recognized.
        """
        answer: models.PriceQuote | str | models.Chunks = self._call(
            Request(
                "GET",
                "/v1/transcripts/{videoId}/chunks",
                path={"videoId": video_id},
                query={"max_tokens": max_tokens, "overlap": overlap, "by": by, "lang": lang, "captions": captions, "keep": keep, "asr": asr, "format": format},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_video(
        self,
        video_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Video:
        """Get the details of a video

        Free of charge. Title, channel, duration, description, the chapters that its author wrote, and its caption tracks. Also works for videos that are live, upcoming or without captions. Details read in the last hours are not requested again.
        """
        answer: models.Video = self._call(
            Request(
                "GET",
                "/v1/videos/{videoId}",
                path={"videoId": video_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_ai_status(
        self,
        *,
        on_response: OnResponse | None = None,
    ) -> models.AiStatus:
        """Whether a model is available

        Free of charge. Without a model, operations return extracts, for 1 credit each.
        """
        answer: models.AiStatus = self._call(
            Request(
                "GET",
                "/v1/ai/status",
                path={},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def summarize(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        length: Literal["short", "medium", "detailed"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def summarize(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        length: Literal["short", "medium", "detailed"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Summary: ...

    def summarize(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        length: Literal["short", "medium", "detailed"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Summary:
        """Summarize a video

        Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Summary = self._call(
            Request(
                "POST",
                "/v1/summarize",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "length": length, "output_lang": output_lang, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def chapters(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def chapters(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Chapters: ...

    def chapters(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Chapters:
        """Divide a video into chapters

        If the author of the video wrote chapters, these are returned, free of charge and in the author's language, whatever the `output_lang`. Otherwise every chapter begins with a caption, the first with the first. Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Chapters = self._call(
            Request(
                "POST",
                "/v1/chapters",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "output_lang": output_lang, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def ask(
        self,
        *,
        question: str,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def ask(
        self,
        *,
        question: str,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Answer: ...

    def ask(
        self,
        *,
        question: str,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Answer:
        """Ask a question about a video

        The answer is based on passages of the captions, each verified. If the video does not have the answer, the response has `grounded: false`. Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Answer = self._call(
            Request(
                "POST",
                "/v1/ask",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "question": question, "output_lang": output_lang, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def search(
        self,
        *,
        query: str,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        limit: int = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def search(
        self,
        *,
        query: str,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        limit: int = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.SearchResults: ...

    def search(
        self,
        *,
        query: str,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        limit: int = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.SearchResults:
        """Find passages of a video

        By words, phrases, stems and corrected typos; with an embedding model also by meaning. Costs 1 credit. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.SearchResults = self._call(
            Request(
                "POST",
                "/v1/search",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "query": query, "limit": limit, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def quotes(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def quotes(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Quotes: ...

    def quotes(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Quotes:
        """Quote a video

        Costs 2 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Quotes = self._call(
            Request(
                "POST",
                "/v1/quotes",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def clips(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def clips(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Clips: ...

    def clips(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Clips:
        """Find self-contained passages

        Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Clips = self._call(
            Request(
                "POST",
                "/v1/clips",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def repurpose(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def repurpose(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Repurposed: ...

    def repurpose(
        self,
        *,
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        format: Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"] = OMIT,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Repurposed:
        """Rewrite a video as another kind of text

        Costs 5 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Repurposed = self._call(
            Request(
                "POST",
                "/v1/repurpose",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "format": format, "output_lang": output_lang, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def translate(
        self,
        *,
        target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"],
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        mode: Literal["original", "translated", "bilingual"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote: ...

    @overload
    def translate(
        self,
        *,
        target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"],
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        mode: Literal["original", "translated", "bilingual"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Translation: ...

    def translate(
        self,
        *,
        target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"],
        video_id: str | None = OMIT,
        videoId: str | None = OMIT,
        url: str | None = OMIT,
        lang: str | None = OMIT,
        language: str | None = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        mode: Literal["original", "translated", "bilingual"] = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.InsightQuote | models.Translation:
        """Translate the captions of a video, line by line

        Times do not change. Without a model nothing is translated: the original captions are returned with `fallback: true` and `FEATURE_UNAVAILABLE`, for the price of a transcript. A dry run says so. Mode `original` costs 1. Costs 5 credits, 1 if no model made the answer. A failed request costs nothing.
        """
        answer: models.InsightQuote | models.Translation = self._call(
            Request(
                "POST",
                "/v1/translate",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"video_id": video_id, "videoId": videoId, "url": url, "lang": lang, "language": language, "captions": captions, "keep": keep, "asr": asr, "target_lang": target_lang, "mode": mode, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    @overload
    def create_job(
        self,
        *,
        ids: list[str] = OMIT,
        video_ids: list[str] = OMIT,
        urls: list[str] = OMIT,
        kind: Literal["batch", "playlist", "channel"] = OMIT,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreateJobRequestThenItemSummarize | models.CreateJobRequestThenItemChapters | models.CreateJobRequestThenItemAsk | models.CreateJobRequestThenItemSearch | models.CreateJobRequestThenItemQuotes | models.CreateJobRequestThenItemClips | models.CreateJobRequestThenItemRepurpose | models.CreateJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: Literal[True],
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobPlan: ...

    @overload
    def create_job(
        self,
        *,
        ids: list[str] = OMIT,
        video_ids: list[str] = OMIT,
        urls: list[str] = OMIT,
        kind: Literal["batch", "playlist", "channel"] = OMIT,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreateJobRequestThenItemSummarize | models.CreateJobRequestThenItemChapters | models.CreateJobRequestThenItemAsk | models.CreateJobRequestThenItemSearch | models.CreateJobRequestThenItemQuotes | models.CreateJobRequestThenItemClips | models.CreateJobRequestThenItemRepurpose | models.CreateJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: Literal[False] = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobStarted: ...

    def create_job(
        self,
        *,
        ids: list[str] = OMIT,
        video_ids: list[str] = OMIT,
        urls: list[str] = OMIT,
        kind: Literal["batch", "playlist", "channel"] = OMIT,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreateJobRequestThenItemSummarize | models.CreateJobRequestThenItemChapters | models.CreateJobRequestThenItemAsk | models.CreateJobRequestThenItemSearch | models.CreateJobRequestThenItemQuotes | models.CreateJobRequestThenItemClips | models.CreateJobRequestThenItemRepurpose | models.CreateJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: bool = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobPlan | models.JobStarted:
        """Create a job over videos, playlists or channels

        ids, video_ids and urls are combined, in this order, each video once; in a batch, the link of a playlist or channel stands for its videos. The maximum cost is reserved at once; each completed item costs 1 credit, 10 if speech was recognized, besides its operations, and the rest is released when the job ends.
        """
        answer: models.JobPlan | models.JobStarted = self._call(
            Request(
                "POST",
                "/v1/jobs",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body={"ids": ids, "video_ids": video_ids, "urls": urls, "kind": kind, "limit": limit, "webhook_url": webhook_url, "then": then, "lang": lang, "captions": captions, "keep": keep, "words": words, "asr": asr, "include": include, "count_tokens": count_tokens, "cost_tag": cost_tag, "dry_run": dry_run},
            ),
            on_response,
        )
        return answer

    def list_jobs(
        self,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Jobs:
        """The jobs of this account, newest first

        Each with its first 100 items.
        """
        answer: models.Jobs = self._call(
            Request(
                "GET",
                "/v1/jobs",
                path={},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_jobs(
        self,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.Job]:
        """The jobs of this account, newest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/jobs",
                path={},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            ("before", "next_before", "jobs"),
            on_response,
        )

    def get_job(
        self,
        job_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Job:
        """One job

        With its first 100 items; results are read under `/results`.
        """
        answer: models.Job = self._call(
            Request(
                "GET",
                "/v1/jobs/{jobId}",
                path={"jobId": job_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def cancel_job(
        self,
        job_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Job:
        """Cancel a job; one that is over does not change

        Open items end; completed ones are kept and stay charged. The rest of the reserved credits is released.
        """
        answer: models.Job = self._call(
            Request(
                "POST",
                "/v1/jobs/{jobId}/cancel",
                path={"jobId": job_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def retry_job(
        self,
        job_id: str,
        *,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def retry_job(
        self,
        job_id: str,
        *,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Job: ...

    def retry_job(
        self,
        job_id: str,
        *,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.Job:
        """Queue the failed items of a job again

        The cost of the failed items is reserved again. A job without failed items does not change.
        """
        answer: models.PriceQuote | models.Job = self._call(
            Request(
                "POST",
                "/v1/jobs/{jobId}/retry",
                path={"jobId": job_id},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_job_results(
        self,
        job_id: str,
        *,
        limit: int = OMIT,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobResults:
        """The results of a job, even while it runs

        Items that have ended, in the order in which they ended: a cursor misses nothing while the job runs. An item that is retried ends again. Without `limit` and `cursor` the response contains all of them; if that takes longer than 20 seconds, it ends with a cursor.
        """
        answer: models.JobResults = self._call(
            Request(
                "GET",
                "/v1/jobs/{jobId}/results",
                path={"jobId": job_id},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_job_results(
        self,
        job_id: str,
        *,
        limit: int = 100,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.JobResult]:
        """The results of a job, even while it runs: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/jobs/{jobId}/results",
                path={"jobId": job_id},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            ("cursor", "next_cursor", "results"),
            on_response,
        )

    @overload
    def get_playlist(
        self,
        playlist_id: str,
        *,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def get_playlist(
        self,
        playlist_id: str,
        *,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Playlist: ...

    def get_playlist(
        self,
        playlist_id: str,
        *,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.Playlist:
        """The videos of a playlist

        Costs 1 credit for each started hundred of videos returned.
        """
        answer: models.PriceQuote | models.Playlist = self._call(
            Request(
                "GET",
                "/v1/playlists/{playlistId}",
                path={"playlistId": playlist_id},
                query={"limit": limit},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def create_playlist_job(
        self,
        playlist_id: str,
        *,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreatePlaylistJobRequestThenItemSummarize | models.CreatePlaylistJobRequestThenItemChapters | models.CreatePlaylistJobRequestThenItemAsk | models.CreatePlaylistJobRequestThenItemSearch | models.CreatePlaylistJobRequestThenItemQuotes | models.CreatePlaylistJobRequestThenItemClips | models.CreatePlaylistJobRequestThenItemRepurpose | models.CreatePlaylistJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: Literal[True],
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobPlan: ...

    @overload
    def create_playlist_job(
        self,
        playlist_id: str,
        *,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreatePlaylistJobRequestThenItemSummarize | models.CreatePlaylistJobRequestThenItemChapters | models.CreatePlaylistJobRequestThenItemAsk | models.CreatePlaylistJobRequestThenItemSearch | models.CreatePlaylistJobRequestThenItemQuotes | models.CreatePlaylistJobRequestThenItemClips | models.CreatePlaylistJobRequestThenItemRepurpose | models.CreatePlaylistJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: Literal[False] = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PlaylistJobStarted: ...

    def create_playlist_job(
        self,
        playlist_id: str,
        *,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreatePlaylistJobRequestThenItemSummarize | models.CreatePlaylistJobRequestThenItemChapters | models.CreatePlaylistJobRequestThenItemAsk | models.CreatePlaylistJobRequestThenItemSearch | models.CreatePlaylistJobRequestThenItemQuotes | models.CreatePlaylistJobRequestThenItemClips | models.CreatePlaylistJobRequestThenItemRepurpose | models.CreatePlaylistJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: bool = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobPlan | models.PlaylistJobStarted:
        """Create a job over the videos of a playlist

        Lists the playlist and reads each of its videos in a job. Videos that cannot be read become failed items.
        """
        answer: models.JobPlan | models.PlaylistJobStarted = self._call(
            Request(
                "POST",
                "/v1/playlists/{playlistId}/transcripts",
                path={"playlistId": playlist_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body={"limit": limit, "webhook_url": webhook_url, "then": then, "lang": lang, "captions": captions, "keep": keep, "words": words, "asr": asr, "include": include, "count_tokens": count_tokens, "cost_tag": cost_tag, "dry_run": dry_run},
            ),
            on_response,
        )
        return answer

    @overload
    def get_channel(
        self,
        channel_id: str,
        *,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def get_channel(
        self,
        channel_id: str,
        *,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Channel: ...

    def get_channel(
        self,
        channel_id: str,
        *,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.Channel:
        """The videos of a channel

        Costs 1 credit for each started hundred of videos returned.
        """
        answer: models.PriceQuote | models.Channel = self._call(
            Request(
                "GET",
                "/v1/channels/{channelId}",
                path={"channelId": channel_id},
                query={"limit": limit},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def create_channel_job(
        self,
        channel_id: str,
        *,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreateChannelJobRequestThenItemSummarize | models.CreateChannelJobRequestThenItemChapters | models.CreateChannelJobRequestThenItemAsk | models.CreateChannelJobRequestThenItemSearch | models.CreateChannelJobRequestThenItemQuotes | models.CreateChannelJobRequestThenItemClips | models.CreateChannelJobRequestThenItemRepurpose | models.CreateChannelJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: Literal[True],
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobPlan: ...

    @overload
    def create_channel_job(
        self,
        channel_id: str,
        *,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreateChannelJobRequestThenItemSummarize | models.CreateChannelJobRequestThenItemChapters | models.CreateChannelJobRequestThenItemAsk | models.CreateChannelJobRequestThenItemSearch | models.CreateChannelJobRequestThenItemQuotes | models.CreateChannelJobRequestThenItemClips | models.CreateChannelJobRequestThenItemRepurpose | models.CreateChannelJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: Literal[False] = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.ChannelJobStarted: ...

    def create_channel_job(
        self,
        channel_id: str,
        *,
        limit: int = OMIT,
        webhook_url: str | None = OMIT,
        then: list[models.CreateChannelJobRequestThenItemSummarize | models.CreateChannelJobRequestThenItemChapters | models.CreateChannelJobRequestThenItemAsk | models.CreateChannelJobRequestThenItemSearch | models.CreateChannelJobRequestThenItemQuotes | models.CreateChannelJobRequestThenItemClips | models.CreateChannelJobRequestThenItemRepurpose | models.CreateChannelJobRequestThenItemTranslate] = OMIT,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        keep: bool = OMIT,
        words: bool = OMIT,
        asr: Literal["off", "auto", "force"] = OMIT,
        include: list[Literal["video"]] = OMIT,
        count_tokens: bool = OMIT,
        cost_tag: str = OMIT,
        dry_run: bool = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.JobPlan | models.ChannelJobStarted:
        """Create a job over the videos of a channel

        Lists the channel and reads each of its videos in a job. Videos that cannot be read become failed items.
        """
        answer: models.JobPlan | models.ChannelJobStarted = self._call(
            Request(
                "POST",
                "/v1/channels/{channelId}/transcripts",
                path={"channelId": channel_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body={"limit": limit, "webhook_url": webhook_url, "then": then, "lang": lang, "captions": captions, "keep": keep, "words": words, "asr": asr, "include": include, "count_tokens": count_tokens, "cost_tag": cost_tag, "dry_run": dry_run},
            ),
            on_response,
        )
        return answer

    def list_library(
        self,
        *,
        limit: int = OMIT,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Library:
        """The videos that the account keeps, newest first

        Free of charge. A request, job or follow with `keep` adds the videos whose captions it reads. It stores the captions, the platform's details of the video, and an index of the words.
        """
        answer: models.Library = self._call(
            Request(
                "GET",
                "/v1/library",
                path={},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_library(
        self,
        *,
        limit: int = OMIT,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.KeptVideo]:
        """The videos that the account keeps, newest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/library",
                path={},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            ("cursor", "next_cursor", "videos"),
            on_response,
        )

    def clear_library(
        self,
        *,
        on_response: OnResponse | None = None,
    ) -> None:
        """Remove every video from the library

        Their captions, all versions of them and their index are deleted.
        """
        answer: None = self._call(
            Request(
                "DELETE",
                "/v1/library",
                path={},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def search_library(
        self,
        *,
        q: str,
        lang: str = OMIT,
        channel: str = OMIT,
        from_: str = OMIT,
        to: str = OMIT,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def search_library(
        self,
        *,
        q: str,
        lang: str = OMIT,
        channel: str = OMIT,
        from_: str = OMIT,
        to: str = OMIT,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.LibrarySearchResults: ...

    def search_library(
        self,
        *,
        q: str,
        lang: str = OMIT,
        channel: str = OMIT,
        from_: str = OMIT,
        to: str = OMIT,
        limit: int = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.LibrarySearchResults:
        """Find passages in all videos of the library

        Costs 1 credit. By words, phrases, stems and corrected typos in the languages of the captions; with an embedding model also by meaning.
        """
        answer: models.PriceQuote | models.LibrarySearchResults = self._call(
            Request(
                "GET",
                "/v1/library/search",
                path={},
                query={"q": q, "lang": lang, "channel": channel, "from": from_, "to": to, "limit": limit},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run, "X-Cost-Tag": cost_tag},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def ask_library(
        self,
        *,
        question: str,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[True],
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote: ...

    @overload
    def ask_library(
        self,
        *,
        question: str,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: Literal[False] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.LibraryAnswer: ...

    def ask_library(
        self,
        *,
        question: str,
        output_lang: str | None = OMIT,
        cost_tag: str = OMIT,
        idempotency_key: str = OMIT,
        dry_run: bool = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.PriceQuote | models.LibraryAnswer:
        """Ask a question about all videos of the library

        Like `ask` about one video: each citation is verified word by word, and if no video has the answer, the response has `grounded: false`. Costs 3 credits, 1 if no model made the answer.
        """
        answer: models.PriceQuote | models.LibraryAnswer = self._call(
            Request(
                "POST",
                "/v1/library/ask",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key, "X-Dry-Run": dry_run},
                body={"question": question, "output_lang": output_lang, "cost_tag": cost_tag},
            ),
            on_response,
        )
        return answer

    def export_library(
        self,
        *,
        limit: int = OMIT,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> bytes:
        """The whole library, as files in one archive

        Free of charge. A ZIP with a folder for each video; every version is a Markdown and a JSON file. A larger library needs several archives: `cursor` continues as in the list.
        """
        answer: bytes = self._call(
            Request(
                "GET",
                "/v1/library/export",
                path={},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def remove_from_library(
        self,
        video_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> None:
        """Remove a video from the library

        Its captions, all versions of them and their index are deleted.
        """
        answer: None = self._call(
            Request(
                "DELETE",
                "/v1/library/{videoId}",
                path={"videoId": video_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_library_versions(
        self,
        video_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.LibraryVersions:
        """The versions of the captions of a kept video

        Free of charge. Changed captions are kept as another version, up to the newest 50. Each language has its own versions.
        """
        answer: models.LibraryVersions = self._call(
            Request(
                "GET",
                "/v1/library/{videoId}/versions",
                path={"videoId": video_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_library_version(
        self,
        video_id: str,
        version: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.LibraryVersionText:
        """One version of the captions of a kept video

        Free of charge. The captions as they were kept.
        """
        answer: models.LibraryVersionText = self._call(
            Request(
                "GET",
                "/v1/library/{videoId}/versions/{version}",
                path={"videoId": video_id, "version": version},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def compare_library_versions(
        self,
        video_id: str,
        *,
        from_: int,
        to: int,
        on_response: OnResponse | None = None,
    ) -> models.LibraryDiff:
        """The differences between two versions, line by line

        Free of charge. Lines are compared by their text; removed lines come before those that replace them.
        """
        answer: models.LibraryDiff = self._call(
            Request(
                "GET",
                "/v1/library/{videoId}/diff",
                path={"videoId": video_id},
                query={"from": from_, "to": to},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_webhooks(
        self,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Webhooks:
        """The webhooks of this account

        Active and disabled ones, without their secrets.
        """
        answer: models.Webhooks = self._call(
            Request(
                "GET",
                "/v1/webhooks",
                path={},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def create_webhook(
        self,
        *,
        url: str,
        events: list[Literal["job.completed", "job.failed", "video.transcribed", "video.failed", "follow.paused", "captions.changed", "budget.warning", "budget.exhausted"]] = OMIT,
        description: str | None = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.CreatedWebhook:
        """Register a webhook; its secret is shown once

        The address must be on a public network. Deliveries are signed as specified by Standard Webhooks.
        """
        answer: models.CreatedWebhook = self._call(
            Request(
                "POST",
                "/v1/webhooks",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body={"url": url, "events": events, "description": description},
            ),
            on_response,
        )
        return answer

    def get_signing_secret(
        self,
        *,
        on_response: OnResponse | None = None,
    ) -> models.CurrentSigningSecret:
        """The secret that signs deliveries to the `webhook_url` of jobs

        Deliveries to a URL that is also a registered webhook are signed with the secret of that webhook.
        """
        answer: models.CurrentSigningSecret = self._call(
            Request(
                "GET",
                "/v1/webhooks/signing-secret",
                path={},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def rotate_signing_secret(
        self,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.SigningSecret:
        """Create a new one; the previous one also signs for 24 hours

        Both secrets sign for 24 hours, so that receivers can switch.
        """
        answer: models.SigningSecret = self._call(
            Request(
                "POST",
                "/v1/webhooks/signing-secret/rotate",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_webhook(
        self,
        webhook_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Webhook:
        """One webhook

        Without its secret.
        """
        answer: models.Webhook = self._call(
            Request(
                "GET",
                "/v1/webhooks/{webhookId}",
                path={"webhookId": webhook_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def update_webhook(
        self,
        webhook_id: str,
        *,
        url: str = OMIT,
        events: list[Literal["job.completed", "job.failed", "video.transcribed", "video.failed", "follow.paused", "captions.changed", "budget.warning", "budget.exhausted"]] = OMIT,
        active: bool = OMIT,
        description: str | None = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Webhook:
        """Change a webhook; omitted members do not change

        A webhook that is enabled again gets events from then on; `recover` sends those it missed.
        """
        answer: models.Webhook = self._call(
            Request(
                "PATCH",
                "/v1/webhooks/{webhookId}",
                path={"webhookId": webhook_id},
                query={},
                headers={},
                body={"url": url, "events": events, "active": active, "description": description},
            ),
            on_response,
        )
        return answer

    def delete_webhook(
        self,
        webhook_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> None:
        """Delete a webhook

        Pending deliveries are not sent.
        """
        answer: None = self._call(
            Request(
                "DELETE",
                "/v1/webhooks/{webhookId}",
                path={"webhookId": webhook_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.SigningSecret:
        """Create a new secret; the previous one also signs for 24 hours

        Both secrets sign for 24 hours, so that receivers can switch.
        """
        answer: models.SigningSecret = self._call(
            Request(
                "POST",
                "/v1/webhooks/{webhookId}/rotate-secret",
                path={"webhookId": webhook_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def test_webhook(
        self,
        webhook_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.RequestedDelivery:
        """Send a job.completed with `test: true`

        The event is about a job that does not exist. The response does not wait for the delivery.
        """
        answer: models.RequestedDelivery = self._call(
            Request(
                "POST",
                "/v1/webhooks/{webhookId}/test",
                path={"webhookId": webhook_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Deliveries:
        """Deliveries with their attempts, newest first

        With every attempt, its status and how long it took.
        """
        answer: models.Deliveries = self._call(
            Request(
                "GET",
                "/v1/webhooks/{webhookId}/deliveries",
                path={"webhookId": webhook_id},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.Delivery]:
        """Deliveries with their attempts, newest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/webhooks/{webhookId}/deliveries",
                path={"webhookId": webhook_id},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            ("before", "next_before", "deliveries"),
            on_response,
        )

    def replay_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.RequestedDelivery:
        """Send one delivery again, under the same event id

        The receiver sees the same `webhook-id`, so it can recognize a repeat. The webhook must be active.
        """
        answer: models.RequestedDelivery = self._call(
            Request(
                "POST",
                "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
                path={"webhookId": webhook_id, "deliveryId": delivery_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_job_deliveries(
        self,
        job_id: str,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Deliveries:
        """Deliveries about one job, newest first

        To registered webhooks and to the `webhook_url` of the job, whose `webhook_id` is null.
        """
        answer: models.Deliveries = self._call(
            Request(
                "GET",
                "/v1/jobs/{jobId}/deliveries",
                path={"jobId": job_id},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_job_deliveries(
        self,
        job_id: str,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.Delivery]:
        """Deliveries about one job, newest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/jobs/{jobId}/deliveries",
                path={"jobId": job_id},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            ("before", "next_before", "deliveries"),
            on_response,
        )

    def replay_job_delivery(
        self,
        job_id: str,
        delivery_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.RequestedDelivery:
        """Send one delivery about a job again, under the same event id

        The receiver sees the same `webhook-id`, so it can recognize a repeat. A registered webhook must be active.
        """
        answer: models.RequestedDelivery = self._call(
            Request(
                "POST",
                "/v1/jobs/{jobId}/deliveries/{deliveryId}/replay",
                path={"jobId": job_id, "deliveryId": delivery_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def recover_deliveries(
        self,
        webhook_id: str,
        *,
        since: str,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.RecoveredDeliveries:
        """Send all failed deliveries since a time again, at most 1,000

        Oldest first, without those that were sent again since.
        """
        answer: models.RecoveredDeliveries = self._call(
            Request(
                "POST",
                "/v1/webhooks/{webhookId}/recover",
                path={"webhookId": webhook_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body={"since": since},
            ),
            on_response,
        )
        return answer

    def create_follow(
        self,
        *,
        source: str,
        max_credits_per_period: int,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        then: list[models.CreateFollowRequestThenItemSummarize | models.CreateFollowRequestThenItemChapters | models.CreateFollowRequestThenItemAsk | models.CreateFollowRequestThenItemSearch | models.CreateFollowRequestThenItemQuotes | models.CreateFollowRequestThenItemClips | models.CreateFollowRequestThenItemRepurpose | models.CreateFollowRequestThenItemTranslate] = OMIT,
        keep: bool = OMIT,
        kinds: list[Literal["videos", "shorts", "streams"]] = OMIT,
        webhook_url: str | None = OMIT,
        backfill: int = OMIT,
        interval_seconds: int = OMIT,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """Follow a channel or playlist: new videos are transcribed automatically

        Videos are new if they are not in the current list. Each new video becomes an item of a job and is charged as such, for success only, within the budget of the follow, the cap of its key and the credits of the account.
        """
        answer: models.Follow = self._call(
            Request(
                "POST",
                "/v1/follows",
                path={},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body={"source": source, "lang": lang, "captions": captions, "then": then, "keep": keep, "kinds": kinds, "webhook_url": webhook_url, "max_credits_per_period": max_credits_per_period, "backfill": backfill, "interval_seconds": interval_seconds},
            ),
            on_response,
        )
        return answer

    def list_follows(
        self,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follows:
        """The follows of this account, newest first

        Ended follows are not included.
        """
        answer: models.Follows = self._call(
            Request(
                "GET",
                "/v1/follows",
                path={},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_follows(
        self,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.Follow]:
        """The follows of this account, newest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/follows",
                path={},
                query={"limit": limit, "before": before},
                headers={},
                body=None,
            ),
            ("before", "next_before", "follows"),
            on_response,
        )

    def get_follow(
        self,
        follow_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """One follow

        Works for ended follows too.
        """
        answer: models.Follow = self._call(
            Request(
                "GET",
                "/v1/follows/{followId}",
                path={"followId": follow_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def update_follow(
        self,
        follow_id: str,
        *,
        lang: str = OMIT,
        captions: Literal["any", "manual", "automatic"] = OMIT,
        then: list[models.UpdateFollowRequestThenItemSummarize | models.UpdateFollowRequestThenItemChapters | models.UpdateFollowRequestThenItemAsk | models.UpdateFollowRequestThenItemSearch | models.UpdateFollowRequestThenItemQuotes | models.UpdateFollowRequestThenItemClips | models.UpdateFollowRequestThenItemRepurpose | models.UpdateFollowRequestThenItemTranslate] = OMIT,
        keep: bool = OMIT,
        kinds: list[Literal["videos", "shorts", "streams"]] = OMIT,
        webhook_url: str | None = OMIT,
        max_credits_per_period: int = OMIT,
        interval_seconds: int = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """Change a follow; omitted members do not change

        Applies to videos read from now on. With a higher budget, waiting videos are read at once.
        """
        answer: models.Follow = self._call(
            Request(
                "PATCH",
                "/v1/follows/{followId}",
                path={"followId": follow_id},
                query={},
                headers={},
                body={"lang": lang, "captions": captions, "then": then, "keep": keep, "kinds": kinds, "webhook_url": webhook_url, "max_credits_per_period": max_credits_per_period, "interval_seconds": interval_seconds},
            ),
            on_response,
        )
        return answer

    def delete_follow(
        self,
        follow_id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> None:
        """End a follow

        Videos in progress are still read; the source is no longer checked. An ended follow cannot be resumed.
        """
        answer: None = self._call(
            Request(
                "DELETE",
                "/v1/follows/{followId}",
                path={"followId": follow_id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def pause_follow(
        self,
        follow_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """Pause a follow

        The source is not checked and no new videos are read. Videos published meanwhile are read after it resumes.
        """
        answer: models.Follow = self._call(
            Request(
                "POST",
                "/v1/follows/{followId}/pause",
                path={"followId": follow_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def resume_follow(
        self,
        follow_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """Resume a paused follow

        The source is checked at once. A follow whose key was revoked, or whose application may no longer spend, continues under the key of this request.
        """
        answer: models.Follow = self._call(
            Request(
                "POST",
                "/v1/follows/{followId}/resume",
                path={"followId": follow_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def check_follow(
        self,
        follow_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """Check the source of a follow now

        At most once every 60 seconds for each source; otherwise `RATE_LIMITED`.
        """
        answer: models.Follow = self._call(
            Request(
                "POST",
                "/v1/follows/{followId}/check",
                path={"followId": follow_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def rotate_follow_feed(
        self,
        follow_id: str,
        *,
        idempotency_key: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Follow:
        """Change the address of a follow's feed

        The former address is no longer valid.
        """
        answer: models.Follow = self._call(
            Request(
                "POST",
                "/v1/follows/{followId}/feed/rotate",
                path={"followId": follow_id},
                query={},
                headers={"Idempotency-Key": idempotency_key},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_followed_videos(
        self,
        follow_id: str,
        *,
        limit: int = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.FollowedVideos:
        """The videos found by a follow, newest first

        With the job that reads each video, and its cost.
        """
        answer: models.FollowedVideos = self._call(
            Request(
                "GET",
                "/v1/follows/{followId}/videos",
                path={"followId": follow_id},
                query={"limit": limit},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_usage(
        self,
        *,
        as_of: str = OMIT,
        days: int = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Usage:
        """The usage of this account

        Failures count as requests and cost nothing. Failed items of jobs count under `job_item`.
        """
        answer: models.Usage = self._call(
            Request(
                "GET",
                "/v1/usage",
                path={},
                query={"as_of": as_of, "days": days},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_ledger(
        self,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        request_id: str = OMIT,
        as_of: str = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Ledger:
        """The ledger of this account, newest first

        Every charge, refund, grant and free use, with the hash chain that proves that nothing was changed.
        """
        answer: models.Ledger = self._call(
            Request(
                "GET",
                "/v1/ledger",
                path={},
                query={"limit": limit, "before": before, "request_id": request_id, "as_of": as_of, "cost_tag": cost_tag},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_ledger(
        self,
        *,
        limit: int = OMIT,
        before: str = OMIT,
        request_id: str = OMIT,
        as_of: str = OMIT,
        cost_tag: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.LedgerEntry]:
        """The ledger of this account, newest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/ledger",
                path={},
                query={"limit": limit, "before": before, "request_id": request_id, "as_of": as_of, "cost_tag": cost_tag},
                headers={},
                body=None,
            ),
            ("before", "next_before", "entries"),
            on_response,
        )

    def export_ledger(
        self,
        *,
        format: Literal["ndjson", "csv", "parquet"] = OMIT,
        on_response: OnResponse | None = None,
    ) -> str | bytes:
        """The whole ledger of this account, oldest first

        A snapshot of all entries with their proofs. `X-Ledger-Entries` is their number: a truncated export has fewer. It has no time limit while its reader keeps reading.
        """
        answer: str | bytes = self._call(
            Request(
                "GET",
                "/v1/ledger/export",
                path={},
                query={"format": format},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_ledger_entry(
        self,
        id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.LedgerEntry:
        """One ledger entry with its proof

        `X-Credits-Event` of a response is the id of its entry.
        """
        answer: models.LedgerEntry = self._call(
            Request(
                "GET",
                "/v1/ledger/{id}",
                path={"id": id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_ledger_proof(
        self,
        id: str,
        *,
        on_response: OnResponse | None = None,
    ) -> models.LedgerProof:
        """The proof that an entry is in the public log

        Keep it: with the keys of `/tlog/keys` it proves the entry without the service. With `Accept: text/plain` it is a C2SP tlog-proof.
        """
        answer: models.LedgerProof = self._call(
            Request(
                "GET",
                "/v1/ledger/{id}/proof",
                path={"id": id},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def get_receipts(
        self,
        id: str,
        *,
        limit: int = OMIT,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Receipts:
        """The signed receipts of a charge, a request or a job

        Verified offline with the keys of `/.well-known/jwks.json` and `docs/verify-receipt.mjs`. Requests without a charge have no receipt.
        """
        answer: models.Receipts = self._call(
            Request(
                "GET",
                "/v1/receipts/{id}",
                path={"id": id},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_receipts(
        self,
        id: str,
        *,
        limit: int = OMIT,
        cursor: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[str]:
        """The signed receipts of a charge, a request or a job: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/receipts/{id}",
                path={"id": id},
                query={"limit": limit, "cursor": cursor},
                headers={},
                body=None,
            ),
            ("cursor", "next_cursor", "receipts"),
            on_response,
        )

    def get_key_set(
        self,
        *,
        on_response: OnResponse | None = None,
    ) -> models.KeySet:
        """The public keys that verify receipts

        Every key that ever signed a receipt, the newest first.
        """
        answer: models.KeySet = self._call(
            Request(
                "GET",
                "/.well-known/jwks.json",
                path={},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_statements(
        self,
        *,
        on_response: OnResponse | None = None,
    ) -> models.Statements:
        """The billing periods of this account

        Newest first; the newest is provisional.
        """
        answer: models.Statements = self._call(
            Request(
                "GET",
                "/v1/statements",
                path={},
                query={},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    @overload
    def get_statement(
        self,
        period: str,
        *,
        format: Literal["csv"],
        on_response: OnResponse | None = None,
    ) -> str: ...

    @overload
    def get_statement(
        self,
        period: str,
        *,
        format: Literal["json"] = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.Statement: ...

    def get_statement(
        self,
        period: str,
        *,
        format: Literal["json", "csv"] = OMIT,
        on_response: OnResponse | None = None,
    ) -> str | models.Statement:
        """The statement of a billing period

        Canonical JSON (RFC 8785), or CSV. The statement of a past period never changes, and is byte for byte the output of `steno replay --period --json`.
        """
        answer: str | models.Statement = self._call(
            Request(
                "GET",
                "/v1/statements/{period}",
                path={"period": period},
                query={"format": format},
                headers={},
                body=None,
            ),
            on_response,
        )
        return answer

    def list_events(
        self,
        *,
        cursor: str = OMIT,
        limit: int = OMIT,
        last_event_id: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> models.EventFeed:
        """Every entry of the ledger as an event, the oldest first

        CloudEvents 1.0 for following the ledger: store `next_cursor` and continue from it. With `Accept: application/x-ndjson` one event per line, with `Accept: text/event-stream` events as they happen, whose id is the cursor (`Last-Event-ID`).
        """
        answer: models.EventFeed = self._call(
            Request(
                "GET",
                "/v1/events",
                path={},
                query={"cursor": cursor, "limit": limit},
                headers={"Last-Event-ID": last_event_id},
                body=None,
            ),
            on_response,
        )
        return answer

    def iterate_events(
        self,
        *,
        cursor: str = OMIT,
        limit: int = OMIT,
        last_event_id: str = OMIT,
        on_response: OnResponse | None = None,
    ) -> Iterator[models.CloudEvent]:
        """Every entry of the ledger as an event, the oldest first: each of all pages, page by page as they are read."""
        return self._pages(
            Request(
                "GET",
                "/v1/events",
                path={},
                query={"cursor": cursor, "limit": limit},
                headers={"Last-Event-ID": last_event_id},
                body=None,
            ),
            ("cursor", "next_cursor", "events"),
            on_response,
        )
