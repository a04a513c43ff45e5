// Made from docs/openapi.json by `npm run clients`.

import type {
  AiStatus,
  Answer,
  AskLibraryRequest,
  AskRequest,
  Batch,
  Channel,
  ChannelJobStarted,
  Chapters,
  ChaptersRequest,
  Chunks,
  Clips,
  ClipsRequest,
  CreateChannelJobRequest,
  CreateFollowRequest,
  CreateJobRequest,
  CreatePlaylistJobRequest,
  CreateWebhookRequest,
  CreatedWebhook,
  CurrentSigningSecret,
  Deliveries,
  Error,
  EventFeed,
  Follow,
  FollowedVideos,
  Follows,
  GetTranscriptsRequest,
  InsightQuote,
  Job,
  JobPlan,
  JobResults,
  JobStarted,
  Jobs,
  KeySet,
  Languages,
  Ledger,
  LedgerEntry,
  LedgerProof,
  Library,
  LibraryAnswer,
  LibraryDiff,
  LibrarySearchResults,
  LibraryVersionText,
  LibraryVersions,
  Playlist,
  PlaylistJobStarted,
  PriceQuote,
  Quotes,
  QuotesRequest,
  RawTranscript,
  Receipts,
  RecoverDeliveriesRequest,
  RecoveredDeliveries,
  RepurposeRequest,
  Repurposed,
  RequestedDelivery,
  SearchRequest,
  SearchResults,
  SigningSecret,
  Statement,
  Statements,
  SummarizeRequest,
  Summary,
  Transcript,
  TranslateRequest,
  Translation,
  UpdateFollowRequest,
  UpdateWebhookRequest,
  Usage,
  Video,
  Webhook,
  Webhooks,
} from './schemas.js';

