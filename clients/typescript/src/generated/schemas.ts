// Made from docs/openapi.json by `npm run clients`.

export type Transcript = {
  /** Id of the video. */
  video_id: string;
  /** Title. */
  title: string | null;
  /** Name of the channel that published the video. */
  channel: string | null;
  /** Id of the channel on the platform. */
  channel_id: string | null;
  /** Address of the video. */
  url: string;
  /** Seconds. */
  duration: number | null;
  /** Language code (BCP 47). */
  language: string | null;
  /** The requested language; null: none. */
  requested_language: string | null;
  /** manual: captions by hand; platform_auto: speech recognition of the platform; translated: by the platform; asr: speech recognition of this service. */
  source: 'manual' | 'platform_auto' | 'translated' | 'asr';
  /** Number of segments. */
  segment_count: number;
  /** The captions in order. */
  segments: TranscriptSegment[];
  /** Present only with `include=video`. */
  video?: Video | undefined;
  /** Present only with `count_tokens`. */
  token_count?: number | undefined;
};

export type TranscriptSegment = {
  /** The words. */
  text: string;
  /** Seconds from the beginning of the video. */
  start: number;
  /** Seconds. */
  duration: number;
  /** Present only with `words=true`: the words of automatic captions with the platform's timings. Null: no timings, as for captions written by people. */
  words?: Word[] | null | undefined;
};

export type Word = {
  /** One word. */
  text: string;
  /** Start, in seconds from the beginning of the video. */
  start: number;
};

export type Video = {
  /** Id of the video. */
  video_id: string;
  /** Its address. */
  url: string;
  /** Title. */
  title: string | null;
  /** Name of the channel that published the video. */
  channel: string | null;
  /** Id of the channel on the platform. */
  channel_id: string | null;
  /** Seconds; null while it is live or upcoming. */
  duration: number | null;
  /** With its line breaks, without other control characters. */
  description: string | null;
  /** View count. */
  views: number | null;
  /** Its thumbnails, in the order of the platform. */
  thumbnails: Array<{
    /** Its address. */
    url: string;
    /** Pixels. */
    width: number | null;
    /** Pixels. */
    height: number | null;
  }>;
  /** ended: it was live. */
  live_state: 'none' | 'upcoming' | 'live' | 'ended';
  /** Null if the platform does not send it with the captions. If only the day is known, its beginning in UTC. */
  published_at: string | null;
  /** Those that its author wrote into the description, by the platform's rule: the first at 0:00, at least three, each at least ten seconds long and later than the previous one; null: there are none. */
  chapters: Array<{
    /** Seconds from the beginning of the video. */
    start: number;
    /** Seconds; null if the length of the video is not known. */
    end: number | null;
    /** mm:ss, from one hour on h:mm:ss */
    timestamp: string;
    /** Title. */
    title: string;
  }> | null;
  /** Empty for a video without captions. */
  tracks: CaptionTrack[];
};

export type CaptionTrack = {
  /** Language code (BCP 47). */
  language: string;
  /** Name. */
  name: string;
  /** manual: by hand; automatic: speech recognition; translated: by the platform; recognized: speech recognition of this service. */
  kind: 'manual' | 'automatic' | 'translated' | 'recognized';
  /** Whether the platform translates it. */
  translatable: boolean;
};

export type PriceQuote = {
  /** true: only returns the cost of the request. */
  dry_run: true;
  /** Name of the operation. */
  operation: string;
  /** Maximum cost. */
  credits: number;
  /** Distinct videos that it would read; null: it reads none. */
  videos: number | null;
  /** When it costs less; null: never. */
  note: string | null;
};

export type RawTranscript = {
  /** Id of the video. */
  video_id: string;
  /** The platform that the captions come from. */
  provider: string;
  /** When the captions were read from the platform. */
  fetched_at: string;
  /** Whether the captions came from the cache. */
  cache_hit: boolean;
  /** Every caption track of the video. */
  tracks: CaptionTrack[];
  track: CaptionTrack;
  /** Details of the video. */
  metadata: {
    /** Title. */
    title: string | null;
    /** Name of the channel that published the video. */
    channel: string | null;
    /** Id of the channel on the platform. */
    channel_id: string | null;
    /** Seconds. */
    duration: number | null;
    /** Whether the video is or was a live stream. */
    is_live: boolean;
    /** The requested language; null: none. */
    requested_language: string | null;
    /** How the track was chosen for the requested language. */
    matched_by: 'default' | 'exact' | 'region';
  };
  /** The captions in order. */
  segments: TranscriptSegment[];
  /** SHA-256 of the captions as the platform sent them, in hexadecimal. */
  content_sha256: string;
};

export type Languages = {
  /** Id of the video. */
  video_id: string;
  /** Language codes, each once. */
  available: string[];
  /** The language that is read by default; null: the video has no captions. */
  default: string | null;
  /** Whether the video has any captions. */
  has_captions: boolean;
  /** Every caption track, and whether it was made by hand (`manual`), by speech recognition (`automatic`) or by translation. */
  tracks: CaptionTrack[];
};

