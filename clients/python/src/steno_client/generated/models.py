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
    # The requested language; null: none.
    requested_language: str | None
    # manual: captions by hand; platform_auto: speech recognition of the platform; translated: by the platform; asr: speech recognition of this service.
    source: Literal["manual", "platform_auto", "translated", "asr"]
    # Number of segments.
    segment_count: int
    # The captions in order.
    segments: list[TranscriptSegment]
    # Present only with `include=video`.
    video: NotRequired[Video]
    # Present only with `count_tokens`.
    token_count: NotRequired[int]


class TranscriptSegment(TypedDict):
    # The words.
    text: str
    # Seconds from the beginning of the video.
    start: float
    # Seconds.
    duration: float
    # Present only with `words=true`: the words of automatic captions with the platform's timings. Null: no timings, as for captions written by people.
    words: NotRequired[list[Word] | None]


class Word(TypedDict):
    # One word.
    text: str
    # Start, in seconds from the beginning of the video.
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
    # Seconds; null if the length of the video is not known.
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
    # Seconds; null while it is live or upcoming.
    duration: int | None
    # With its line breaks, without other control characters.
    description: str | None
    # View count.
    views: int | None
    # Its thumbnails, in the order of the platform.
    thumbnails: list[VideoThumbnailsItem]
    # ended: it was live.
    live_state: Literal["none", "upcoming", "live", "ended"]
    # Null if the platform does not send it with the captions. If only the day is known, its beginning in UTC.
    published_at: str | None
    # Those that its author wrote into the description, by the platform's rule: the first at 0:00, at least three, each at least ten seconds long and later than the previous one; null: there are none.
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
    # true: only returns the cost of the request.
    dry_run: Literal[True]
    # Name of the operation.
    operation: str
    # Maximum cost.
    credits: int
    # Distinct videos that it would read; null: it reads none.
    videos: int | None
    # When it costs less; null: never.
    note: str | None


class RawTranscriptMetadata(TypedDict):
    """Details of the video."""

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
    # The requested language; null: none.
    requested_language: str | None
    # How the track was chosen for the requested language.
    matched_by: Literal["default", "exact", "region"]


class RawTranscript(TypedDict):
    # Id of the video.
    video_id: str
    # The platform that the captions come from.
    provider: str
    # When the captions were read from the platform.
    fetched_at: str
    # Whether the captions came from the cache.
    cache_hit: bool
    # Every caption track of the video.
    tracks: list[CaptionTrack]
    track: CaptionTrack
    # Details of the video.
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
    # The language that is read by default; null: the video has no captions.
    default: str | None
    # Whether the video has any captions.
    has_captions: bool
    # Every caption track, and whether it was made by hand (`manual`), by speech recognition (`automatic`) or by translation.
    tracks: list[CaptionTrack]


class GetTranscriptsRequest(TypedDict):
    # Videos, each by its id or any link.
    ids: list[str]
    # Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted.
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
    # Videos requested.
    requested: int
    # Videos that succeeded.
    succeeded: int
    # Videos that failed.
    failed: int
    # Credits charged for all videos together.
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
    # The transcript; null if it failed or is not available at the moment.
    transcript: Transcript | None
    # The transcript in the `format` of the request; null for json and for a failure.
    text: str | None
    # Why it failed, as in an error; null if it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # The `details` that the same refusal has as an error.
    error_details: dict[str, Any] | None
    # Credits charged for it; 0 if it failed.
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
    # The first 16 digits of `content_hash`, and the range of its characters in the text: the same range of the same captions always has the same id.
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
    # Whether a model is configured; without one, operations return extracts.
    ai_enabled: bool
    # The model; null: none.
    model: str | None
    # The model for embeddings; null: none.
    embedding_model: str | None
    # open: the provider failed, and fallbacks are returned for a minute.
    circuit: Literal["closed", "open", "half_open"] | None


class SummarizeRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; default: that of the captions.
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
    # true: an extract of the captions, made without a model.
    fallback: bool
    # Present only if the result is not what was requested.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What differs from the request.
    message: NotRequired[str]