/** Every path of the API, in the form that openapi-fetch reads. */
export interface paths {
  '/v1/transcripts/{videoId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getTranscript'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transcripts/{videoId}/raw': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getRawTranscript'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transcripts/{videoId}/languages': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listLanguages'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transcripts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['getTranscripts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/transcripts/{videoId}/chunks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getChunks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos/{videoId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getVideo'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ai/status': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getAiStatus'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/summarize': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['summarize'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/chapters': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['chapters'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ask': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['ask'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/search': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['search'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/quotes': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['quotes'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/clips': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['clips'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/repurpose': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['repurpose'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/translate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['translate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listJobs'];
    put?: never;
    post: operations['createJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{jobId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{jobId}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['cancelJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{jobId}/retry': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['retryJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{jobId}/results': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getJobResults'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/playlists/{playlistId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getPlaylist'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/playlists/{playlistId}/transcripts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['createPlaylistJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/channels/{channelId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getChannel'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/channels/{channelId}/transcripts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['createChannelJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listLibrary'];
    put?: never;
    post?: never;
    delete: operations['clearLibrary'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/search': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['searchLibrary'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/ask': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['askLibrary'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['exportLibrary'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/{videoId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    delete: operations['removeFromLibrary'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/{videoId}/versions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listLibraryVersions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/{videoId}/versions/{version}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getLibraryVersion'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/library/{videoId}/diff': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['compareLibraryVersions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listWebhooks'];
    put?: never;
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/signing-secret': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getSigningSecret'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/signing-secret/rotate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['rotateSigningSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhookId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getWebhook'];
    put?: never;
    post?: never;
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    patch: operations['updateWebhook'];
    trace?: never;
  };
  '/v1/webhooks/{webhookId}/rotate-secret': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhookId}/test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhookId}/deliveries': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['replayDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{jobId}/deliveries': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listJobDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{jobId}/deliveries/{deliveryId}/replay': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['replayJobDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhooks/{webhookId}/recover': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['recoverDeliveries'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/follows': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listFollows'];
    put?: never;
    post: operations['createFollow'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/follows/{followId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getFollow'];
    put?: never;
    post?: never;
    delete: operations['deleteFollow'];
    options?: never;
    head?: never;
    patch: operations['updateFollow'];
    trace?: never;
  };
  '/v1/follows/{followId}/pause': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['pauseFollow'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/follows/{followId}/resume': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['resumeFollow'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/follows/{followId}/check': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['checkFollow'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/follows/{followId}/feed/rotate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post: operations['rotateFollowFeed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/follows/{followId}/videos': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listFollowedVideos'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ledger': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listLedger'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ledger/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['exportLedger'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ledger/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getLedgerEntry'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ledger/{id}/proof': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getLedgerProof'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/receipts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getReceipts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/jwks.json': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getKeySet'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/statements': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listStatements'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/statements/{period}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['getStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}

export interface operations {
  getTranscript: {
    parameters: {
      query?: {
        /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
        lang?: string | undefined;
        /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
        captions?: 'any' | 'manual' | 'automatic' | undefined;
        /** Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues. */
        words?: boolean | undefined;
        /** md is the same as markdown. */
        format?: 'txt' | 'srt' | 'vtt' | 'markdown' | 'json' | 'md' | undefined;
        /** Lines of txt begin with [mm:ss]. */
        timestamps?: boolean | undefined;
        /** Removes music notes and cues such as [Music] or (laughs). */
        clean?: boolean | undefined;
        /** Accepted for compatibility; the format alone decides the body. */
        body?: boolean | undefined;
        /** platform: if the video has no captions in `lang`, captions translated by the platform (`source: translated`). */
        translate?: 'platform' | undefined;
        /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. */
        asr?: 'off' | 'auto' | 'force' | undefined;
        /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
        keep?: boolean | undefined;
        /** `video`: the transcript has `video`, what `GET /v1/videos/{videoId}` answers, for the same price. */
        include?: 'video' | undefined;
        /** The transcript has `token_count`: the tokens of its text for a language model (`o200k_base`), lines joined by spaces. */
        count_tokens?: boolean | undefined;
      };
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Transcript | PriceQuote; 'text/plain': string; 'application/x-subrip': string; 'text/vtt': string; 'text/markdown': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getRawTranscript: {
    parameters: {
      query?: {
        /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
        lang?: string | undefined;
        /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
        captions?: 'any' | 'manual' | 'automatic' | undefined;
        /** Segments of automatic captions have `words`, each with the moment at which it is said; VTT has the times within its cues. */
        words?: boolean | undefined;
        /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
        keep?: boolean | undefined;
      };
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': RawTranscript | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listLanguages: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Languages } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getTranscripts: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': GetTranscriptsRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Batch | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getChunks: {
    parameters: {
      query?: {
        /** Tokens of a chunk, at most. A sentence that is longer is divided. */
        max_tokens?: number | undefined;
        /** Tokens of whole sentences at the end of a chunk that the next one begins with, at most. They count within `max_tokens`, and are fewer. */
        overlap?: number | undefined;
        /** sentences: as many as fit; captions without punctuation are divided by lines. chapters: no chunk crosses the end of a chapter, written by the author or else extracted. */
        by?: 'sentences' | 'chapters' | undefined;
        /** Language code (BCP 47), or up to 10 separated by commas: the first available one is read. Another language is never substituted. */
        lang?: string | undefined;
        /** manual: captions that people wrote; automatic: those that the platform made; any: manual before automatic. A kind that is missing is refused, with `reason: kind_missing`. */
        captions?: 'any' | 'manual' | 'automatic' | undefined;
        /** true: what is read is kept in the library of the account, false: it is not; without it as the account has chosen (`keep_by_default`). Where the library is full, `true` is refused and costs nothing. */
        keep?: boolean | undefined;
        /** auto: the speech of a video without captions is recognized (`source: asr`), which costs 10 credits; force: also that of a video with captions. The balance must cover that. */
        asr?: 'off' | 'auto' | 'force' | undefined;
        /** ndjson: one chunk per line. */
        format?: 'json' | 'ndjson' | undefined;
      };
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Chunks | PriceQuote; 'application/x-ndjson': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getVideo: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Video } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getAiStatus: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': AiStatus } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  summarize: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': SummarizeRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Summary | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  chapters: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': ChaptersRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Chapters | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  ask: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': AskRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Answer | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  search: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': SearchRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': SearchResults | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  quotes: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': QuotesRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Quotes | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  clips: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': ClipsRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Clips | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  repurpose: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': RepurposeRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Repurposed | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  translate: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': TranslateRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Translation | InsightQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  createJob: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': CreateJobRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': JobPlan } };
      202: { headers: Record<string, string>; content: { 'application/json': JobStarted } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listJobs: {
    parameters: {
      query?: {
        /** Jobs per page. */
        limit?: number | undefined;
        /** `next_before` of the previous page. */
        before?: string | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Jobs } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the job: `job_id` of the response that created it. */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Job } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  cancelJob: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the job: `job_id` of the response that created it. */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Job } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  retryJob: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Id of the job: `job_id` of the response that created it. */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Job | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getJobResults: {
    parameters: {
      query?: {
        /** Results per page; with a cursor alone 100. */
        limit?: number | undefined;
        /** `next_cursor` of the previous page. */
        cursor?: string | undefined;
      };
      header?: never;
      path: {
        /** Id of the job: `job_id` of the response that created it. */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': JobResults } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getPlaylist: {
    parameters: {
      query?: {
        /** Maximum number of videos. */
        limit?: number | undefined;
      };
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Playlist id or link. */
        playlistId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Playlist | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  createPlaylistJob: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Playlist id or link. */
        playlistId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': CreatePlaylistJobRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': JobPlan } };
      202: { headers: Record<string, string>; content: { 'application/json': PlaylistJobStarted } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getChannel: {
    parameters: {
      query?: {
        /** Maximum number of videos. */
        limit?: number | undefined;
      };
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Channel id, handle or link. */
        channelId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Channel | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  createChannelJob: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path: {
        /** Channel id, handle or link. */
        channelId: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': CreateChannelJobRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': JobPlan } };
      202: { headers: Record<string, string>; content: { 'application/json': ChannelJobStarted } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listLibrary: {
    parameters: {
      query?: {
        /** Videos per page. */
        limit?: number | undefined;
        /** `next_cursor` of the previous page. */
        cursor?: string | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Library } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  clearLibrary: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { headers: Record<string, string>; content: { [type: string]: never } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  searchLibrary: {
    parameters: {
      query: {
        /** The query. `"words in quotation marks"` must appear in this order; `-word` must not appear in a passage. */
        q: string;
        /** Only captions in this language; without a region, those of every region. */
        lang?: string | undefined;
        /** Only videos of the channel with this id or name. */
        channel?: string | undefined;
        /** Only videos that were kept at this time or later, RFC 3339. */
        from?: string | undefined;
        /** Only videos that were kept at this time or before, RFC 3339. */
        to?: string | undefined;
        /** Maximum passages to return. */
        limit?: number | undefined;
      };
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LibrarySearchResults | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  askLibrary: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
        /** 1: returns what the request would cost, without executing it. */
        'X-Dry-Run'?: '1' | undefined;
        /** What the cost is assigned to. It is stored with the charge: no personal data. */
        'X-Cost-Tag'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': AskLibraryRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LibraryAnswer | PriceQuote } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  exportLibrary: {
    parameters: {
      query?: {
        /** Videos in the archive. */
        limit?: number | undefined;
        /** `next_cursor` of the previous page. */
        cursor?: string | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/zip': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  removeFromLibrary: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { headers: Record<string, string>; content: { [type: string]: never } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listLibraryVersions: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LibraryVersions } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getLibraryVersion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
        /** Number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LibraryVersionText } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  compareLibraryVersions: {
    parameters: {
      query: {
        /** Number of the version before. */
        from: number;
        /** Number of the version after. */
        to: number;
      };
      header?: never;
      path: {
        /** Video id, or a full link to the video (percent-encoded in a path). */
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LibraryDiff } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listWebhooks: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Webhooks } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': CreateWebhookRequest } };
    responses: {
      201: { headers: Record<string, string>; content: { 'application/json': CreatedWebhook } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getSigningSecret: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': CurrentSigningSecret } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  rotateSigningSecret: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': SigningSecret } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Webhook } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': UpdateWebhookRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Webhook } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { headers: Record<string, string>; content: { [type: string]: never } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': SigningSecret } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: { headers: Record<string, string>; content: { 'application/json': RequestedDelivery } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /** Deliveries per page. */
        limit?: number | undefined;
        /** `next_before` of the previous page. */
        before?: string | undefined;
      };
      header?: never;
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Deliveries } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  replayDelivery: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the webhook. */
        webhookId: string;
        /** Id of the delivery. */
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: { headers: Record<string, string>; content: { 'application/json': RequestedDelivery } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listJobDeliveries: {
    parameters: {
      query?: {
        /** Deliveries per page. */
        limit?: number | undefined;
        /** `next_before` of the previous page. */
        before?: string | undefined;
      };
      header?: never;
      path: {
        /** Id of the job: `job_id` of the response that created it. */
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Deliveries } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  replayJobDelivery: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the job: `job_id` of the response that created it. */
        jobId: string;
        /** Id of the delivery. */
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: { headers: Record<string, string>; content: { 'application/json': RequestedDelivery } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  recoverDeliveries: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the webhook. */
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': RecoverDeliveriesRequest } };
    responses: {
      202: { headers: Record<string, string>; content: { 'application/json': RecoveredDeliveries } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  createFollow: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': CreateFollowRequest } };
    responses: {
      201: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listFollows: {
    parameters: {
      query?: {
        /** Follows per page. */
        limit?: number | undefined;
        /** `next_before` of the previous page. */
        before?: string | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follows } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getFollow: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  updateFollow: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': UpdateFollowRequest } };
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  deleteFollow: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { headers: Record<string, string>; content: { [type: string]: never } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  pauseFollow: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  resumeFollow: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  checkFollow: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  rotateFollowFeed: {
    parameters: {
      query?: never;
      header?: {
        /** Repeats of a request with the same key within 24 hours get its response again, charged once. */
        'Idempotency-Key'?: string | undefined;
      };
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Follow } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listFollowedVideos: {
    parameters: {
      query?: {
        /** Maximum number of videos. */
        limit?: number | undefined;
      };
      header?: never;
      path: {
        /** Id of the follow. */
        followId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': FollowedVideos } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getUsage: {
    parameters: {
      query?: {
        /** The state at this time; omitted: now. It must not be in the future. */
        as_of?: string | undefined;
        /** How many UTC days back, today included. */
        days?: number | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Usage } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listLedger: {
    parameters: {
      query?: {
        /** Entries per page. */
        limit?: number | undefined;
        /** `next_before` of the previous page. */
        before?: string | undefined;
        /** Only entries of this request. */
        request_id?: string | undefined;
        /** The state at this time; omitted: now. It must not be in the future. */
        as_of?: string | undefined;
        /** Only charges and refunds with this cost tag. */
        cost_tag?: string | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Ledger } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  exportLedger: {
    parameters: {
      query?: {
        /** Lines of JSON, CSV with a header, or Parquet. */
        format?: 'ndjson' | 'csv' | 'parquet' | undefined;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/x-ndjson': string; 'text/csv': string; 'application/vnd.apache.parquet': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getLedgerEntry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id, as the list shows it. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LedgerEntry } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getLedgerProof: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id, as the list shows it. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': LedgerProof; 'text/plain': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getReceipts: {
    parameters: {
      query?: {
        /** Maximum number of receipts. */
        limit?: number | undefined;
        /** `next_cursor` of the previous page. */
        cursor?: string | undefined;
      };
      header?: never;
      path: {
        /** Id of the event or charge (`X-Credits-Event`), of the request or of a job. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Receipts } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getKeySet: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': KeySet } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listStatements: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Statements } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  getStatement: {
    parameters: {
      query?: {
        /** The format of the response. */
        format?: 'json' | 'csv' | undefined;
      };
      header?: never;
      path: {
        /** The UTC day on which it begins. */
        period: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': Statement; 'text/csv': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** Only events after it; without one, from the beginning. */
        cursor?: string | undefined;
        /** Events per page. */
        limit?: number | undefined;
      };
      header?: {
        /** The id of the last event that was received; goes before `cursor`. */
        'Last-Event-ID'?: string | undefined;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { headers: Record<string, string>; content: { 'application/json': EventFeed; 'application/x-ndjson': string; 'text/event-stream': string } };
      default: { headers: Record<string, string>; content: { 'application/json': Error } };
    };
  };
}

/** The requests that take an `Idempotency-Key`, by method and path. */
export const idempotent: ReadonlySet<string> = new Set([
  'GET /v1/transcripts/{videoId}',
  'GET /v1/transcripts/{videoId}/raw',
  'POST /v1/transcripts',
  'GET /v1/transcripts/{videoId}/chunks',
  'POST /v1/summarize',
  'POST /v1/chapters',
  'POST /v1/ask',
  'POST /v1/search',
  'POST /v1/quotes',
  'POST /v1/clips',
  'POST /v1/repurpose',
  'POST /v1/translate',
  'POST /v1/jobs',
  'POST /v1/jobs/{jobId}/cancel',
  'POST /v1/jobs/{jobId}/retry',
  'GET /v1/playlists/{playlistId}',
  'POST /v1/playlists/{playlistId}/transcripts',
  'GET /v1/channels/{channelId}',
  'POST /v1/channels/{channelId}/transcripts',
  'GET /v1/library/search',
  'POST /v1/library/ask',
  'POST /v1/webhooks',
  'POST /v1/webhooks/signing-secret/rotate',
  'POST /v1/webhooks/{webhookId}/rotate-secret',
  'POST /v1/webhooks/{webhookId}/test',
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
  'POST /v1/jobs/{jobId}/deliveries/{deliveryId}/replay',
  'POST /v1/webhooks/{webhookId}/recover',
  'POST /v1/follows',
  'POST /v1/follows/{followId}/pause',
  'POST /v1/follows/{followId}/resume',
  'POST /v1/follows/{followId}/check',
  'POST /v1/follows/{followId}/feed/rotate',
]);
