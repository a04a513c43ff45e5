# Made from docs/openapi.json by `npm run clients`.
"""What the API takes and answers, as dictionaries with typed members. Members may be added to answers."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

class Transcript(TypedDict):
    # Id of the video.
    video_id: str
    # Title.
    title: str | None
    # Name of the channel that published the video.
    channel: str | None
    # Id of the channel on the platform.
    channel_id: str | None
    # Address of the video.
    url: str
    # Seconds.
    duration: int | None
    # Language code (BCP 47).
    language: str | None
    # The language that was asked for; null: none.
    requested_language: str | None
    # manual: captions by hand; platform_auto: speech recognition of the platform; translated: by the platform; asr: speech recognition of this service.
    source: Literal["manual", "platform_auto", "translated", "asr"]
    # Number of segments.
    segment_count: int
    # The captions in order.
    segments: list[TranscriptSegment]
    # There only with `include=video`.
    video: NotRequired[Video]
    # There only with `count_tokens`.
    token_count: NotRequired[int]


class TranscriptSegment(TypedDict):
    # The words.
    text: str
    # Seconds from the beginning of the video.
    start: float
    # Seconds.
    duration: float
    # There only with `words=true`: the words of automatic captions as the platform times them. Null: it does not say, as for captions that people wrote.
    words: NotRequired[list[Word] | None]


class Word(TypedDict):
    # One word.
    text: str
    # Seconds from the beginning of the video, at which it is said.
    start: float


class VideoThumbnailsItem(TypedDict):
    # Its address.
    url: str
    # Pixels.
    width: int | None
    # Pixels.
    height: int | None


class VideoChaptersItem(TypedDict):
    # Seconds from the beginning of the video.
    start: int
    # Seconds; null where the length of the video is not known.
    end: int | None
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Title.
    title: str


class Video(TypedDict):
    # Id of the video.
    video_id: str
    # Its address.
    url: str
    # Title.
    title: str | None
    # Name of the channel that published the video.
    channel: str | None
    # Id of the channel on the platform.
    channel_id: str | None
    # Seconds; null while it is live or still to come.
    duration: int | None
    # With its line breaks, without other control characters.
    description: str | None
    # How often it was watched.
    views: int | None
    # Its pictures, in the order of the platform.
    thumbnails: list[VideoThumbnailsItem]
    # ended: it was live.
    live_state: Literal["none", "upcoming", "live", "ended"]
    # Null where the platform does not say it beside the captions. Where only the day is known, its beginning in UTC.
    published_at: str | None
    # Those that its author wrote into the description, by the rule of the platform: the first at 0:00, at least three, each later than the one before and ten seconds long or more; null: there are none.
    chapters: list[VideoChaptersItem] | None
    # Empty for a video without captions.
    tracks: list[CaptionTrack]


class CaptionTrack(TypedDict):
    # Language code (BCP 47).
    language: str
    # Name.
    name: str
    # manual: by hand; automatic: speech recognition; translated: by the platform; recognized: speech recognition of this service.
    kind: Literal["manual", "automatic", "translated", "recognized"]
    # Whether the platform translates it.
    translatable: bool


class PriceQuote(TypedDict):
    # true: says what the request would cost, and does nothing.
    dry_run: Literal[True]
    # Name of the operation.
    operation: str
    # The most that it costs.
    credits: int
    # Distinct videos that it would read; null: it reads none.
    videos: int | None
    # When it costs less; null: never.
    note: str | None


class RawTranscriptMetadata(TypedDict):
    """What is known of the video."""

    # Title.
    title: str | None
    # Name of the channel that published the video.
    channel: str | None
    # Id of the channel on the platform.
    channel_id: str | None
    # Seconds.
    duration: int | None
    # Whether the video is or was a live stream.
    is_live: bool
    # The language that was asked for; null: none.
    requested_language: str | None
    # How the track was chosen for the wanted language.
    matched_by: Literal["default", "exact", "region"]


class RawTranscript(TypedDict):
    # Id of the video.
    video_id: str
    # Who it comes from.
    provider: str
    # When the platform was asked.
    fetched_at: str
    # Whether the captions were kept from an earlier request.
    cache_hit: bool
    # Every caption track of the video.
    tracks: list[CaptionTrack]
    track: CaptionTrack
    # What is known of the video.
    metadata: RawTranscriptMetadata
    # The captions in order.
    segments: list[TranscriptSegment]
    # SHA-256 of the captions as the platform sent them, in hexadecimal.
    content_sha256: str


class Languages(TypedDict):
    # Id of the video.
    video_id: str
    # Language codes, each once.
    available: list[str]
    # The language that is read where none is asked for; null: the video has no captions.
    default: str | None
    # Whether the video has any captions.
    has_captions: bool
    # Every caption track, and whether it was made by hand (`manual`), by speech recognition (`automatic`) or by translation.
    tracks: list[CaptionTrack]


class GetTranscriptsRequest(TypedDict):
    # Videos, each by its id or any link.
    ids: list[str]
    # Language code (BCP 47), or up to 10 with commas between: the first of them that there is. Another language is never substituted.
    lang: NotRequired[str]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # md is the same as markdown.
    format: NotRequired[Literal["txt", "srt", "vtt", "markdown", "json", "md"]]
    # Lines of txt begin with [mm:ss].
    timestamps: NotRequired[bool]
    # Removes music notes and cues such as [Music].
    clean: NotRequired[bool]
    # Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues.
    words: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price.
    include: NotRequired[list[Literal["video"]]]
    # The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces.
    count_tokens: NotRequired[bool]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Batch(TypedDict):
    # Videos that were named.
    requested: int
    # Videos that succeeded.
    succeeded: int
    # Videos that failed.
    failed: int
    # Credits that were charged for all videos together.
    credits_charged: int
    # One for each video, in the order of `ids`.
    results: list[BatchItem]


class BatchItem(TypedDict):
    # As it was sent.
    id: str
    # Id of the video; null: the reference names none.
    video_id: str | None
    # Its state.
    status: Literal["complete", "failed"]
    # The transcript; null when it failed or cannot be had at this moment.
    transcript: Transcript | None
    # The transcript in the `format` of the request; null for json and for a failure.
    text: str | None
    # Why it failed, as in an error; null while it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # The `details` that the same refusal has as an error.
    error_details: dict[str, Any] | None
    # Credits that were charged for it; 0 when it failed.
    credits_charged: int
    # Id of the ledger entry of the charge; null: nothing was charged.
    charge_id: str | None


class Chunks(TypedDict):
    # Id of the video.
    video_id: str
    # Language code (BCP 47).
    language: str | None
    # SHA-256 (hex) of the captions, as the ledger entry of the charge has it.
    content_hash: str
    # The vocabulary that tokens are counted in.
    tokenizer: str
    # In the order of the video.
    chunks: list[Chunk]


class Chunk(TypedDict):
    # The first 16 digits of `content_hash`, and the range of its characters in the text: the same range of the same captions has the same id, whatever was asked for.
    id: str
    # Seconds at which its first line of captions begins.
    start: float
    # Seconds at which its last line of captions ends.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Whole sentences, words joined by one space.
    text: str
    # Tokens of `text`.
    token_count: int
    # The video at the whole second of `start`.
    url: str


class AiStatus(TypedDict):
    # Whether a model is configured; without one the extractive fallbacks answer.
    ai_enabled: bool
    # The model; null: none.
    model: str | None
    # The model for embeddings; null: none.
    embedding_model: str | None
    # open: the provider failed, and fallbacks are given for a minute.
    circuit: Literal["closed", "open", "half_open"] | None


class SummarizeRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Summary(TypedDict):
    # Id of the video.
    video_id: str
    # How long the summary is.
    length: Literal["short", "medium", "detailed"]
    # The summary.
    summary: str
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool
    # There only where the result is not what was asked for.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What is not as it was asked for.
    message: NotRequired[str]


class InsightQuote(TypedDict):
    # true: says what the request would cost, and does nothing.
    dry_run: Literal[True]
    # Name of the operation.
    operation: str
    # Id of the video.
    video_id: str
    # What the operation costs at most.
    credits: int
    # What it costs without a model.
    credits_if_fallback: int
    # When it costs less than that.
    note: NotRequired[str]
    # There only where the result is not what was asked for.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What is not as it was asked for.
    message: NotRequired[str]


class ChaptersRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class ChaptersChaptersItem(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Title.
    title: str


class Chapters(TypedDict):
    # Id of the video.
    video_id: str
    # Chapters in the order of the video.
    chapters: list[ChaptersChaptersItem]
    # Who made them.
    source: Literal["author", "model", "extract"]
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool
    # There only where the result is not what was asked for.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What is not as it was asked for.
    message: NotRequired[str]


class AskRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Answer(TypedDict):
    # Id of the video.
    video_id: str
    # The question.
    question: str
    # The answer, made of what the captions say.
    answer: str
    # Passages of the captions that the answer rests on.
    citations: list[Citation]
    # Whether each sentence of the answer was found in the captions.
    grounded: bool
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool
    # There only where the result is not what was asked for.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What is not as it was asked for.
    message: NotRequired[str]


class Citation(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # Seconds from the beginning of the video, at which it ends.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str


class SearchRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: NotRequired[int]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class SearchResultsResultsItem(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # Seconds from the beginning of the video, at which it ends.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str
    # How well it fits; higher is better.
    score: float


class SearchResults(TypedDict):
    # Id of the video.
    video_id: str
    # What is searched for.
    query: str
    # Passages, the best first.
    results: list[SearchResultsResultsItem]


class QuotesRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class QuotesQuotesItem(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str


class Quotes(TypedDict):
    # Id of the video.
    video_id: str
    # Quotable sentences, in the order of the video.
    quotes: list[QuotesQuotesItem]
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool


class ClipsRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class ClipsClipsItem(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # Seconds from the beginning of the video, at which it ends.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # mm:ss, from one hour on h:mm:ss
    end_timestamp: str
    # Verbatim from the captions.
    opening_line: str
    # A title of the clip.
    label: str
    # Why it was chosen.
    why: str
    # Verbatim from the captions.
    text: str


class Clips(TypedDict):
    # Id of the video.
    video_id: str
    # Passages that stand for themselves, in the order of the video.
    clips: list[ClipsClipsItem]
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool


class RepurposeRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Repurposed(TypedDict):
    # Id of the video.
    video_id: str
    # The form of the text.
    format: Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]
    # The text in the format that was asked for.
    content: str
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool
    # There only where the result is not what was asked for.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What is not as it was asked for.
    message: NotRequired[str]


class TranslateRequest(TypedDict):
    # Video id, or any link to the video. The first one given counts.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several with commas between: the first that there is; without it their default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. That comes on top of what the operation costs.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Translation(TypedDict):
    # Id of the video.
    video_id: str
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: Literal["original", "translated", "bilingual"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # Whether it had to be translated.
    translated: bool
    # Language that it was translated from; null: not known.
    source_language: str | None
    # `OK` or `FEATURE_UNAVAILABLE`.
    code: str
    # What was done, in a sentence for people.
    message: str
    # How many segments there are.
    segment_count: int
    # Captions, in order.
    segments: list[Segment]
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool


class Segment(TypedDict):
    # The words.
    text: str
    # Seconds from the beginning of the video.
    start: float
    # Seconds.
    duration: float


class CreateJobRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: NotRequired[int]


class CreateJobRequestThenItemQuotes(TypedDict):
    # Name of the operation.
    operation: Literal["quotes"]


class CreateJobRequestThenItemClips(TypedDict):
    # Name of the operation.
    operation: Literal["clips"]


class CreateJobRequestThenItemRepurpose(TypedDict):
    # Name of the operation.
    operation: Literal["repurpose"]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreateJobRequest(TypedDict):
    # Videos, each by its id or any link.
    ids: NotRequired[list[str]]
    # The same as `ids`.
    video_ids: NotRequired[list[str]]
    # Videos, playlists or channels by their links.
    urls: NotRequired[list[str]]
    # batch: videos, each by its id or link. playlist, channel: exactly one reference, the playlist or channel whose videos the job reads.
    kind: NotRequired[Literal["batch", "playlist", "channel"]]
    # Videos of all listings together; without it all that are listed, as far as a job can hold them (1,000).
    limit: NotRequired[int]
    # Told when the job ends.
    webhook_url: NotRequired[str | None]
    # Operations on each item after its transcript. Each is charged as that operation; what they may cost is set aside with the rest.
    then: NotRequired[list[CreateJobRequestThenItemSummarize | CreateJobRequestThenItemChapters | CreateJobRequestThenItemAsk | CreateJobRequestThenItemSearch | CreateJobRequestThenItemQuotes | CreateJobRequestThenItemClips | CreateJobRequestThenItemRepurpose | CreateJobRequestThenItemTranslate]]
    # Language code (BCP 47), or up to 10 with commas between: the first of them that there is. Another language is never substituted.
    lang: NotRequired[str]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues.
    words: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price.
    include: NotRequired[list[Literal["video"]]]
    # The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces.
    count_tokens: NotRequired[bool]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]
    # true: says what the request would cost, and does nothing.
    dry_run: NotRequired[bool]


class JobPlan(TypedDict):
    # true: says what the request would cost, and does nothing.
    dry_run: Literal[True]
    # Name of the operation.
    operation: Literal["job"]
    # The same as `credits_needed`.
    credits: int
    # What the job would be made of.
    kind: Literal["batch", "playlist", "channel"]
    # Null: listing takes too long to wait for, or more requests to the platform than a dry run makes.
    videos_found: int | None
    # Set aside when the job is created; the most of it where `videos_found` is null.
    credits_needed: int
    # Videos that the platform counts in the listing; null: it does not say.
    expected: int | None
    # Videos that the platform counts but does not list; null: it does not say.
    hidden: int | None
    # Whether the listing holds more than was read.
    truncated: bool


class JobStarted(TypedDict):
    # Id of the job.
    job_id: str
    # Its state.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    # Items of the job; 0 while its listing is read.
    total_items: int


class Jobs(TypedDict):
    # Jobs, the newest first.
    jobs: list[Job]
    # To be sent as `before` for the next page; null: this was the last.
    next_before: str | None


class Job(TypedDict):
    # Its id.
    id: str
    # `batch`: the videos that it names. `playlist`, `channel`: the videos that its one playlist or channel lists.
    kind: Literal["batch", "playlist", "channel"]
    # Its state.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    # Items of the job; 0 while its listing is read.
    total_items: int
    # Items that are complete.
    completed_items: int
    # Items that failed.
    failed_items: int
    # What its items and their operations cost so far; items that are complete are counted.
    credits_charged: int
    # Credits that are still set aside for it: from now on it charges at most as many.
    credits_reserved: int
    # Told when the job ends; null: nobody.
    webhook_url: str | None
    # When it was made, RFC 3339 in UTC.
    created_at: str
    # When it changed last, RFC 3339 in UTC.
    updated_at: str
    # The first items, in the order of the job.
    items: list[JobItem]
    # There are more items than these.
    items_truncated: bool
    # 1, and one more for each retry.
    run: int
    # The playlist or channel it was made of.
    source: str | None
    # Why its listing failed.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None


class JobItem(TypedDict):
    # Its id.
    id: str
    # Id of the job.
    job_id: str
    # Id of the video; null: the reference names none.
    video_id: str | None
    # Address of the video; null: the reference names none.
    url: str | None
    # As it was sent, or the link of a listed video.
    reference: str
    # Its state.
    status: Literal["queued", "processing", "complete", "failed", "cancelled"]
    # Language code (BCP 47).
    language: str | None
    # Why it failed, as in an error; null while it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # Attempts so far.
    attempts: int


class CancelJobRequest(TypedDict):
    pass


class RetryJobRequest(TypedDict):
    pass


class JobResults(TypedDict):
    # Id of the job.
    job_id: str
    # State of the job. More results can come while it is queued or processing.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    # Items that are complete.
    completed_items: int
    # Items that failed.
    failed_items: int
    # Items that have ended, in the order in which they ended.
    results: list[JobResult]
    # Where to read on. While the job runs, also behind a page that is not full, where one was asked for.
    next_cursor: str | None


class JobResult(TypedDict):
    # Id of the item.
    item_id: str
    # As it was sent, or the link of a listed video.
    reference: str
    # Id of the video; null: the reference names none.
    video_id: str | None
    # Address of the video; null: the reference names none.
    url: str | None
    # Its state.
    status: Literal["queued", "processing", "complete", "failed", "cancelled"]
    # Language code (BCP 47).
    language: str | None
    # The transcript; null when it failed or cannot be had at this moment.
    transcript: Transcript | None
    # Of `then` of the job.
    operations: list[OperationResult]
    # Why it failed, as in an error; null while it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # The `details` that the same refusal has as an error.
    error_details: dict[str, Any] | None
    # Attempts so far.
    attempts: int
    # Credits that were charged for it; 0 when it failed.
    credits_charged: int
    # Id of the ledger entry of the charge; null: nothing was charged.
    charge_id: str | None


class OperationResult(TypedDict):
    # Name of the operation.
    operation: str
    # What the operation of that name answers.
    result: dict[str, Any]
    # Credits that were charged for it; 0 when it failed.
    credits_charged: int
    # Id of the ledger entry of the charge; null: nothing was charged.
    charge_id: str | None


class JobStatusEvent(TypedDict):
    """The `data` of the event `job`."""

    # Id of the job.
    job_id: str
    # When, RFC 3339 in UTC.
    at: str
    # Its new status.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    # 1, and one more for each retry.
    run: int
    # Items of the job; said as soon as they are known.
    total_items: NotRequired[int]


class JobItemEvent(TypedDict):
    """The `data` of the event `item`."""

    # Id of the job.
    job_id: str
    # When, RFC 3339 in UTC.
    at: str
    # The new status of these items.
    status: Literal["queued", "processing", "complete", "failed", "cancelled"]
    # Ids of the items, one or more.
    item_ids: list[str]
    # Number of the attempt, from 1.
    attempt: NotRequired[int]
    # Why it failed, as in an error; null while it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # When it is tried again.
    retry_at: NotRequired[str]


class JobStreamEventJob(TypedDict):
    # Position in the log, for `Last-Event-ID`.
    id: str
    # Which kind of event it is.
    event: Literal["job"]
    # JSON.
    data: str


class JobStreamEventItem(TypedDict):
    # Position in the log, for `Last-Event-ID`.
    id: str
    # Which kind of event it is.
    event: Literal["item"]
    # JSON.
    data: str


JobStreamEvent: TypeAlias = "JobStreamEventJob | JobStreamEventItem"


class PlaylistVideosItem(TypedDict):
    # Id of the video.
    video_id: str
    # Title.
    title: str | None
    # Its address.
    url: str
    # Seconds.
    duration: int | None
    # Place in the order.
    position: int
    # Whether the video can be read, as far as the listing says.
    availability: Literal["public", "unlisted", "private", "deleted", "members_only", "unknown"]


class Playlist(TypedDict):
    # Id of the playlist.
    playlist_id: str
    # Title.
    title: str | None
    # Name of the channel that published the video.
    channel: str | None
    # Id of the channel on the platform.
    channel_id: str | None
    # Its address.
    url: str
    # As the platform counts; null: it does not say.
    total: int | None
    # Videos in this answer.
    returned: int
    # Counted by the platform and not shown.
    hidden: int | None
    # The platform stopped answering before the end.
    truncated: bool
    # The most that is returned.
    limit: int
    # Whether the listing goes on behind these videos.
    has_more: bool
    # The videos in the order of the listing.
    videos: list[PlaylistVideosItem]


class CreatePlaylistJobRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: NotRequired[int]


class CreatePlaylistJobRequestThenItemQuotes(TypedDict):
    # Name of the operation.
    operation: Literal["quotes"]


class CreatePlaylistJobRequestThenItemClips(TypedDict):
    # Name of the operation.
    operation: Literal["clips"]


class CreatePlaylistJobRequestThenItemRepurpose(TypedDict):
    # Name of the operation.
    operation: Literal["repurpose"]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreatePlaylistJobRequest(TypedDict):
    # Videos of all listings together; without it all that are listed, as far as a job can hold them (1,000).
    limit: NotRequired[int]
    # Told when the job ends.
    webhook_url: NotRequired[str | None]
    # Operations on each item after its transcript. Each is charged as that operation; what they may cost is set aside with the rest.
    then: NotRequired[list[CreatePlaylistJobRequestThenItemSummarize | CreatePlaylistJobRequestThenItemChapters | CreatePlaylistJobRequestThenItemAsk | CreatePlaylistJobRequestThenItemSearch | CreatePlaylistJobRequestThenItemQuotes | CreatePlaylistJobRequestThenItemClips | CreatePlaylistJobRequestThenItemRepurpose | CreatePlaylistJobRequestThenItemTranslate]]
    # Language code (BCP 47), or up to 10 with commas between: the first of them that there is. Another language is never substituted.
    lang: NotRequired[str]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues.
    words: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price.
    include: NotRequired[list[Literal["video"]]]
    # The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces.
    count_tokens: NotRequired[bool]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]
    # true: says what the request would cost, and does nothing.
    dry_run: NotRequired[bool]


class PlaylistJobStarted(TypedDict):
    # Id of the playlist.
    playlist_id: str
    # Videos that were found.
    videos_found: int
    # Id of the job.
    job_id: str
    # Its state.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]


class ChannelVideosItem(TypedDict):
    # Id of the video.
    video_id: str
    # Title.
    title: str | None
    # Its address.
    url: str
    # Seconds.
    duration: int | None
    # Place in the order.
    position: int
    # Whether the video can be read, as far as the listing says.
    availability: Literal["public", "unlisted", "private", "deleted", "members_only", "unknown"]


class Channel(TypedDict):
    # Id of the channel on the platform.
    channel_id: str | None
    # Handle of the channel, such as `@name`.
    handle: str | None
    # Title.
    title: str | None
    # Its address.
    url: str
    # As the platform counts; null: it does not say.
    total: int | None
    # Videos in this answer.
    returned: int
    # Counted by the platform and not shown.
    hidden: int | None
    # The platform stopped answering before the end.
    truncated: bool
    # The most that is returned.
    limit: int
    # Whether the listing goes on behind these videos.
    has_more: bool
    # The videos in the order of the listing.
    videos: list[ChannelVideosItem]


class CreateChannelJobRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: NotRequired[int]


class CreateChannelJobRequestThenItemQuotes(TypedDict):
    # Name of the operation.
    operation: Literal["quotes"]


class CreateChannelJobRequestThenItemClips(TypedDict):
    # Name of the operation.
    operation: Literal["clips"]


class CreateChannelJobRequestThenItemRepurpose(TypedDict):
    # Name of the operation.
    operation: Literal["repurpose"]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreateChannelJobRequest(TypedDict):
    # Videos of all listings together; without it all that are listed, as far as a job can hold them (1,000).
    limit: NotRequired[int]
    # Told when the job ends.
    webhook_url: NotRequired[str | None]
    # Operations on each item after its transcript. Each is charged as that operation; what they may cost is set aside with the rest.
    then: NotRequired[list[CreateChannelJobRequestThenItemSummarize | CreateChannelJobRequestThenItemChapters | CreateChannelJobRequestThenItemAsk | CreateChannelJobRequestThenItemSearch | CreateChannelJobRequestThenItemQuotes | CreateChannelJobRequestThenItemClips | CreateChannelJobRequestThenItemRepurpose | CreateChannelJobRequestThenItemTranslate]]
    # Language code (BCP 47), or up to 10 with commas between: the first of them that there is. Another language is never substituted.
    lang: NotRequired[str]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues.
    words: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price.
    include: NotRequired[list[Literal["video"]]]
    # The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces.
    count_tokens: NotRequired[bool]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]
    # true: says what the request would cost, and does nothing.
    dry_run: NotRequired[bool]


class ChannelJobStarted(TypedDict):
    # Id of the channel.
    channel_id: str
    # Videos that were found.
    videos_found: int
    # Id of the job.
    job_id: str
    # Its state.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]


class Library(TypedDict):
    # Videos, the newest first.
    videos: list[KeptVideo]
    # To be sent as `cursor` for the next page; null: this was the last.
    next_cursor: str | None


class KeptVideo(TypedDict):
    # Id of the video.
    video_id: str
    # Title.
    title: str | None
    # Name of the channel that published the video.
    channel: str | None
    # Id of the channel on the platform.
    channel_id: str | None
    # Language code (BCP 47) of the captions.
    language: str
    # Where the captions came from, as in a transcript.
    source: Literal["manual", "platform_auto", "translated", "asr"]
    # SHA-256 of the captions, in hexadecimal.
    content_sha256: str
    # When the video was kept first, RFC 3339 in UTC.
    kept_at: str


class LibrarySearchResultsResultsItem(TypedDict):
    # Id of the video.
    video_id: str
    # Title.
    title: str | None
    # Name of the channel that published the video.
    channel: str | None
    # Language code (BCP 47) of the captions.
    language: str
    # Seconds from the beginning of the video.
    start: float
    # Seconds from the beginning of the video, at which it ends.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str
    # How well it fits, from 0 to 1.
    score: float
    # The video at the second where the passage begins.
    url: str


class LibrarySearchResults(TypedDict):
    # Passages, the best first.
    results: list[LibrarySearchResultsResultsItem]


class AskLibraryRequest(TypedDict):
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class LibraryAnswer(TypedDict):
    # The question.
    question: str
    # The answer, made of what the captions say.
    answer: str
    # Passages of the captions that the answer rests on.
    citations: list[LibraryCitation]
    # Whether each sentence of the answer was found in the captions.
    grounded: bool
    # The model that made it; null: none did.
    model: str | None
    # true: made of the captions without a model.
    fallback: bool
    # There only where the result is not what was asked for.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What is not as it was asked for.
    message: NotRequired[str]


class LibraryCitation(TypedDict):
    # Id of the video.
    video_id: str
    # Seconds from the beginning of the video.
    start: float
    # Seconds from the beginning of the video, at which it ends.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str
    # SHA-256 of the captions, in hexadecimal.
    content_hash: str


class LibraryVersions(TypedDict):
    # Id of the video.
    video_id: str
    # The oldest first.
    versions: list[LibraryVersion]


class LibraryVersion(TypedDict):
    # Counts the captions that were kept of the video, from 1.
    version: int
    # SHA-256 of the captions, in hexadecimal.
    content_hash: str
    # Language code (BCP 47) of the captions.
    language: str
    # When these captions were kept, RFC 3339 in UTC.
    first_seen_at: str


class LibraryVersionText(TypedDict):
    # Id of the video.
    video_id: str
    # Counts the captions that were kept of the video, from 1.
    version: int
    # SHA-256 of the captions, in hexadecimal.
    content_hash: str
    # Language code (BCP 47) of the captions.
    language: str
    # When these captions were kept, RFC 3339 in UTC.
    first_seen_at: str
    # The captions in order.
    segments: list[Segment]


LibraryDiff = TypedDict("LibraryDiff", {
    "video_id": "str",
    "from": "int",
    "to": "int",
    "changes": "list[CaptionChange]",
})


class CaptionChange(TypedDict):
    # removed: a line that only `from` has; added: one that only `to` has.
    change: Literal["removed", "added"]
    # Seconds from the beginning of the video.
    start: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str


class Webhooks(TypedDict):
    # Webhooks.
    webhooks: list[Webhook]


class Webhook(TypedDict):
    # Its id.
    id: str
    # Its address.
    url: str
    # Kinds of events that it is told of.
    events: list[Literal["job.completed", "job.failed", "video.transcribed", "video.failed", "follow.paused", "captions.changed", "budget.warning", "budget.exhausted"]]
    # Whether deliveries are sent to it.
    active: bool
    # When it was made, RFC 3339 in UTC.
    created_at: str
    # A note of the owner.
    description: str | None
    # Why it is not active; null while it is.
    disabled_reason: Literal["owner", "gone", "failing"] | None


class CreateWebhookRequest(TypedDict):
    # Where deliveries are sent: https, on a public network.
    url: str
    # Kinds of events that it is told of.
    events: NotRequired[list[Literal["job.completed", "job.failed", "video.transcribed", "video.failed", "follow.paused", "captions.changed", "budget.warning", "budget.exhausted"]]]
    # A note of the owner.
    description: NotRequired[str | None]


class CreatedWebhook(TypedDict):
    webhook: Webhook
    # The signing secret. It is shown now and never again.
    secret: str


class CurrentSigningSecret(TypedDict):
    # The signing secret; null before there is one.
    secret: str | None
    # Until then the secret before signs too.
    previous_until: str | None


class RotateSigningSecretRequest(TypedDict):
    pass


class SigningSecret(TypedDict):
    # Shown now and never again.
    secret: str
    # Until then the secret before signs too.
    previous_until: str | None


class UpdateWebhookRequest(TypedDict):
    # Where deliveries are sent from now on: https, on a public network.
    url: NotRequired[str]
    # Kinds of events that it is told of.
    events: NotRequired[list[Literal["job.completed", "job.failed", "video.transcribed", "video.failed", "follow.paused", "captions.changed", "budget.warning", "budget.exhausted"]]]
    # Whether deliveries are sent to it.
    active: NotRequired[bool]
    # A note of the owner.
    description: NotRequired[str | None]


class RotateWebhookSecretRequest(TypedDict):
    pass


class TestWebhookRequest(TypedDict):
    pass


class RequestedDelivery(TypedDict):
    # Id of the new delivery.
    delivery_id: str


class Deliveries(TypedDict):
    # Deliveries, the newest first.
    deliveries: list[Delivery]
    # To be sent as `before` for the next page; null: this was the last.
    next_before: str | None


class Delivery(TypedDict):
    # Its id.
    id: str
    # Id of the webhook; null: the `webhook_url` of a job.
    webhook_id: str | None
    # The `webhook-id` that the receiver sees.
    event_id: str
    # Kind of the event.
    type: str
    # Id of the job.
    job_id: str | None
    # 1, and one more for each retry of the job; null: no job.
    run: int | None
    # The delivery that this one repeats; null: none.
    replay_of: str | None
    # pending: it is tried again; failed: it is tried no more.
    status: Literal["pending", "succeeded", "failed"]
    # When it is tried next; null: never.
    next_attempt_at: str | None
    # When it was made, RFC 3339 in UTC.
    created_at: str
    # Its attempts, the first one first.
    attempts: list[DeliveryAttempt]


class DeliveryAttempt(TypedDict):
    # Number of the attempt, from 1.
    attempt: int
    # Whether the receiver took it.
    success: bool
    # Why it failed, such as `timeout`.
    reason: str | None
    # Status that the receiver answered; null: it did not.
    http_status: int | None
    # Milliseconds that the attempt took.
    duration_ms: int
    # When, RFC 3339 in UTC.
    at: str


class ReplayDeliveryRequest(TypedDict):
    pass


class ReplayJobDeliveryRequest(TypedDict):
    pass


class RecoverDeliveriesRequest(TypedDict):
    # Deliveries that failed since this time are sent again.
    since: str


class RecoveredDeliveries(TypedDict):
    # Ids of the new deliveries.
    delivery_ids: list[str]


class CreateFollowRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: NotRequired[int]


class CreateFollowRequestThenItemQuotes(TypedDict):
    # Name of the operation.
    operation: Literal["quotes"]


class CreateFollowRequestThenItemClips(TypedDict):
    # Name of the operation.
    operation: Literal["clips"]


class CreateFollowRequestThenItemRepurpose(TypedDict):
    # Name of the operation.
    operation: Literal["repurpose"]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreateFollowRequest(TypedDict):
    # A channel (id, @handle or link) or a playlist (id or link).
    source: str
    # Language code (BCP 47), or up to 10 with commas between: the first of them that there is. Another language is never substituted.
    lang: NotRequired[str]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # Operations on each video after its transcript. Each is charged as that operation, within the same budget.
    then: NotRequired[list[CreateFollowRequestThenItemSummarize | CreateFollowRequestThenItemChapters | CreateFollowRequestThenItemAsk | CreateFollowRequestThenItemSearch | CreateFollowRequestThenItemQuotes | CreateFollowRequestThenItemClips | CreateFollowRequestThenItemRepurpose | CreateFollowRequestThenItemTranslate]]
    # Whether the transcripts go into the library of the account.
    keep: NotRequired[bool]
    # Which videos of a channel are read; shorts and streams of a playlist are told apart less surely.
    kinds: NotRequired[list[Literal["videos", "shorts", "streams"]]]
    # Told of each video, and when the follow pauses.
    webhook_url: NotRequired[str | None]
    # What it may cost in an accounting period of the account.
    max_credits_per_period: int
    # So many of the newest videos that are there already are read too.
    backfill: NotRequired[int]
    # How often the source is looked at; the service has a default (1 hour) and a least (15 minutes).
    interval_seconds: NotRequired[int]


class FollowThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: Literal["short", "medium", "detailed"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: int


class FollowThenItemQuotes(TypedDict):
    # Name of the operation.
    operation: Literal["quotes"]


class FollowThenItemClips(TypedDict):
    # Name of the operation.
    operation: Literal["clips"]


class FollowThenItemRepurpose(TypedDict):
    # Name of the operation.
    operation: Literal["repurpose"]
    # The form of the text.
    format: Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: Literal["original", "translated", "bilingual"]


class Follow(TypedDict):
    # Its id.
    id: str
    # What it follows.
    source: FollowedSource
    # active: new videos are read. waiting: they are found, and read when what it waits for is there. paused: nothing is looked for; what appears meanwhile is read when it goes on.
    status: Literal["active", "waiting", "paused", "ended"]
    # Why it is paused; null while it is not.
    reason: Literal["owner", "source_gone", "source_too_large", "key_revoked", "key_expired"] | None
    # budget: the next period, or a higher `max_credits_per_period`; credits: credits of the account; key_cap: the cap of the key that made it. Null: nothing.
    waiting_for: Literal["budget", "credits", "key_cap"] | None
    # Language code (BCP 47), or several with commas between; null: the default.
    lang: str | None
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: Literal["any", "manual", "automatic"]
    # Operations on each video after its transcript.
    then: list[FollowThenItemSummarize | FollowThenItemChapters | FollowThenItemAsk | FollowThenItemSearch | FollowThenItemQuotes | FollowThenItemClips | FollowThenItemRepurpose | FollowThenItemTranslate]
    # Whether the transcripts go into the library of the account.
    keep: bool
    # Which videos of a channel are read.
    kinds: list[Literal["videos", "shorts", "streams"]]
    # Told of each video; null: nobody.
    webhook_url: str | None
    # What it may cost in an accounting period of the account.
    max_credits_per_period: int
    # What it has cost in this period, with what its jobs have set aside.
    credits_used: int
    # How often the source is looked at.
    interval_seconds: int
    # A feed (Atom) of what was transcribed. Whoever knows the address can read it: keep it secret.
    feed_url: str
    # When the source was looked at last; null: not yet.
    last_look_at: str | None
    # When it is looked at next; null: not, as it stands.
    next_look_at: str | None
    # When it was made, RFC 3339 in UTC.
    created_at: str


class FollowedSource(TypedDict):
    # What is followed.
    kind: Literal["channel", "playlist"]
    # Its id on the platform.
    id: str
    # Title.
    title: str | None


class Follows(TypedDict):
    # Follows, the newest first.
    follows: list[Follow]
    # To be sent as `before` for the next page; null: this was the last.
    next_before: str | None


class UpdateFollowRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # What is searched for.
    query: str
    # The most passages that are returned.
    limit: NotRequired[int]


class UpdateFollowRequestThenItemQuotes(TypedDict):
    # Name of the operation.
    operation: Literal["quotes"]


class UpdateFollowRequestThenItemClips(TypedDict):
    # Name of the operation.
    operation: Literal["clips"]


class UpdateFollowRequestThenItemRepurpose(TypedDict):
    # Name of the operation.
    operation: Literal["repurpose"]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; without it that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the captions as they are, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class UpdateFollowRequest(TypedDict):
    # Language code (BCP 47), or up to 10 with commas between: the first of them that there is. Another language is never substituted.
    lang: NotRequired[str]
    # Which captions are read.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # Operations on each video after its transcript.
    then: NotRequired[list[UpdateFollowRequestThenItemSummarize | UpdateFollowRequestThenItemChapters | UpdateFollowRequestThenItemAsk | UpdateFollowRequestThenItemSearch | UpdateFollowRequestThenItemQuotes | UpdateFollowRequestThenItemClips | UpdateFollowRequestThenItemRepurpose | UpdateFollowRequestThenItemTranslate]]
    # Whether the transcripts go into the library of the account.
    keep: NotRequired[bool]
    # Which videos of a channel are read.
    kinds: NotRequired[list[Literal["videos", "shorts", "streams"]]]
    # Told of each video, and when the follow pauses.
    webhook_url: NotRequired[str | None]
    # What it may cost in an accounting period.
    max_credits_per_period: NotRequired[int]
    # How often the source is looked at.
    interval_seconds: NotRequired[int]


class PauseFollowRequest(TypedDict):
    pass


class ResumeFollowRequest(TypedDict):
    pass


class CheckFollowRequest(TypedDict):
    pass


class RotateFollowFeedRequest(TypedDict):
    pass


class FollowedVideos(TypedDict):
    # Videos, the newest first.
    videos: list[FollowedVideo]


class FollowedVideo(TypedDict):
    # Id of the video.
    video_id: str
    # Title.
    title: str | None
    # waiting: until it is over, has captions, or the follow goes on; else as an item of a job.
    status: Literal["waiting", "queued", "processing", "complete", "failed"]
    # The job that reads it; null: none yet.
    job_id: str | None
    # Why it failed, as in an error; null while it did not.
    error_code: str | None
    # Credits that were charged for it; 0 when it failed.
    credits_charged: int
    # Id of the ledger entry of the charge; null: nothing was charged.
    charge_id: str | None
    # When it was found.
    found_at: str
    # When it is tried again; null: not by the clock.
    due_at: str | None


class FollowStatusEvent(TypedDict):
    """The `data` of the event `follow`."""

    # Its id.
    follow_id: str
    # When, RFC 3339 in UTC.
    at: str
    # Its new status.
    status: Literal["active", "waiting", "paused", "ended"]
    # Why it is paused or waits; null: neither.
    reason: str | None


class FollowedVideoEvent(TypedDict):
    """The `data` of the event `video`."""

    # Its id.
    follow_id: str
    # When, RFC 3339 in UTC.
    at: str
    # Id of the video.
    video_id: str
    # Its new status.
    status: Literal["waiting", "queued", "processing", "complete", "failed"]
    # The job that reads it; null: none.
    job_id: str | None
    # Why it failed, as in an error; null while it did not.
    error_code: str | None
    # When it is tried again; null: not by the clock.
    due_at: str | None


class FollowStreamEventFollow(TypedDict):
    # Position in the log, for `Last-Event-ID`.
    id: str
    # Which kind of event it is.
    event: Literal["follow"]
    # JSON.
    data: str


class FollowStreamEventVideo(TypedDict):
    # Position in the log, for `Last-Event-ID`.
    id: str
    # Which kind of event it is.
    event: Literal["video"]
    # JSON.
    data: str


FollowStreamEvent: TypeAlias = "FollowStreamEventFollow | FollowStreamEventVideo"


class UsageByKindItem(TypedDict):
    # Kind of operation.
    kind: str
    # Requests, and items of jobs.
    count: int
    # Credits, less what was given back.
    credits: int


class UsageByTagItem(TypedDict):
    # The cost tag; null: none.
    cost_tag: str | None
    # Requests, and items of jobs.
    count: int
    # Credits, less what was given back.
    credits: int


class UsageDailyItem(TypedDict):
    # UTC day.
    day: str
    # Requests, and items of jobs.
    count: int
    # Credits, less what was given back.
    credits: int


class Usage(TypedDict):
    # Requests, the failed ones included.
    requests: int
    # Requests that succeeded.
    successful: int
    # Requests that failed.
    failed: int
    # Charged in these days, less what was given back in them: below zero when that was more. The sum of `by_kind`.
    credits_used: int
    # The figures by kind of operation.
    by_kind: list[UsageByKindItem]
    # The figures by cost tag, most credits first.
    by_tag: list[UsageByTagItem]
    # One entry for each UTC day, the oldest first; days without requests too.
    daily: list[UsageDailyItem]
    # The plan of the account.
    plan: str
    # Credits that can be spent now.
    credits_remaining: int
    # Credits that are set aside for jobs.
    credits_reserved: int
    # Requests that are possible in a minute.
    rate_limit_per_min: int | None
    # true: nothing is refused for want of credits, whatever `credits_remaining` says.
    unlimited: bool
    # Days that the figures cover, today included.
    period_days: int


class Ledger(TypedDict):
    # Entries of the ledger, the newest first.
    entries: list[LedgerEntry]
    # To be sent as `before` for the next page; null: this was the last.
    next_before: str | None


class LedgerEntry(TypedDict):
    # Its id.
    id: str
    # What kind it is.
    type: str
    # Stream of the event.
    stream: str
    # Place of the entry in its stream.
    version: str
    # Place in the order.
    position: str
    # When it happened, RFC 3339 in UTC.
    occurred_at: str
    # The request that it belongs to: `X-Request-ID` of its answer.
    request_id: str | None
    # Version of the shape of `data`.
    schema_version: int
    # The event as it is stored and hashed, name by name.
    data: dict[str, Any]
    # What surrounds the event, as it is stored and hashed.
    meta: dict[str, Any]
    # Hash of the entry before it in the ledger.
    prev_hash: str
    # SHA-256 (hex) over prev_hash and the canonical JSON (RFC 8785) of id, type, schema_version, stream, version, data and meta.
    hash: str


class LedgerProof(TypedDict):
    # The entry that is proved.
    entry: LedgerEntry
    # Salt of the account, base64: what is logged is SHA-256(salt ‖ hash of the entry).
    salt: str
    # Place of the leaf in the log, from 0.
    leaf_index: int
    # SHA-256(0x00 ‖ what is logged), base64.
    leaf_hash: str
    # Inclusion proof (RFC 9162), base64: from the sibling of the leaf to a child of the root.
    inclusion: list[str]
    # Signed checkpoint of the log (C2SP tlog-checkpoint) to which the proof leads.
    checkpoint: str


class Receipts(TypedDict):
    # A compact JWS (RFC 7515, EdDSA with Ed25519) for each charge, in their order. Its payload: account_id, key_id, grant_id, operation, video_id, format, options, content_sha256, price_book, credits, balance_before, balance_after, event_id, event_hash, charged_at, request_id, cost_tag.
    receipts: list[str]
    # Where the next page begins; null: there is none.
    next_cursor: str | None


class StatementsStatementsItem(TypedDict):
    # The UTC day on which the period begins.
    period: str
    # true: the period is not over.
    provisional: bool


class Statements(TypedDict):
    # The newest first.
    statements: list[StatementsStatementsItem]


class StatementGrantsItem(TypedDict):
    # Id of the ledger entry.
    entry: str
    # Why they were given.
    kind: str
    # Credits.
    credits: int
    # When.
    at: str


class StatementChargesItem(TypedDict):
    # Name of the operation.
    operation: str
    # The key; null: none.
    key_id: str | None
    # The cost tag; null: none.
    cost_tag: str | None
    # Requests, and items of jobs.
    count: int
    # Credits.
    credits: int


class StatementRefundsItem(TypedDict):
    # Id of the ledger entry.
    entry: str
    # The charge that was given back.
    charge: str
    # Why, as the ledger says.
    reason: str
    # Credits.
    credits: int
    # When.
    at: str


class StatementCorrectionsItem(TypedDict):
    # Number of the credit note: `CN-`, the period, and a count from 1.
    number: str
    # Id of the ledger entry that is corrected; it stays as it is.
    entry: str
    # Id of the ledger entry that corrects it.
    correction: str
    # Why, as the ledger says.
    reason: str
    # Credits; below 0: they were taken.
    credits: int
    # When.
    at: str


class StatementFirstEntry(TypedDict):
    # Id of the entry.
    id: str
    # Its hash.
    hash: str


class StatementLastEntry(TypedDict):
    # Id of the entry.
    id: str
    # Its hash.
    hash: str


class Statement(TypedDict):
    # Id of the account.
    account_id: str
    # The UTC day on which the period begins.
    period: str
    # When the period begins.
    opens_at: str
    # When it ends; not included.
    closes_at: str
    # true: the period is not over. The statement of one that is over never changes.
    provisional: bool
    # Credits that could be spent at the beginning.
    opening_balance: int
    # Credits that were set aside for jobs at the beginning.
    opening_reserved: int
    # Credits that came.
    grants: list[StatementGrantsItem]
    # What was spent, by operation, key and cost tag.
    charges: list[StatementChargesItem]
    # What was given back.
    refunds: list[StatementRefundsItem]
    # Corrections of earlier entries.
    corrections: list[StatementCorrectionsItem]
    # Credits that expired.
    expired: int
    # Credits that are set aside for jobs at the end.
    reserved: int
    # Credits that can be spent at the end.
    closing_balance: int
    # The first ledger entry of the period.
    first_entry: StatementFirstEntry | None
    # The last one.
    last_entry: StatementLastEntry | None


class EventFeed(TypedDict):
    # Events, the oldest first.
    events: list[CloudEvent]
    # Goes on after the last of them; at the end it stays as it was.
    next_cursor: str | None


class CloudEvent(TypedDict):
    # Version of CloudEvents.
    specversion: Literal["1.0"]
    # Id of the event; with `source` it is unique.
    id: str
    # Which feed it is of.
    source: str
    # `dev.steno.ledger.` and the type of the entry.
    type: str
    # Stream of the entry.
    subject: str
    # When it happened, RFC 3339 in UTC.
    time: str
    # Media type of `data`.
    datacontenttype: Literal["application/json"]
    # Goes on after this event.
    cursor: str
    # The entry with what proves it.
    data: LedgerEntry


class LedgerFeedEvent(TypedDict):
    """One event of the stream, field by field."""

    # Position in the log, for `Last-Event-ID`.
    id: str
    # Which kind of event it is.
    event: Literal["ledger"]
    # JSON.
    data: str


class ErrorError(TypedDict):
    """The one error of the answer."""

    # What went wrong, for programs. New codes may be added at any time: treat an unknown one by its status.
    code: str
    # The same in a sentence for people.
    message: str
    # The request that it belongs to: `X-Request-ID` of its answer.
    request_id: str
    # More about the refusal, such as `reason`, `fields` or `retry_after_s`; null: nothing more.
    details: dict[str, Any] | None


class Error(TypedDict):
    # The one error of the answer.
    error: ErrorError


class WebhookEventData(TypedDict):
    """What is recorded of it."""

    # Id of the job.
    job_id: str
    # `batch`: the videos that it names. `playlist`, `channel`: the videos that its one playlist or channel lists.
    kind: Literal["batch", "playlist", "channel"]
    # How the run ended.
    status: Literal["completed", "completed_with_errors", "failed"]
    # 1, and one more for each retry of the job; null: no job.
    run: int
    # Items of the job; 0 while its listing is read.
    total_items: int
    # Items that are complete.
    completed_items: int
    # Items that failed.
    failed_items: int
    # Credits that were charged for it; 0 when it failed.
    credits_charged: int
    # When it was made, RFC 3339 in UTC.
    created_at: str
    # When it changed last, RFC 3339 in UTC.
    updated_at: str
    # Where the results are read.
    results_url: str
    # Where the signed receipts of its charges are.
    receipts_url: str


class WebhookEvent(TypedDict):
    # The `webhook-id`: the same at every attempt and replay.
    id: str
    # Kind of the event.
    type: Literal["job.completed", "job.failed"]
    # When it happened, RFC 3339 in UTC.
    timestamp: str
    # Version of the shape of this body.
    api_version: str
    # true: a delivery that its owner asked for as a test; its job never was.
    test: NotRequired[Literal[True]]
    # What is recorded of it.
    data: WebhookEventData