export type GetTranscriptsRequest = {
  /** Videos, each by its id or any link. */
  ids: string[];
  /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
  lang?: string | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** md is the same as markdown. */
  format?: 'txt' | 'srt' | 'vtt' | 'markdown' | 'json' | 'md' | undefined;
  /** Lines of txt begin with [mm:ss]. */
  timestamps?: boolean | undefined;
  /** Removes music notes and cues such as [Music]. */
  clean?: boolean | undefined;
  /** Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues. */
  words?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price. */
  include?: 'video'[] | undefined;
  /** The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces. */
  count_tokens?: boolean | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Batch = {
  /** Videos requested. */
  requested: number;
  /** Videos that succeeded. */
  succeeded: number;
  /** Videos that failed. */
  failed: number;
  /** Credits charged for all videos together. */
  credits_charged: number;
  /** One for each video, in the order of `ids`. */
  results: BatchItem[];
};

export type BatchItem = {
  /** As it was sent. */
  id: string;
  /** Id of the video; null: the reference names none. */
  video_id: string | null;
  /** Its state. */
  status: 'complete' | 'failed';
  /** The transcript; null if it failed or is not available at the moment. */
  transcript: Transcript | null;
  /** The transcript in the `format` of the request; null for json and for a failure. */
  text: string | null;
  /** Why it failed, as in an error; null if it did not. */
  error_code: string | null;
  /** The same in a sentence for people. */
  error_message: string | null;
  /** The `details` that the same refusal has as an error. */
  error_details: Record<string, unknown> | null;
  /** Credits charged for it; 0 if it failed. */
  credits_charged: number;
  /** Id of the ledger entry of the charge; null: nothing was charged. */
  charge_id: string | null;
};

export type Chunks = {
  /** Id of the video. */
  video_id: string;
  /** Language code (BCP 47). */
  language: string | null;
  /** SHA-256 (hex) of the captions, as the ledger entry of the charge has it. */
  content_hash: string;
  /** The vocabulary that tokens are counted in. */
  tokenizer: string;
  /** In the order of the video. */
  chunks: Chunk[];
};

export type Chunk = {
  /** The first 16 digits of `content_hash`, and the range of its characters in the text: the same range of the same captions always has the same id. */
  id: string;
  /** Seconds at which its first line of captions begins. */
  start: number;
  /** Seconds at which its last line of captions ends. */
  end: number;
  /** mm:ss, from one hour on h:mm:ss */
  timestamp: string;
  /** Whole sentences, words joined by one space. */
  text: string;
  /** Tokens of `text`. */
  token_count: number;
  /** The video at the whole second of `start`. */
  url: string;
};

export type AiStatus = {
  /** Whether a model is configured; without one, operations return extracts. */
  ai_enabled: boolean;
  /** The model; null: none. */
  model: string | null;
  /** The model for embeddings; null: none. */
  embedding_model: string | null;
  /** open: the provider failed, and fallbacks are returned for a minute. */
  circuit: 'closed' | 'open' | 'half_open' | null;
};

export type SummarizeRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** How long the summary is. */
  length?: 'short' | 'medium' | 'detailed' | undefined;
  /** Language of the answer; default: that of the captions. */
  output_lang?: string | null | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Summary = {
  /** Id of the video. */
  video_id: string;
  /** How long the summary is. */
  length: 'short' | 'medium' | 'detailed';
  /** The summary. */
  summary: string;
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
  /** Present only if the result is not what was requested. */
  code?: 'FEATURE_UNAVAILABLE' | undefined;
  /** What differs from the request. */
  message?: string | undefined;
};

export type InsightQuote = {
  /** true: only returns the cost of the request. */
  dry_run: true;
  /** Name of the operation. */
  operation: string;
  /** Id of the video. */
  video_id: string;
  /** Maximum cost of the operation. */
  credits: number;
  /** Its cost without a model. */
  credits_if_fallback: number;
  /** When it costs less than that. */
  note?: string | undefined;
  /** Present only if the result is not what was requested. */
  code?: 'FEATURE_UNAVAILABLE' | undefined;
  /** What differs from the request. */
  message?: string | undefined;
};

export type ChaptersRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** Language of the answer; default: that of the captions. */
  output_lang?: string | null | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Chapters = {
  /** Id of the video. */
  video_id: string;
  /** Chapters in the order of the video. */
  chapters: Array<{
    /** Seconds from the beginning of the video. */
    start: number;
    /** mm:ss, from one hour on h:mm:ss */
    timestamp: string;
    /** Title. */
    title: string;
  }>;
  /** Who made them. */
  source: 'author' | 'model' | 'extract';
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
  /** Present only if the result is not what was requested. */
  code?: 'FEATURE_UNAVAILABLE' | undefined;
  /** What differs from the request. */
  message?: string | undefined;
};

export type AskRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** The question. */
  question: string;
  /** Language of the answer; default: that of the captions. */
  output_lang?: string | null | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Answer = {
  /** Id of the video. */
  video_id: string;
  /** The question. */
  question: string;
  /** The answer, based on the captions. */
  answer: string;
  /** Passages of the captions that the answer rests on. */
  citations: Citation[];
  /** Whether each sentence of the answer was found in the captions. */
  grounded: boolean;
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
  /** Present only if the result is not what was requested. */
  code?: 'FEATURE_UNAVAILABLE' | undefined;
  /** What differs from the request. */
  message?: string | undefined;
};

export type Citation = {
  /** Seconds from the beginning of the video. */
  start: number;
  /** End, in seconds from the beginning of the video. */
  end: number;
  /** mm:ss, from one hour on h:mm:ss */
  timestamp: string;
  /** Verbatim from the captions. */
  text: string;
};

export type SearchRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** The query. */
  query: string;
  /** Maximum passages to return. */
  limit?: number | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type SearchResults = {
  /** Id of the video. */
  video_id: string;
  /** The query. */
  query: string;
  /** Passages, the best first. */
  results: Array<{
    /** Seconds from the beginning of the video. */
    start: number;
    /** End, in seconds from the beginning of the video. */
    end: number;
    /** mm:ss, from one hour on h:mm:ss */
    timestamp: string;
    /** Verbatim from the captions. */
    text: string;
    /** Relevance; higher is better. */
    score: number;
  }>;
};

export type QuotesRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Quotes = {
  /** Id of the video. */
  video_id: string;
  /** Quotable sentences, in the order of the video. */
  quotes: Array<{
    /** Seconds from the beginning of the video. */
    start: number;
    /** mm:ss, from one hour on h:mm:ss */
    timestamp: string;
    /** Verbatim from the captions. */
    text: string;
  }>;
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
};

export type ClipsRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Clips = {
  /** Id of the video. */
  video_id: string;
  /** Self-contained passages, in the order of the video. */
  clips: Array<{
    /** Seconds from the beginning of the video. */
    start: number;
    /** End, in seconds from the beginning of the video. */
    end: number;
    /** mm:ss, from one hour on h:mm:ss */
    timestamp: string;
    /** mm:ss, from one hour on h:mm:ss */
    end_timestamp: string;
    /** Verbatim from the captions. */
    opening_line: string;
    /** A title of the clip. */
    label: string;
    /** Why it was chosen. */
    why: string;
    /** Verbatim from the captions. */
    text: string;
  }>;
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
};

export type RepurposeRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** The form of the text. */
  format?: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes' | undefined;
  /** Language of the answer; default: that of the captions. */
  output_lang?: string | null | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Repurposed = {
  /** Id of the video. */
  video_id: string;
  /** The form of the text. */
  format: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes';
  /** The text in the requested format. */
  content: string;
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
  /** Present only if the result is not what was requested. */
  code?: 'FEATURE_UNAVAILABLE' | undefined;
  /** What differs from the request. */
  message?: string | undefined;
};

export type TranslateRequest = {
  /** Video id, or any link to the video. The first one given is used. */
  video_id?: string | null | undefined;
  /** The same. */
  videoId?: string | null | undefined;
  /** The same. */
  url?: string | null | undefined;
  /** Language of the captions, or several separated by commas: the first available one is read; without it the default. Never substituted. */
  lang?: string | null | undefined;
  /** The same; `lang` comes first. */
  language?: string | null | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. This is charged on top of the price of the operation. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** Language code of the translation. */
  target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
  /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
  mode?: 'original' | 'translated' | 'bilingual' | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type Translation = {
  /** Id of the video. */
  video_id: string;
  /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
  mode: 'original' | 'translated' | 'bilingual';
  /** Language code of the translation. */
  target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
  /** Whether it had to be translated. */
  translated: boolean;
  /** Source language; null: not known. */
  source_language: string | null;
  /** `OK` or `FEATURE_UNAVAILABLE`. */
  code: string;
  /** A sentence about the result, for people. */
  message: string;
  /** Number of segments. */
  segment_count: number;
  /** Captions, in order. */
  segments: Segment[];
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
};

export type Segment = {
  /** The words. */
  text: string;
  /** Seconds from the beginning of the video. */
  start: number;
  /** Seconds. */
  duration: number;
};

export type CreateJobRequest = {
  /** Videos, each by its id or any link. */
  ids?: string[] | undefined;
  /** The same as `ids`. */
  video_ids?: string[] | undefined;
  /** Videos, playlists or channels by their links. */
  urls?: string[] | undefined;
  /** batch: videos by their ids or links, and playlists and channels by their links. playlist: playlists, channel: channels, each by its id or any link; a channel also by its handle. */
  kind?: 'batch' | 'playlist' | 'channel' | undefined;
  /** Maximum videos of all listings together; without it all of them, up to the size of a job (1,000). */
  limit?: number | undefined;
  /** Notified when the job ends. */
  webhook_url?: string | null | undefined;
  /** Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest. */
  then?: Array<{
    /** Name of the operation. */
    operation: 'summarize';
    /** How long the summary is. */
    length?: 'short' | 'medium' | 'detailed' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'chapters';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'ask';
    /** The question. */
    question: string;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'search';
    /** The query. */
    query: string;
    /** Maximum passages to return. */
    limit?: number | undefined;
  } | {
    /** Name of the operation. */
    operation: 'quotes';
  } | {
    /** Name of the operation. */
    operation: 'clips';
  } | {
    /** Name of the operation. */
    operation: 'repurpose';
    /** The form of the text. */
    format?: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'translate';
    /** Language code of the translation. */
    target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
    /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
    mode?: 'original' | 'translated' | 'bilingual' | undefined;
  }> | undefined;
  /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
  lang?: string | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues. */
  words?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price. */
  include?: 'video'[] | undefined;
  /** The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces. */
  count_tokens?: boolean | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
  /** true: only returns the cost of the request. */
  dry_run?: boolean | undefined;
};

export type JobPlan = {
  /** true: only returns the cost of the request. */
  dry_run: true;
  /** Name of the operation. */
  operation: 'job';
  /** The same as `credits_needed`. */
  credits: number;
  /** The source of the job. */
  kind: 'batch' | 'playlist' | 'channel';
  /** Null: listing takes too long, or more requests to the platform than a dry run makes. */
  videos_found: number | null;
  /** Reserved when the job is created; the maximum if `videos_found` is null. */
  credits_needed: number;
  /** Videos in the listing according to the platform; null: unknown. */
  expected: number | null;
  /** Videos that the platform counts but does not list; null: unknown. */
  hidden: number | null;
  /** Whether the listing has more videos than were read. */
  truncated: boolean;
};

export type JobStarted = {
  /** Id of the job. */
  job_id: string;
  /** Its state. */
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
  /** Items of the job; 0 while its listing is read. */
  total_items: number;
};

export type Jobs = {
  /** Jobs, the newest first. */
  jobs: Job[];
  /** Send it as `before` for the next page; null: this was the last. */
  next_before: string | null;
};

export type Job = {
  /** Its id. */
  id: string;
  /** `batch`: the given references. `playlist`, `channel`: the videos of the given playlists or channels. */
  kind: 'batch' | 'playlist' | 'channel';
  /** Its state. */
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
  /** Items of the job; 0 while its listing is read. */
  total_items: number;
  /** Completed items. */
  completed_items: number;
  /** Items that failed. */
  failed_items: number;
  /** The cost of its completed items and their operations so far. */
  credits_charged: number;
  /** Credits still reserved for it: the maximum that it will still charge. */
  credits_reserved: number;
  /** Notified when the job ends; null: none. */
  webhook_url: string | null;
  /** When it was created, RFC 3339 in UTC. */
  created_at: string;
  /** When it last changed, RFC 3339 in UTC. */
  updated_at: string;
  /** The first items, in the order of the job. */
  items: JobItem[];
  /** There are more items than these. */
  items_truncated: boolean;
  /** 1, and one more for each retry. */
  run: number;
  /** The playlist or channel it was created from; null: none, or several. */
  source: string | null;
  /** Why its listing failed. */
  error_code: string | null;
  /** The same in a sentence for people. */
  error_message: string | null;
};

export type JobItem = {
  /** Its id. */
  id: string;
  /** Id of the job. */
  job_id: string;
  /** Id of the video; null: the reference names none. */
  video_id: string | null;
  /** Address of the video; null: the reference names none. */
  url: string | null;
  /** As it was sent, or the link of a listed video. */
  reference: string;
  /** Its state. */
  status: 'queued' | 'processing' | 'complete' | 'failed' | 'cancelled';
  /** Language code (BCP 47). */
  language: string | null;
  /** Why it failed, as in an error; null if it did not. */
  error_code: string | null;
  /** The same in a sentence for people. */
  error_message: string | null;
  /** Attempts so far. */
  attempts: number;
};

export type CancelJobRequest = Record<string, never>;

export type RetryJobRequest = Record<string, never>;

export type JobResults = {
  /** Id of the job. */
  job_id: string;
  /** State of the job. More results can follow while it is queued or processing. */
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
  /** Completed items. */
  completed_items: number;
  /** Items that failed. */
  failed_items: number;
  /** Items that have ended, in the order in which they ended. */
  results: JobResult[];
  /** Where to continue; null: nothing follows, or not yet. While the job runs, even after a page that is not full, if pages were requested. */
  next_cursor: string | null;
};

export type JobResult = {
  /** Id of the item. */
  item_id: string;
  /** As it was sent, or the link of a listed video. */
  reference: string;
  /** Id of the video; null: the reference names none. */
  video_id: string | null;
  /** Address of the video; null: the reference names none. */
  url: string | null;
  /** Its state. */
  status: 'queued' | 'processing' | 'complete' | 'failed' | 'cancelled';
  /** Language code (BCP 47). */
  language: string | null;
  /** The transcript; null if it failed or is not available at the moment. */
  transcript: Transcript | null;
  /** Of `then` of the job. */
  operations: OperationResult[];
  /** Why it failed, as in an error; null if it did not. */
  error_code: string | null;
  /** The same in a sentence for people. */
  error_message: string | null;
  /** The `details` that the same refusal has as an error. */
  error_details: Record<string, unknown> | null;
  /** Attempts so far. */
  attempts: number;
  /** Credits charged for it; 0 if it failed. */
  credits_charged: number;
  /** Id of the ledger entry of the charge; null: nothing was charged. */
  charge_id: string | null;
};

export type OperationResult = {
  /** Name of the operation. */
  operation: string;
  /** The result of the operation of that name. */
  result: Record<string, unknown>;
  /** Credits charged for it; 0 if it failed. */
  credits_charged: number;
  /** Id of the ledger entry of the charge; null: nothing was charged. */
  charge_id: string | null;
};

/** The `data` of the event `job`. */
export type JobStatusEvent = {
  /** Id of the job. */
  job_id: string;
  /** When, RFC 3339 in UTC. */
  at: string;
  /** Its new status. */
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
  /** 1, and one more for each retry. */
  run: number;
  /** Items of the job; present once they are known. */
  total_items?: number | undefined;
};

/** The `data` of the event `item`. */
export type JobItemEvent = {
  /** Id of the job. */
  job_id: string;
  /** When, RFC 3339 in UTC. */
  at: string;
  /** The new status of these items. */
  status: 'queued' | 'processing' | 'complete' | 'failed' | 'cancelled';
  /** Ids of the items, one or more. */
  item_ids: string[];
  /** Number of the attempt, from 1. */
  attempt?: number | undefined;
  /** Why it failed, as in an error; null if it did not. */
  error_code: string | null;
  /** The same in a sentence for people. */
  error_message: string | null;
  /** When it is retried. */
  retry_at?: string | undefined;
};

/** One event of the stream, field by field. */
export type JobStreamEvent = {
  /** Position in the log, for `Last-Event-ID`. */
  id: string;
  /** Which kind of event it is. */
  event: 'job';
  /** JSON. */
  data: string;
} | {
  /** Position in the log, for `Last-Event-ID`. */
  id: string;
  /** Which kind of event it is. */
  event: 'item';
  /** JSON. */
  data: string;
};

export type Playlist = {
  /** Id of the playlist. */
  playlist_id: string;
  /** Title. */
  title: string | null;
  /** Name of the channel that published the video. */
  channel: string | null;
  /** Id of the channel on the platform. */
  channel_id: string | null;
  /** Its address. */
  url: string;
  /** As counted by the platform; null: unknown. */
  total: number | null;
  /** Videos in this response. */
  returned: number;
  /** Counted by the platform and not shown. */
  hidden: number | null;
  /** The platform stopped answering before the end. */
  truncated: boolean;
  /** Maximum number returned. */
  limit: number;
  /** Whether the listing continues after these videos. */
  has_more: boolean;
  /** The videos in the order of the listing. */
  videos: Array<{
    /** Id of the video. */
    video_id: string;
    /** Title. */
    title: string | null;
    /** Its address. */
    url: string;
    /** Seconds. */
    duration: number | null;
    /** Place in the order. */
    position: number;
    /** Whether the video can be read, as far as the listing says. */
    availability: 'public' | 'unlisted' | 'private' | 'deleted' | 'members_only' | 'unknown';
  }>;
};

export type CreatePlaylistJobRequest = {
  /** Maximum videos of all listings together; without it all of them, up to the size of a job (1,000). */
  limit?: number | undefined;
  /** Notified when the job ends. */
  webhook_url?: string | null | undefined;
  /** Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest. */
  then?: Array<{
    /** Name of the operation. */
    operation: 'summarize';
    /** How long the summary is. */
    length?: 'short' | 'medium' | 'detailed' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'chapters';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'ask';
    /** The question. */
    question: string;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'search';
    /** The query. */
    query: string;
    /** Maximum passages to return. */
    limit?: number | undefined;
  } | {
    /** Name of the operation. */
    operation: 'quotes';
  } | {
    /** Name of the operation. */
    operation: 'clips';
  } | {
    /** Name of the operation. */
    operation: 'repurpose';
    /** The form of the text. */
    format?: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'translate';
    /** Language code of the translation. */
    target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
    /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
    mode?: 'original' | 'translated' | 'bilingual' | undefined;
  }> | undefined;
  /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
  lang?: string | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues. */
  words?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price. */
  include?: 'video'[] | undefined;
  /** The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces. */
  count_tokens?: boolean | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
  /** true: only returns the cost of the request. */
  dry_run?: boolean | undefined;
};

export type PlaylistJobStarted = {
  /** Id of the playlist. */
  playlist_id: string;
  /** Videos that were found. */
  videos_found: number;
  /** Id of the job. */
  job_id: string;
  /** Its state. */
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
};

export type Channel = {
  /** Id of the channel on the platform. */
  channel_id: string | null;
  /** Handle of the channel, such as `@name`. */
  handle: string | null;
  /** Title. */
  title: string | null;
  /** Its address. */
  url: string;
  /** As counted by the platform; null: unknown. */
  total: number | null;
  /** Videos in this response. */
  returned: number;
  /** Counted by the platform and not shown. */
  hidden: number | null;
  /** The platform stopped answering before the end. */
  truncated: boolean;
  /** Maximum number returned. */
  limit: number;
  /** Whether the listing continues after these videos. */
  has_more: boolean;
  /** The videos in the order of the listing. */
  videos: Array<{
    /** Id of the video. */
    video_id: string;
    /** Title. */
    title: string | null;
    /** Its address. */
    url: string;
    /** Seconds. */
    duration: number | null;
    /** Place in the order. */
    position: number;
    /** Whether the video can be read, as far as the listing says. */
    availability: 'public' | 'unlisted' | 'private' | 'deleted' | 'members_only' | 'unknown';
  }>;
};

export type CreateChannelJobRequest = {
  /** Maximum videos of all listings together; without it all of them, up to the size of a job (1,000). */
  limit?: number | undefined;
  /** Notified when the job ends. */
  webhook_url?: string | null | undefined;
  /** Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest. */
  then?: Array<{
    /** Name of the operation. */
    operation: 'summarize';
    /** How long the summary is. */
    length?: 'short' | 'medium' | 'detailed' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'chapters';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'ask';
    /** The question. */
    question: string;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'search';
    /** The query. */
    query: string;
    /** Maximum passages to return. */
    limit?: number | undefined;
  } | {
    /** Name of the operation. */
    operation: 'quotes';
  } | {
    /** Name of the operation. */
    operation: 'clips';
  } | {
    /** Name of the operation. */
    operation: 'repurpose';
    /** The form of the text. */
    format?: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'translate';
    /** Language code of the translation. */
    target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
    /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
    mode?: 'original' | 'translated' | 'bilingual' | undefined;
  }> | undefined;
  /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
  lang?: string | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
  keep?: boolean | undefined;
  /** Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues. */
  words?: boolean | undefined;
  /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. */
  asr?: 'off' | 'auto' | 'force' | undefined;
  /** `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price. */
  include?: 'video'[] | undefined;
  /** The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces. */
  count_tokens?: boolean | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
  /** true: only returns the cost of the request. */
  dry_run?: boolean | undefined;
};

export type ChannelJobStarted = {
  /** Id of the channel. */
  channel_id: string;
  /** Videos that were found. */
  videos_found: number;
  /** Id of the job. */
  job_id: string;
  /** Its state. */
  status: 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
};

export type Library = {
  /** Videos, the newest first. */
  videos: KeptVideo[];
  /** Send it as `cursor` for the next page; null: this was the last. */
  next_cursor: string | null;
};

export type KeptVideo = {
  /** Id of the video. */
  video_id: string;
  /** Title. */
  title: string | null;
  /** Name of the channel that published the video. */
  channel: string | null;
  /** Id of the channel on the platform. */
  channel_id: string | null;
  /** Language code (BCP 47) of the captions. */
  language: string;
  /** Where the captions came from, as in a transcript. */
  source: 'manual' | 'platform_auto' | 'translated' | 'asr';
  /** SHA-256 of the captions, in hexadecimal. */
  content_sha256: string;
  /** When the video was kept first, RFC 3339 in UTC. */
  kept_at: string;
};

export type LibrarySearchResults = {
  /** Passages, the best first. */
  results: Array<{
    /** Id of the video. */
    video_id: string;
    /** Title. */
    title: string | null;
    /** Name of the channel that published the video. */
    channel: string | null;
    /** Language code (BCP 47) of the captions. */
    language: string;
    /** Seconds from the beginning of the video. */
    start: number;
    /** End, in seconds from the beginning of the video. */
    end: number;
    /** mm:ss, from one hour on h:mm:ss */
    timestamp: string;
    /** Verbatim from the captions. */
    text: string;
    /** Relevance, from 0 to 1. */
    score: number;
    /** The video at the second where the passage begins. */
    url: string;
  }>;
};

export type AskLibraryRequest = {
  /** The question. */
  question: string;
  /** Language of the answer; default: that of the captions. */
  output_lang?: string | null | undefined;
  /** Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger. */
  cost_tag?: string | undefined;
};

export type LibraryAnswer = {
  /** The question. */
  question: string;
  /** The answer, based on the captions. */
  answer: string;
  /** Passages of the captions that the answer rests on. */
  citations: LibraryCitation[];
  /** Whether each sentence of the answer was found in the captions. */
  grounded: boolean;
  /** The model that made it; null: none did. */
  model: string | null;
  /** true: an extract of the captions, made without a model. */
  fallback: boolean;
  /** Present only if the result is not what was requested. */
  code?: 'FEATURE_UNAVAILABLE' | undefined;
  /** What differs from the request. */
  message?: string | undefined;
};

export type LibraryCitation = {
  /** Id of the video. */
  video_id: string;
  /** Seconds from the beginning of the video. */
  start: number;
  /** End, in seconds from the beginning of the video. */
  end: number;
  /** mm:ss, from one hour on h:mm:ss */
  timestamp: string;
  /** Verbatim from the captions. */
  text: string;
  /** SHA-256 of the captions, in hexadecimal. */
  content_hash: string;
};

export type LibraryVersions = {
  /** Id of the video. */
  video_id: string;
  /** The oldest first. */
  versions: LibraryVersion[];
};

export type LibraryVersion = {
  /** Number of these captions among those kept of the video, from 1. */
  version: number;
  /** SHA-256 of the captions, in hexadecimal. */
  content_hash: string;
  /** Language code (BCP 47) of the captions. */
  language: string;
  /** When these captions were kept, RFC 3339 in UTC. */
  first_seen_at: string;
};

export type LibraryVersionText = {
  /** Id of the video. */
  video_id: string;
  /** Number of these captions among those kept of the video, from 1. */
  version: number;
  /** SHA-256 of the captions, in hexadecimal. */
  content_hash: string;
  /** Language code (BCP 47) of the captions. */
  language: string;
  /** When these captions were kept, RFC 3339 in UTC. */
  first_seen_at: string;
  /** The captions in order. */
  segments: Segment[];
};

export type LibraryDiff = {
  /** Id of the video. */
  video_id: string;
  /** Number of these captions among those kept of the video, from 1. */
  from: number;
  /** Number of these captions among those kept of the video, from 1. */
  to: number;
  /** In the order of the video. */
  changes: CaptionChange[];
};

export type CaptionChange = {
  /** removed: a line that only `from` has; added: one that only `to` has. */
  change: 'removed' | 'added';
  /** Seconds from the beginning of the video. */
  start: number;
  /** mm:ss, from one hour on h:mm:ss */
  timestamp: string;
  /** Verbatim from the captions. */
  text: string;
};

export type Webhooks = {
  /** Webhooks. */
  webhooks: Webhook[];
};

export type Webhook = {
  /** Its id. */
  id: string;
  /** Its address. */
  url: string;
  /** Kinds of events that it receives. */
  events: Array<'job.completed' | 'job.failed' | 'video.transcribed' | 'video.failed' | 'follow.paused' | 'captions.changed' | 'budget.warning' | 'budget.exhausted'>;
  /** Whether deliveries are sent to it. */
  active: boolean;
  /** When it was created, RFC 3339 in UTC. */
  created_at: string;
  /** A note of the owner. */
  description: string | null;
  /** Why it is inactive; null while it is active. */
  disabled_reason: 'owner' | 'gone' | 'failing' | null;
};

export type CreateWebhookRequest = {
  /** Where deliveries are sent: https, on a public network. */
  url: string;
  /** Kinds of events that it receives. */
  events?: Array<'job.completed' | 'job.failed' | 'video.transcribed' | 'video.failed' | 'follow.paused' | 'captions.changed' | 'budget.warning' | 'budget.exhausted'> | undefined;
  /** A note of the owner. */
  description?: string | null | undefined;
};

export type CreatedWebhook = {
  webhook: Webhook;
  /** The signing secret. It is shown now and never again. */
  secret: string;
};

export type CurrentSigningSecret = {
  /** The signing secret; null before there is one. */
  secret: string | null;
  /** Until then the previous secret signs too. */
  previous_until: string | null;
};

export type RotateSigningSecretRequest = Record<string, never>;

export type SigningSecret = {
  /** Shown now and never again. */
  secret: string;
  /** Until then the previous secret signs too. */
  previous_until: string | null;
};

export type UpdateWebhookRequest = {
  /** The new URL for deliveries: https, on a public network. */
  url?: string | undefined;
  /** Kinds of events that it receives. */
  events?: Array<'job.completed' | 'job.failed' | 'video.transcribed' | 'video.failed' | 'follow.paused' | 'captions.changed' | 'budget.warning' | 'budget.exhausted'> | undefined;
  /** Whether deliveries are sent to it. */
  active?: boolean | undefined;
  /** A note of the owner. */
  description?: string | null | undefined;
};

export type RotateWebhookSecretRequest = Record<string, never>;

export type TestWebhookRequest = Record<string, never>;

export type RequestedDelivery = {
  /** Id of the new delivery. */
  delivery_id: string;
};

export type Deliveries = {
  /** Deliveries, the newest first. */
  deliveries: Delivery[];
  /** Send it as `before` for the next page; null: this was the last. */
  next_before: string | null;
};

export type Delivery = {
  /** Its id. */
  id: string;
  /** Id of the webhook; null: the `webhook_url` of a job. */
  webhook_id: string | null;
  /** The `webhook-id` that the receiver sees. */
  event_id: string;
  /** Kind of the event. */
  type: string;
  /** Id of the job. */
  job_id: string | null;
  /** 1, and one more for each retry of the job; null: no job. */
  run: number | null;
  /** The delivery that this one repeats; null: none. */
  replay_of: string | null;
  /** pending: it is retried; failed: it is not retried. */
  status: 'pending' | 'succeeded' | 'failed';
  /** Next attempt; null: none. */
  next_attempt_at: string | null;
  /** When it was created, RFC 3339 in UTC. */
  created_at: string;
  /** Its attempts, in order. */
  attempts: DeliveryAttempt[];
};

export type DeliveryAttempt = {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Whether the receiver accepted it. */
  success: boolean;
  /** Why it failed, such as `timeout`. */
  reason: string | null;
  /** Status returned by the receiver; null: no response. */
  http_status: number | null;
  /** Duration of the attempt in milliseconds. */
  duration_ms: number;
  /** When, RFC 3339 in UTC. */
  at: string;
};

export type ReplayDeliveryRequest = Record<string, never>;

export type ReplayJobDeliveryRequest = Record<string, never>;

export type RecoverDeliveriesRequest = {
  /** Deliveries that failed since this time are sent again. */
  since: string;
};

export type RecoveredDeliveries = {
  /** Ids of the new deliveries. */
  delivery_ids: string[];
};

export type CreateFollowRequest = {
  /** A channel (id, @handle or link) or a playlist (id or link). */
  source: string;
  /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
  lang?: string | undefined;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** Operations on each video after its transcript. Each is charged as that operation, within the same budget. */
  then?: Array<{
    /** Name of the operation. */
    operation: 'summarize';
    /** How long the summary is. */
    length?: 'short' | 'medium' | 'detailed' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'chapters';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'ask';
    /** The question. */
    question: string;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'search';
    /** The query. */
    query: string;
    /** Maximum passages to return. */
    limit?: number | undefined;
  } | {
    /** Name of the operation. */
    operation: 'quotes';
  } | {
    /** Name of the operation. */
    operation: 'clips';
  } | {
    /** Name of the operation. */
    operation: 'repurpose';
    /** The form of the text. */
    format?: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'translate';
    /** Language code of the translation. */
    target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
    /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
    mode?: 'original' | 'translated' | 'bilingual' | undefined;
  }> | undefined;
  /** Whether the transcripts are kept in the library of the account. */
  keep?: boolean | undefined;
  /** Which videos of a channel are read; in a playlist, shorts and streams are distinguished less reliably. */
  kinds?: Array<'videos' | 'shorts' | 'streams'> | undefined;
  /** Notified of each video, and when the follow pauses. */
  webhook_url?: string | null | undefined;
  /** Its maximum cost in a billing period of the account. */
  max_credits_per_period: number;
  /** How many of the newest existing videos are read too. */
  backfill?: number | undefined;
  /** How often the source is checked; the service has a default (1 hour) and a minimum (15 minutes), unless its operator has set others. */
  interval_seconds?: number | undefined;
};

export type Follow = {
  /** Its id. */
  id: string;
  /** What it follows. */
  source: FollowedSource;
  /** active: new videos are read. waiting: they are found, and read once the wait is over. paused: the source is not checked; videos published meanwhile are read after it resumes. */
  status: 'active' | 'waiting' | 'paused' | 'ended';
  /** Why it is paused; null while it is not. */
  reason: 'owner' | 'source_gone' | 'source_too_large' | 'key_revoked' | 'key_expired' | 'grant_ended' | 'grant_expired' | 'grant_spent' | null;
  /** budget: the next period, or a higher `max_credits_per_period`; credits: credits of the account; key_cap: the cap of the key that created it; grant_budget: the daily budget of the application that created it. Null: nothing. */
  waiting_for: 'budget' | 'credits' | 'key_cap' | 'grant_budget' | null;
  /** Language code (BCP 47), or a comma-separated list; null: the default. */
  lang: string | null;
  /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
  captions: 'any' | 'manual' | 'automatic';
  /** Operations on each video after its transcript. */
  then: Array<{
    /** Name of the operation. */
    operation: 'summarize';
    /** How long the summary is. */
    length: 'short' | 'medium' | 'detailed';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'chapters';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'ask';
    /** The question. */
    question: string;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'search';
    /** The query. */
    query: string;
    /** Maximum passages to return. */
    limit: number;
  } | {
    /** Name of the operation. */
    operation: 'quotes';
  } | {
    /** Name of the operation. */
    operation: 'clips';
  } | {
    /** Name of the operation. */
    operation: 'repurpose';
    /** The form of the text. */
    format: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'translate';
    /** Language code of the translation. */
    target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
    /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
    mode: 'original' | 'translated' | 'bilingual';
  }>;
  /** Whether the transcripts are kept in the library of the account. */
  keep: boolean;
  /** Which videos of a channel are read. */
  kinds: Array<'videos' | 'shorts' | 'streams'>;
  /** Notified of each video; null: none. */
  webhook_url: string | null;
  /** Its maximum cost in a billing period of the account. */
  max_credits_per_period: number;
  /** Its cost in this period, including credits reserved by its jobs. */
  credits_used: number;
  /** How often the source is checked. */
  interval_seconds: number;
  /** An Atom feed of the transcripts. Anyone who knows the address can read it: keep it secret. */
  feed_url: string;
  /** When the source was last checked; null: not yet. */
  last_look_at: string | null;
  /** When it is checked next; null: not scheduled. */
  next_look_at: string | null;
  /** When it was created, RFC 3339 in UTC. */
  created_at: string;
};

export type FollowedSource = {
  /** What is followed. */
  kind: 'channel' | 'playlist';
  /** Its id on the platform. */
  id: string;
  /** Title. */
  title: string | null;
};

export type Follows = {
  /** Follows, the newest first. */
  follows: Follow[];
  /** Send it as `before` for the next page; null: this was the last. */
  next_before: string | null;
};

export type UpdateFollowRequest = {
  /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
  lang?: string | undefined;
  /** Which captions are read. */
  captions?: 'any' | 'manual' | 'automatic' | undefined;
  /** Operations on each video after its transcript. */
  then?: Array<{
    /** Name of the operation. */
    operation: 'summarize';
    /** How long the summary is. */
    length?: 'short' | 'medium' | 'detailed' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'chapters';
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'ask';
    /** The question. */
    question: string;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'search';
    /** The query. */
    query: string;
    /** Maximum passages to return. */
    limit?: number | undefined;
  } | {
    /** Name of the operation. */
    operation: 'quotes';
  } | {
    /** Name of the operation. */
    operation: 'clips';
  } | {
    /** Name of the operation. */
    operation: 'repurpose';
    /** The form of the text. */
    format?: 'blog' | 'newsletter' | 'linkedin' | 'x_thread' | 'youtube_description' | 'show_notes' | undefined;
    /** Language of the answer; default: that of the captions. */
    output_lang?: string | null | undefined;
  } | {
    /** Name of the operation. */
    operation: 'translate';
    /** Language code of the translation. */
    target_lang: 'en' | 'es' | 'de' | 'fr' | 'it' | 'pt' | 'ro' | 'ja' | 'zh' | 'ko';
    /** translated; bilingual: each line and its translation; original: the unchanged captions, for 1 credit. */
    mode?: 'original' | 'translated' | 'bilingual' | undefined;
  }> | undefined;
  /** Whether the transcripts are kept in the library of the account. */
  keep?: boolean | undefined;
  /** Which videos of a channel are read. */
  kinds?: Array<'videos' | 'shorts' | 'streams'> | undefined;
  /** Notified of each video, and when the follow pauses. */
  webhook_url?: string | null | undefined;
  /** Its maximum cost in a billing period. */
  max_credits_per_period?: number | undefined;
  /** How often the source is checked. */
  interval_seconds?: number | undefined;
};

export type PauseFollowRequest = Record<string, never>;

export type ResumeFollowRequest = Record<string, never>;

export type CheckFollowRequest = Record<string, never>;

export type RotateFollowFeedRequest = Record<string, never>;

export type FollowedVideos = {
  /** Videos, the newest first. */
  videos: FollowedVideo[];
};

export type FollowedVideo = {
  /** Id of the video. */
  video_id: string;
  /** Title. */
  title: string | null;
  /** waiting: until it is over, has captions, or the follow resumes; otherwise as for an item of a job. */
  status: 'waiting' | 'queued' | 'processing' | 'complete' | 'failed';
  /** The job that reads it; null: none yet. */
  job_id: string | null;
  /** Why it failed, as in an error; null if it did not. */
  error_code: string | null;
  /** Credits charged for it; 0 if it failed. */
  credits_charged: number;
  /** Id of the ledger entry of the charge; null: nothing was charged. */
  charge_id: string | null;
  /** When it was found. */
  found_at: string;
  /** When it is retried; null: not scheduled. */
  due_at: string | null;
};

/** The `data` of the event `follow`. */
export type FollowStatusEvent = {
  /** Its id. */
  follow_id: string;
  /** When, RFC 3339 in UTC. */
  at: string;
  /** Its new status. */
  status: 'active' | 'waiting' | 'paused' | 'ended';
  /** Why it is paused or waits; null: neither. */
  reason: string | null;
};

/** The `data` of the event `video`. */
export type FollowedVideoEvent = {
  /** Its id. */
  follow_id: string;
  /** When, RFC 3339 in UTC. */
  at: string;
  /** Id of the video. */
  video_id: string;
  /** Its new status. */
  status: 'waiting' | 'queued' | 'processing' | 'complete' | 'failed';
  /** The job that reads it; null: none. */
  job_id: string | null;
  /** Why it failed, as in an error; null if it did not. */
  error_code: string | null;
  /** When it is retried; null: not scheduled. */
  due_at: string | null;
};

/** One event of the stream, field by field. */
export type FollowStreamEvent = {
  /** Position in the log, for `Last-Event-ID`. */
  id: string;
  /** Which kind of event it is. */
  event: 'follow';
  /** JSON. */
  data: string;
} | {
  /** Position in the log, for `Last-Event-ID`. */
  id: string;
  /** Which kind of event it is. */
  event: 'video';
  /** JSON. */
  data: string;
};

export type Usage = {
  /** Requests, the failed ones included. */
  requests: number;
  /** Requests that succeeded. */
  successful: number;
  /** Requests that failed. */
  failed: number;
  /** Charged in these days, less refunds: negative if refunds exceed charges. The sum of `by_kind`. */
  credits_used: number;
  /** The figures by kind of operation. */
  by_kind: Array<{
    /** Kind of operation. */
    kind: string;
    /** Requests, and items of jobs. */
    count: number;
    /** Credits, less refunds. */
    credits: number;
  }>;
  /** The figures by cost tag, most credits first. */
  by_tag: Array<{
    /** The cost tag; null: none. */
    cost_tag: string | null;
    /** Requests, and items of jobs. */
    count: number;
    /** Credits, less refunds. */
    credits: number;
  }>;
  /** One entry for each UTC day, oldest first, including days without requests. */
  daily: Array<{
    /** UTC day. */
    day: string;
    /** Requests, and items of jobs. */
    count: number;
    /** Credits, less refunds. */
    credits: number;
  }>;
  /** The plan of the account. */
  plan: string;
  /** Credits that can be spent now. */
  credits_remaining: number;
  /** Credits reserved for jobs. */
  credits_reserved: number;
  /** Requests per minute. */
  rate_limit_per_min: number | null;
  /** true: nothing is refused for lack of credits, whatever the value of `credits_remaining`. */
  unlimited: boolean;
  /** Days that the figures cover, today included. */
  period_days: number;
};

export type Ledger = {
  /** Entries of the ledger, the newest first. */
  entries: LedgerEntry[];
  /** Send it as `before` for the next page; null: this was the last. */
  next_before: string | null;
};

export type LedgerEntry = {
  /** Its id. */
  id: string;
  /** What kind it is. */
  type: string;
  /** Stream of the event. */
  stream: string;
  /** Place of the entry in its stream. */
  version: string;
  /** Place in the order. */
  position: string;
  /** When it happened, RFC 3339 in UTC. */
  occurred_at: string;
  /** The request that it belongs to: `X-Request-ID` of its response. */
  request_id: string | null;
  /** Schema version of `data`. */
  schema_version: number;
  /** The event as stored and hashed, with the same member names. */
  data: Record<string, unknown>;
  /** The metadata of the event, as stored and hashed. */
  meta: Record<string, unknown>;
  /** Hash of the previous entry in the ledger. */
  prev_hash: string;
  /** SHA-256 (hex) over prev_hash and the canonical JSON (RFC 8785) of id, type, schema_version, stream, version, data and meta. */
  hash: string;
};

export type LedgerProof = {
  /** The entry that is proved. */
  entry: LedgerEntry;
  /** Salt of the account, base64: the leaf data are SHA-256(salt ‖ hash of the entry). */
  salt: string;
  /** Index of the leaf in the log, from 0. */
  leaf_index: number;
  /** SHA-256(0x00 ‖ leaf data), base64. */
  leaf_hash: string;
  /** Inclusion proof (RFC 9162), base64: from the sibling of the leaf to a child of the root. */
  inclusion: string[];
  /** Signed checkpoint of the log (C2SP tlog-checkpoint) to which the proof leads. */
  checkpoint: string;
};

export type Receipts = {
  /** A compact JWS (RFC 7515, EdDSA with Ed25519) for each charge, in their order. Its payload: account_id, key_id, grant_id, operation, video_id, format, options, content_sha256, price_book, credits, balance_before, balance_after, event_id, event_hash, charged_at, request_id, cost_tag. */
  receipts: string[];
  /** Where the next page begins; null: there is none. */
  next_cursor: string | null;
};

export type KeySet = {
  /** The newest first. */
  keys: Array<{
    /** Type of the key. */
    kty: 'OKP';
    /** Its curve. */
    crv: 'Ed25519';
    /** The public key, base64url. */
    x: string;
    /** Its thumbprint (RFC 7638), the key id in receipts. */
    kid: string;
    /** It verifies signatures. */
    use: 'sig';
  }>;
};

export type Statements = {
  /** The newest first. */
  statements: Array<{
    /** The UTC day on which the period begins. */
    period: string;
    /** true: the period is not over. */
    provisional: boolean;
  }>;
};

export type Statement = {
  /** Id of the account. */
  account_id: string;
  /** The UTC day on which the period begins. */
  period: string;
  /** When the period begins. */
  opens_at: string;
  /** When it ends; not included. */
  closes_at: string;
  /** true: the period is not over. The statement of one that is over never changes. */
  provisional: boolean;
  /** Opening balance. */
  opening_balance: number;
  /** Credits reserved for jobs at the beginning. */
  opening_reserved: number;
  /** Credits received. */
  grants: Array<{
    /** Id of the ledger entry. */
    entry: string;
    /** Why they were granted. */
    kind: string;
    /** Credits. */
    credits: number;
    /** When. */
    at: string;
  }>;
  /** Charges, by operation, key and cost tag. */
  charges: Array<{
    /** Name of the operation. */
    operation: string;
    /** The key; null: none. */
    key_id: string | null;
    /** The cost tag; null: none. */
    cost_tag: string | null;
    /** Requests, and items of jobs. */
    count: number;
    /** Credits. */
    credits: number;
  }>;
  /** Refunds. */
  refunds: Array<{
    /** Id of the ledger entry. */
    entry: string;
    /** The refunded charge. */
    charge: string;
    /** Why, as the ledger says. */
    reason: string;
    /** Credits. */
    credits: number;
    /** When. */
    at: string;
  }>;
  /** Corrections of earlier entries. */
  corrections: Array<{
    /** Number of the credit note: `CN-`, the period, and a count from 1. */
    number: string;
    /** Id of the corrected ledger entry, which does not change. */
    entry: string;
    /** Id of the ledger entry that corrects it. */
    correction: string;
    /** Why, as the ledger says. */
    reason: string;
    /** Credits; negative: deducted. */
    credits: number;
    /** When. */
    at: string;
  }>;
  /** Credits that expired. */
  expired: number;
  /** Credits reserved for jobs at the end. */
  reserved: number;
  /** Closing balance. */
  closing_balance: number;
  /** The first ledger entry of the period. */
  first_entry: {
    /** Id of the entry. */
    id: string;
    /** Its hash. */
    hash: string;
  } | null;
  /** The last one. */
  last_entry: {
    /** Id of the entry. */
    id: string;
    /** Its hash. */
    hash: string;
  } | null;
};

export type EventFeed = {
  /** Events, the oldest first. */
  events: CloudEvent[];
  /** Continues after the last of them; at the end it does not change. */
  next_cursor: string | null;
};

export type CloudEvent = {
  /** Version of CloudEvents. */
  specversion: '1.0';
  /** Id of the event; with `source` it is unique. */
  id: string;
  /** The feed that it belongs to. */
  source: string;
  /** `dev.steno.ledger.` and the type of the entry. */
  type: string;
  /** Stream of the entry. */
  subject: string;
  /** When it happened, RFC 3339 in UTC. */
  time: string;
  /** Media type of `data`. */
  datacontenttype: 'application/json';
  /** Continues after this event. */
  cursor: string;
  /** The entry with its proof. */
  data: LedgerEntry;
};

/** One event of the stream, field by field. */
export type LedgerFeedEvent = {
  /** Position in the log, for `Last-Event-ID`. */
  id: string;
  /** Which kind of event it is. */
  event: 'ledger';
  /** JSON. */
  data: string;
};

export type Error = {
  /** The error. */
  error: {
    /** What went wrong, for programs. New codes may be added at any time: treat an unknown one by its status. */
    code: 'INVALID_REQUEST' | 'INVALID_VIDEO_ID' | 'CAPTCHA_FAILED' | 'INVALID_API_KEY' | 'UNAUTHENTICATED' | 'INVALID_CREDENTIALS' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXHAUSTED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'NOT_FOUND' | 'VIDEO_NOT_FOUND' | 'VIDEO_UNAVAILABLE' | 'TRANSCRIPT_NOT_AVAILABLE' | 'LANGUAGE_NOT_AVAILABLE' | 'PLAYLIST_NOT_FOUND' | 'CHANNEL_NOT_FOUND' | 'JOB_NOT_FOUND' | 'KEY_NOT_FOUND' | 'FOLLOW_NOT_FOUND' | 'WEBHOOK_NOT_FOUND' | 'PROOF_PENDING' | 'METHOD_NOT_ALLOWED' | 'CONFIRMATION_REQUIRED' | 'LIBRARY_FULL' | 'FOLLOW_EXISTS' | 'IDEMPOTENCY_IN_PROGRESS' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'IDEMPOTENCY_KEY_REUSED' | 'RATE_LIMITED' | 'REGISTRATION_BLOCKED' | 'PLATFORM_BLOCKED' | 'PLATFORM_RATE_LIMITED' | 'PLATFORM_CHANGED' | 'NOT_READY' | 'SERVICE_UNAVAILABLE' | 'PLATFORM_TIMEOUT' | 'INTERNAL_ERROR' | (string & {});
    /** The same in a sentence for people. */
    message: string;
    /** The request that it belongs to: `X-Request-ID` of its response. */
    request_id: string;
    /** More about the refusal, such as `reason`, `fields` or `retry_after_s`; null: nothing more. */
    details: Record<string, unknown> | null;
  };
};

export type WebhookEvent = {
  /** The `webhook-id`: the same at every attempt and replay. */
  id: string;
  /** Kind of the event. */
  type: 'job.completed' | 'job.failed';
  /** When it happened, RFC 3339 in UTC. */
  timestamp: string;
  /** Schema version of this body. */
  api_version: string;
  /** true: a test delivery requested by its owner; its job does not exist. */
  test?: true | undefined;
  /** The data of the event. */
  data: {
    /** Id of the job. */
    job_id: string;
    /** `batch`: the given references. `playlist`, `channel`: the videos of the given playlists or channels. */
    kind: 'batch' | 'playlist' | 'channel';
    /** How the run ended. */
    status: 'completed' | 'completed_with_errors' | 'failed';
    /** 1, and one more for each retry of the job. */
    run: number;
    /** Items of the job; 0 while its listing is read. */
    total_items: number;
    /** Completed items. */
    completed_items: number;
    /** Items that failed. */
    failed_items: number;
    /** Credits charged for it; 0 if it failed. */
    credits_charged: number;
    /** When it was created, RFC 3339 in UTC. */
    created_at: string;
    /** When it last changed, RFC 3339 in UTC. */
    updated_at: string;
    /** Where the results are read. */
    results_url: string;
    /** Where the signed receipts of its charges are. */
    receipts_url: string;
  };
};