class InsightQuote(TypedDict):
    # true: only returns the cost of the request.
    dry_run: Literal[True]
    # Name of the operation.
    operation: str
    # Id of the video.
    video_id: str
    # Maximum cost of the operation.
    credits: int
    # Its cost without a model.
    credits_if_fallback: int
    # When it costs less than that.
    note: NotRequired[str]
    # Present only if the result is not what was requested.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What differs from the request.
    message: NotRequired[str]


class ChaptersRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Language of the answer; default: that of the captions.
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
    # true: an extract of the captions, made without a model.
    fallback: bool
    # Present only if the result is not what was requested.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What differs from the request.
    message: NotRequired[str]


class AskRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Answer(TypedDict):
    # Id of the video.
    video_id: str
    # The question.
    question: str
    # The answer, based on the captions.
    answer: str
    # Passages of the captions that the answer rests on.
    citations: list[Citation]
    # Whether each sentence of the answer was found in the captions.
    grounded: bool
    # The model that made it; null: none did.
    model: str | None
    # true: an extract of the captions, made without a model.
    fallback: bool
    # Present only if the result is not what was requested.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What differs from the request.
    message: NotRequired[str]


class Citation(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # End, in seconds from the beginning of the video.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str


class SearchRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # The query.
    query: str
    # Maximum passages to return.
    limit: NotRequired[int]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class SearchResultsResultsItem(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # End, in seconds from the beginning of the video.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str
    # Relevance; higher is better.
    score: float


class SearchResults(TypedDict):
    # Id of the video.
    video_id: str
    # The query.
    query: str
    # Passages, the best first.
    results: list[SearchResultsResultsItem]


class QuotesRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
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
    # true: an extract of the captions, made without a model.
    fallback: bool


class ClipsRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class ClipsClipsItem(TypedDict):
    # Seconds from the beginning of the video.
    start: float
    # End, in seconds from the beginning of the video.
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
    # Self-contained passages, in the order of the video.
    clips: list[ClipsClipsItem]
    # The model that made it; null: none did.
    model: str | None
    # true: an extract of the captions, made without a model.
    fallback: bool


class RepurposeRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # The form of the text.
    format: NotRequired[Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Repurposed(TypedDict):
    # Id of the video.
    video_id: str
    # The form of the text.
    format: Literal["blog", "newsletter", "linkedin", "x_thread", "youtube_description", "show_notes"]
    # The text in the requested format.
    content: str
    # The model that made it; null: none did.
    model: str | None
    # true: an extract of the captions, made without a model.
    fallback: bool
    # Present only if the result is not what was requested.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What differs from the request.
    message: NotRequired[str]


class TranslateRequest(TypedDict):
    # Video id, or any link to the video. The first one given is used.
    video_id: NotRequired[str | None]
    # The same.
    videoId: NotRequired[str | None]
    # The same.
    url: NotRequired[str | None]
    # Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted.
    lang: NotRequired[str | None]
    # The same; `lang` comes first.
    language: NotRequired[str | None]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing.
    keep: NotRequired[bool]
    # auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation.
    asr: NotRequired[Literal["off", "auto", "force"]]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class Translation(TypedDict):
    # Id of the video.
    video_id: str
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: Literal["original", "translated", "bilingual"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # Whether it had to be translated.
    translated: bool
    # Source language; null: not known.
    source_language: str | None
    # `OK` or `FEATURE_UNAVAILABLE`.
    code: str
    # A sentence about the result, for people.
    message: str
    # Number of segments.
    segment_count: int
    # Captions, in order.
    segments: list[Segment]
    # The model that made it; null: none did.
    model: str | None
    # true: an extract of the captions, made without a model.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # The query.
    query: str
    # Maximum passages to return.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateJobRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreateJobRequest(TypedDict):
    # Videos, each by its id or any link.
    ids: NotRequired[list[str]]
    # The same as `ids`.
    video_ids: NotRequired[list[str]]
    # Videos, playlists or channels by their links.
    urls: NotRequired[list[str]]
    # batch: videos by their ids or links, and playlists and channels by their links. playlist: playlists, channel: channels, each by its id or any link; a channel also by its handle.
    kind: NotRequired[Literal["batch", "playlist", "channel"]]
    # Maximum videos of all listings together; without it all of them, up to the size of a job (1,000).
    limit: NotRequired[int]
    # Notified when the job ends.
    webhook_url: NotRequired[str | None]
    # Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest.
    then: NotRequired[list[CreateJobRequestThenItemSummarize | CreateJobRequestThenItemChapters | CreateJobRequestThenItemAsk | CreateJobRequestThenItemSearch | CreateJobRequestThenItemQuotes | CreateJobRequestThenItemClips | CreateJobRequestThenItemRepurpose | CreateJobRequestThenItemTranslate]]
    # Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted.
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
    # true: only returns the cost of the request.
    dry_run: NotRequired[bool]


class JobPlan(TypedDict):
    # true: only returns the cost of the request.
    dry_run: Literal[True]
    # Name of the operation.
    operation: Literal["job"]
    # The same as `credits_needed`.
    credits: int
    # The source of the job.
    kind: Literal["batch", "playlist", "channel"]
    # Null: listing takes too long, or more requests to the platform than a dry run makes.
    videos_found: int | None
    # Reserved when the job is created; the maximum if `videos_found` is null.
    credits_needed: int
    # Videos in the listing according to the platform; null: unknown.
    expected: int | None
    # Videos that the platform counts but does not list; null: unknown.
    hidden: int | None
    # Whether the listing has more videos than were read.
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
    # Send it as `before` for the next page; null: this was the last.
    next_before: str | None


class Job(TypedDict):
    # Its id.
    id: str
    # `batch`: the given references. `playlist`, `channel`: the videos of the given playlists or channels.
    kind: Literal["batch", "playlist", "channel"]
    # Its state.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    # Items of the job; 0 while its listing is read.
    total_items: int
    # Completed items.
    completed_items: int
    # Items that failed.
    failed_items: int
    # The cost of its completed items and their operations so far.
    credits_charged: int
    # Credits still reserved for it: the maximum that it will still charge.
    credits_reserved: int
    # Notified when the job ends; null: none.
    webhook_url: str | None
    # When it was created, RFC 3339 in UTC.
    created_at: str
    # When it last changed, RFC 3339 in UTC.
    updated_at: str
    # The first items, in the order of the job.
    items: list[JobItem]
    # There are more items than these.
    items_truncated: bool
    # 1, and one more for each retry.
    run: int
    # The playlist or channel it was created from; null: none, or several.
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
    # Why it failed, as in an error; null if it did not.
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
    # State of the job. More results can follow while it is queued or processing.
    status: Literal["queued", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    # Completed items.
    completed_items: int
    # Items that failed.
    failed_items: int
    # Items that have ended, in the order in which they ended.
    results: list[JobResult]
    # Where to continue; null: nothing follows, or not yet. While the job runs, even after a page that is not full, if pages were requested.
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
    # The transcript; null if it failed or is not available at the moment.
    transcript: Transcript | None
    # Of `then` of the job.
    operations: list[OperationResult]
    # Why it failed, as in an error; null if it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # The `details` that the same refusal has as an error.
    error_details: dict[str, Any] | None
    # Attempts so far.
    attempts: int
    # Credits charged for it; 0 if it failed.
    credits_charged: int
    # Id of the ledger entry of the charge; null: nothing was charged.
    charge_id: str | None


class OperationResult(TypedDict):
    # Name of the operation.
    operation: str
    # The result of the operation of that name.
    result: dict[str, Any]
    # Credits charged for it; 0 if it failed.
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
    # Items of the job; present once they are known.
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
    # Why it failed, as in an error; null if it did not.
    error_code: str | None
    # The same in a sentence for people.
    error_message: str | None
    # When it is retried.
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
    # As counted by the platform; null: unknown.
    total: int | None
    # Videos in this response.
    returned: int
    # Counted by the platform and not shown.
    hidden: int | None
    # The platform stopped answering before the end.
    truncated: bool
    # Maximum number returned.
    limit: int
    # Whether the listing continues after these videos.
    has_more: bool
    # The videos in the order of the listing.
    videos: list[PlaylistVideosItem]


class CreatePlaylistJobRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # The query.
    query: str
    # Maximum passages to return.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreatePlaylistJobRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreatePlaylistJobRequest(TypedDict):
    # Maximum videos of all listings together; without it all of them, up to the size of a job (1,000).
    limit: NotRequired[int]
    # Notified when the job ends.
    webhook_url: NotRequired[str | None]
    # Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest.
    then: NotRequired[list[CreatePlaylistJobRequestThenItemSummarize | CreatePlaylistJobRequestThenItemChapters | CreatePlaylistJobRequestThenItemAsk | CreatePlaylistJobRequestThenItemSearch | CreatePlaylistJobRequestThenItemQuotes | CreatePlaylistJobRequestThenItemClips | CreatePlaylistJobRequestThenItemRepurpose | CreatePlaylistJobRequestThenItemTranslate]]
    # Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted.
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
    # true: only returns the cost of the request.
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
    # As counted by the platform; null: unknown.
    total: int | None
    # Videos in this response.
    returned: int
    # Counted by the platform and not shown.
    hidden: int | None
    # The platform stopped answering before the end.
    truncated: bool
    # Maximum number returned.
    limit: int
    # Whether the listing continues after these videos.
    has_more: bool
    # The videos in the order of the listing.
    videos: list[ChannelVideosItem]


class CreateChannelJobRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # The query.
    query: str
    # Maximum passages to return.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateChannelJobRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreateChannelJobRequest(TypedDict):
    # Maximum videos of all listings together; without it all of them, up to the size of a job (1,000).
    limit: NotRequired[int]
    # Notified when the job ends.
    webhook_url: NotRequired[str | None]
    # Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest.
    then: NotRequired[list[CreateChannelJobRequestThenItemSummarize | CreateChannelJobRequestThenItemChapters | CreateChannelJobRequestThenItemAsk | CreateChannelJobRequestThenItemSearch | CreateChannelJobRequestThenItemQuotes | CreateChannelJobRequestThenItemClips | CreateChannelJobRequestThenItemRepurpose | CreateChannelJobRequestThenItemTranslate]]
    # Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted.
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
    # true: only returns the cost of the request.
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
    # Send it as `cursor` for the next page; null: this was the last.
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
    # End, in seconds from the beginning of the video.
    end: float
    # mm:ss, from one hour on h:mm:ss
    timestamp: str
    # Verbatim from the captions.
    text: str
    # Relevance, from 0 to 1.
    score: float
    # The video at the second where the passage begins.
    url: str


class LibrarySearchResults(TypedDict):
    # Passages, the best first.
    results: list[LibrarySearchResultsResultsItem]


class AskLibraryRequest(TypedDict):
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]
    # Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.
    cost_tag: NotRequired[str]


class LibraryAnswer(TypedDict):
    # The question.
    question: str
    # The answer, based on the captions.
    answer: str
    # Passages of the captions that the answer rests on.
    citations: list[LibraryCitation]
    # Whether each sentence of the answer was found in the captions.
    grounded: bool
    # The model that made it; null: none did.
    model: str | None
    # true: an extract of the captions, made without a model.
    fallback: bool
    # Present only if the result is not what was requested.
    code: NotRequired[Literal["FEATURE_UNAVAILABLE"]]
    # What differs from the request.
    message: NotRequired[str]


class LibraryCitation(TypedDict):
    # Id of the video.
    video_id: str
    # Seconds from the beginning of the video.
    start: float
    # End, in seconds from the beginning of the video.
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
    # Number of these captions among those kept of the video, from 1.
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
    # Number of these captions among those kept of the video, from 1.
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
    # Kinds of events that it receives.
    events: list[Literal["job.completed", "job.failed", "video.transcribed", "video.failed", "follow.paused", "captions.changed", "budget.warning", "budget.exhausted"]]
    # Whether deliveries are sent to it.
    active: bool
    # When it was created, RFC 3339 in UTC.
    created_at: str
    # A note of the owner.
    description: str | None
    # Why it is inactive; null while it is active.
    disabled_reason: Literal["owner", "gone", "failing"] | None


class CreateWebhookRequest(TypedDict):
    # Where deliveries are sent: https, on a public network.
    url: str
    # Kinds of events that it receives.
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
    # Until then the previous secret signs too.
    previous_until: str | None


class RotateSigningSecretRequest(TypedDict):
    pass


class SigningSecret(TypedDict):
    # Shown now and never again.
    secret: str
    # Until then the previous secret signs too.
    previous_until: str | None


class UpdateWebhookRequest(TypedDict):
    # The new URL for deliveries: https, on a public network.
    url: NotRequired[str]
    # Kinds of events that it receives.
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
    # Send it as `before` for the next page; null: this was the last.
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
    # pending: it is retried; failed: it is not retried.
    status: Literal["pending", "succeeded", "failed"]
    # Next attempt; null: none.
    next_attempt_at: str | None
    # When it was created, RFC 3339 in UTC.
    created_at: str
    # Its attempts, in order.
    attempts: list[DeliveryAttempt]


class DeliveryAttempt(TypedDict):
    # Number of the attempt, from 1.
    attempt: int
    # Whether the receiver accepted it.
    success: bool
    # Why it failed, such as `timeout`.
    reason: str | None
    # Status returned by the receiver; null: no response.
    http_status: int | None
    # Duration of the attempt in milliseconds.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # The query.
    query: str
    # Maximum passages to return.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class CreateFollowRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class CreateFollowRequest(TypedDict):
    # A channel (id, @handle or link) or a playlist (id or link).
    source: str
    # Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted.
    lang: NotRequired[str]
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # Operations on each video after its transcript. Each is charged as that operation, within the same budget.
    then: NotRequired[list[CreateFollowRequestThenItemSummarize | CreateFollowRequestThenItemChapters | CreateFollowRequestThenItemAsk | CreateFollowRequestThenItemSearch | CreateFollowRequestThenItemQuotes | CreateFollowRequestThenItemClips | CreateFollowRequestThenItemRepurpose | CreateFollowRequestThenItemTranslate]]
    # Whether the transcripts are kept in the library of the account.
    keep: NotRequired[bool]
    # Which videos of a channel are read; in a playlist, shorts and streams are distinguished less reliably.
    kinds: NotRequired[list[Literal["videos", "shorts", "streams"]]]
    # Notified of each video, and when the follow pauses.
    webhook_url: NotRequired[str | None]
    # Its maximum cost in a billing period of the account.
    max_credits_per_period: int
    # How many of the newest existing videos are read too.
    backfill: NotRequired[int]
    # How often the source is checked; the service has a default (1 hour) and a minimum (15 minutes), unless its operator has set others.
    interval_seconds: NotRequired[int]


class FollowThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: Literal["short", "medium", "detailed"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # The query.
    query: str
    # Maximum passages to return.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class FollowThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: Literal["original", "translated", "bilingual"]


class Follow(TypedDict):
    # Its id.
    id: str
    # What it follows.
    source: FollowedSource
    # active: new videos are read. waiting: they are found, and read once the wait is over. paused: the source is not checked; videos published meanwhile are read after it resumes.
    status: Literal["active", "waiting", "paused", "ended"]
    # Why it is paused; null while it is not.
    reason: Literal["owner", "source_gone", "source_too_large", "key_revoked", "key_expired", "grant_ended", "grant_expired", "grant_spent"] | None
    # budget: the next period, or a higher `max_credits_per_period`; credits: credits of the account; key_cap: the cap of the key that created it; grant_budget: the daily budget of the application that created it. Null: nothing.
    waiting_for: Literal["budget", "credits", "key_cap", "grant_budget"] | None
    # Language code (BCP 47), or a comma-separated list; null: the default.
    lang: str | None
    # manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`.
    captions: Literal["any", "manual", "automatic"]
    # Operations on each video after its transcript.
    then: list[FollowThenItemSummarize | FollowThenItemChapters | FollowThenItemAsk | FollowThenItemSearch | FollowThenItemQuotes | FollowThenItemClips | FollowThenItemRepurpose | FollowThenItemTranslate]
    # Whether the transcripts are kept in the library of the account.
    keep: bool
    # Which videos of a channel are read.
    kinds: list[Literal["videos", "shorts", "streams"]]
    # Notified of each video; null: none.
    webhook_url: str | None
    # Its maximum cost in a billing period of the account.
    max_credits_per_period: int
    # Its cost in this period, including credits reserved by its jobs.
    credits_used: int
    # How often the source is checked.
    interval_seconds: int
    # An Atom feed of the transcripts. Anyone who knows the address can read it: keep it secret.
    feed_url: str
    # When the source was last checked; null: not yet.
    last_look_at: str | None
    # When it is checked next; null: not scheduled.
    next_look_at: str | None
    # When it was created, RFC 3339 in UTC.
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
    # Send it as `before` for the next page; null: this was the last.
    next_before: str | None


class UpdateFollowRequestThenItemSummarize(TypedDict):
    # Name of the operation.
    operation: Literal["summarize"]
    # How long the summary is.
    length: NotRequired[Literal["short", "medium", "detailed"]]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemChapters(TypedDict):
    # Name of the operation.
    operation: Literal["chapters"]
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemAsk(TypedDict):
    # Name of the operation.
    operation: Literal["ask"]
    # The question.
    question: str
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemSearch(TypedDict):
    # Name of the operation.
    operation: Literal["search"]
    # The query.
    query: str
    # Maximum passages to return.
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
    # Language of the answer; default: that of the captions.
    output_lang: NotRequired[str | None]


class UpdateFollowRequestThenItemTranslate(TypedDict):
    # Name of the operation.
    operation: Literal["translate"]
    # Language code of the translation.
    target_lang: Literal["en", "es", "de", "fr", "it", "pt", "ro", "ja", "zh", "ko"]
    # translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit.
    mode: NotRequired[Literal["original", "translated", "bilingual"]]


class UpdateFollowRequest(TypedDict):
    # Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted.
    lang: NotRequired[str]
    # Which captions are read.
    captions: NotRequired[Literal["any", "manual", "automatic"]]
    # Operations on each video after its transcript.
    then: NotRequired[list[UpdateFollowRequestThenItemSummarize | UpdateFollowRequestThenItemChapters | UpdateFollowRequestThenItemAsk | UpdateFollowRequestThenItemSearch | UpdateFollowRequestThenItemQuotes | UpdateFollowRequestThenItemClips | UpdateFollowRequestThenItemRepurpose | UpdateFollowRequestThenItemTranslate]]
    # Whether the transcripts are kept in the library of the account.
    keep: NotRequired[bool]
    # Which videos of a channel are read.
    kinds: NotRequired[list[Literal["videos", "shorts", "streams"]]]
    # Notified of each video, and when the follow pauses.
    webhook_url: NotRequired[str | None]
    # Its maximum cost in a billing period.
    max_credits_per_period: NotRequired[int]
    # How often the source is checked.
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
    # waiting: until it is over, has captions, or the follow resumes; otherwise as for an item of a job.
    status: Literal["waiting", "queued", "processing", "complete", "failed"]
    # The job that reads it; null: none yet.
    job_id: str | None
    # Why it failed, as in an error; null if it did not.
    error_code: str | None
    # Credits charged for it; 0 if it failed.
    credits_charged: int
    # Id of the ledger entry of the charge; null: nothing was charged.
    charge_id: str | None
    # When it was found.
    found_at: str
    # When it is retried; null: not scheduled.
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
    # Why it failed, as in an error; null if it did not.
    error_code: str | None
    # When it is retried; null: not scheduled.
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
    # Credits, less refunds.
    credits: int


class UsageByTagItem(TypedDict):
    # The cost tag; null: none.
    cost_tag: str | None
    # Requests, and items of jobs.
    count: int
    # Credits, less refunds.
    credits: int


class UsageDailyItem(TypedDict):
    # UTC day.
    day: str
    # Requests, and items of jobs.
    count: int
    # Credits, less refunds.
    credits: int


class Usage(TypedDict):
    # Requests, the failed ones included.
    requests: int
    # Requests that succeeded.
    successful: int
    # Requests that failed.
    failed: int
    # Charged in these days, less refunds: negative if refunds exceed charges. The sum of `by_kind`.
    credits_used: int
    # The figures by kind of operation.
    by_kind: list[UsageByKindItem]
    # The figures by cost tag, most credits first.
    by_tag: list[UsageByTagItem]
    # One entry for each UTC day, oldest first, including days without requests.
    daily: list[UsageDailyItem]
    # The plan of the account.
    plan: str
    # Credits that can be spent now.
    credits_remaining: int
    # Credits reserved for jobs.
    credits_reserved: int
    # Requests per minute.
    rate_limit_per_min: int | None
    # true: nothing is refused for lack of credits, whatever the value of `credits_remaining`.
    unlimited: bool
    # Days that the figures cover, today included.
    period_days: int


class Ledger(TypedDict):
    # Entries of the ledger, the newest first.
    entries: list[LedgerEntry]
    # Send it as `before` for the next page; null: this was the last.
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
    # The request that it belongs to: `X-Request-ID` of its response.
    request_id: str | None
    # Schema version of `data`.
    schema_version: int
    # The event as stored and hashed, with the same member names.
    data: dict[str, Any]
    # The metadata of the event, as stored and hashed.
    meta: dict[str, Any]
    # Hash of the previous entry in the ledger.
    prev_hash: str
    # SHA-256 (hex) over prev_hash and the canonical JSON (RFC 8785) of id, type, schema_version, stream, version, data and meta.
    hash: str


class LedgerProof(TypedDict):
    # The entry that is proved.
    entry: LedgerEntry
    # Salt of the account, base64: the leaf data are SHA-256(salt ‖ hash of the entry).
    salt: str
    # Index of the leaf in the log, from 0.
    leaf_index: int
    # SHA-256(0x00 ‖ leaf data), base64.
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


class KeySetKeysItem(TypedDict):
    # Type of the key.
    kty: Literal["OKP"]
    # Its curve.
    crv: Literal["Ed25519"]
    # The public key, base64url.
    x: str
    # Its thumbprint (RFC 7638), the key id in receipts.
    kid: str
    # It verifies signatures.
    use: Literal["sig"]


class KeySet(TypedDict):
    # The newest first.
    keys: list[KeySetKeysItem]


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
    # Why they were granted.
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
    # The refunded charge.
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
    # Id of the corrected ledger entry, which does not change.
    entry: str
    # Id of the ledger entry that corrects it.
    correction: str
    # Why, as the ledger says.
    reason: str
    # Credits; negative: deducted.
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
    # Opening balance.
    opening_balance: int
    # Credits reserved for jobs at the beginning.
    opening_reserved: int
    # Credits received.
    grants: list[StatementGrantsItem]
    # Charges, by operation, key and cost tag.
    charges: list[StatementChargesItem]
    # Refunds.
    refunds: list[StatementRefundsItem]
    # Corrections of earlier entries.
    corrections: list[StatementCorrectionsItem]
    # Credits that expired.
    expired: int
    # Credits reserved for jobs at the end.
    reserved: int
    # Closing balance.
    closing_balance: int
    # The first ledger entry of the period.
    first_entry: StatementFirstEntry | None
    # The last one.
    last_entry: StatementLastEntry | None


class EventFeed(TypedDict):
    # Events, the oldest first.
    events: list[CloudEvent]
    # Continues after the last of them; at the end it does not change.
    next_cursor: str | None


class CloudEvent(TypedDict):
    # Version of CloudEvents.
    specversion: Literal["1.0"]
    # Id of the event; with `source` it is unique.
    id: str
    # The feed that it belongs to.
    source: str
    # `dev.steno.ledger.` and the type of the entry.
    type: str
    # Stream of the entry.
    subject: str
    # When it happened, RFC 3339 in UTC.
    time: str
    # Media type of `data`.
    datacontenttype: Literal["application/json"]
    # Continues after this event.
    cursor: str
    # The entry with its proof.
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
    """The error."""

    # What went wrong, for programs. New codes may be added at any time: treat an unknown one by its status.
    code: str
    # The same in a sentence for people.
    message: str
    # The request that it belongs to: `X-Request-ID` of its response.
    request_id: str
    # More about the refusal, such as `reason`, `fields` or `retry_after_s`; null: nothing more.
    details: dict[str, Any] | None


class Error(TypedDict):
    # The error.
    error: ErrorError


class WebhookEventData(TypedDict):
    """The data of the event."""

    # Id of the job.
    job_id: str
    # `batch`: the given references. `playlist`, `channel`: the videos of the given playlists or channels.
    kind: Literal["batch", "playlist", "channel"]
    # How the run ended.
    status: Literal["completed", "completed_with_errors", "failed"]
    # 1, and one more for each retry of the job.
    run: int
    # Items of the job; 0 while its listing is read.
    total_items: int
    # Completed items.
    completed_items: int
    # Items that failed.
    failed_items: int
    # Credits charged for it; 0 if it failed.
    credits_charged: int
    # When it was created, RFC 3339 in UTC.
    created_at: str
    # When it last changed, RFC 3339 in UTC.
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
    # Schema version of this body.
    api_version: str
    # true: a test delivery requested by its owner; its job does not exist.
    test: NotRequired[Literal[True]]
    # The data of the event.
    data: WebhookEventData
