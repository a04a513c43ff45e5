// Made from docs/openapi.json by `npm run clients`.

import type { OperationRequest, Paging, RequestOptions } from '../request.js';
import type { operations } from './paths.js';
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
  CloudEvent,
  CreateChannelJobRequest,
  CreateFollowRequest,
  CreateJobRequest,
  CreatePlaylistJobRequest,
  CreateWebhookRequest,
  CreatedWebhook,
  CurrentSigningSecret,
  Deliveries,
  Delivery,
  EventFeed,
  Follow,
  FollowedVideos,
  Follows,
  GetTranscriptsRequest,
  InsightQuote,
  Job,
  JobPlan,
  JobResult,
  JobResults,
  JobStarted,
  Jobs,
  KeptVideo,
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

/** A method for each operation of the API. */
export abstract class Operations {
  protected abstract call<Answer>(request: OperationRequest, options: RequestOptions): Promise<Answer>;

  protected abstract pages<Item>(
    request: OperationRequest,
    paging: Paging,
    options: RequestOptions,
  ): AsyncGenerator<Item, void, undefined>;

  /**
   * Get the transcript of a video
   * Costs 1 credit in any format, 10 if speech was recognized. A failed request costs nothing.
   */
  getTranscript(videoId: string, query: operations['getTranscript']['parameters']['query'] & {} | undefined, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Get the transcript of a video
   * Costs 1 credit in any format, 10 if speech was recognized. A failed request costs nothing.
   */
  getTranscript(videoId: string, query: operations['getTranscript']['parameters']['query'] & {} & { format: 'txt' | 'srt' | 'vtt' | 'markdown' | 'md' }, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<string>;
  /**
   * Get the transcript of a video
   * Costs 1 credit in any format, 10 if speech was recognized. A failed request costs nothing.
   */
  getTranscript(videoId: string, query?: operations['getTranscript']['parameters']['query'] & {} & { format?: 'json' | undefined }, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Transcript>;
  getTranscript(videoId: string, query?: operations['getTranscript']['parameters']['query'] & {}, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | string | Transcript> {
    return this.call({ method: 'get', path: '/v1/transcripts/{videoId}', pathParameters: { videoId }, query, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Get the captions as the platform sent them
   * Costs 1 credit, as a transcript. The text is not cleaned, and every caption track of the video is listed.
   */
  getRawTranscript(videoId: string, query: operations['getRawTranscript']['parameters']['query'] & {} | undefined, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Get the captions as the platform sent them
   * Costs 1 credit, as a transcript. The text is not cleaned, and every caption track of the video is listed.
   */
  getRawTranscript(videoId: string, query?: operations['getRawTranscript']['parameters']['query'] & {}, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<RawTranscript>;
  getRawTranscript(videoId: string, query?: operations['getRawTranscript']['parameters']['query'] & {}, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | RawTranscript> {
    return this.call({ method: 'get', path: '/v1/transcripts/{videoId}/raw', pathParameters: { videoId }, query, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * List the languages a video has captions in
   * Free of charge. A video without captions returns an empty list, not an error. Each track says whether it is manual or automatic.
   */
  listLanguages(videoId: string, options: RequestOptions = {}): Promise<Languages> {
    return this.call({ method: 'get', path: '/v1/transcripts/{videoId}/languages', pathParameters: { videoId } }, options);
  }

  /**
   * Get the transcripts of up to 50 videos at once
   * Each successful video costs 1 credit, 10 if speech was recognized; a failed one does not fail the others.
   */
  getTranscripts(body: GetTranscriptsRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Get the transcripts of up to 50 videos at once
   * Each successful video costs 1 credit, 10 if speech was recognized; a failed one does not fail the others.
   */
  getTranscripts(body: GetTranscriptsRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Batch>;
  getTranscripts(body: GetTranscriptsRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | Batch> {
    return this.call({ method: 'post', path: '/v1/transcripts', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Get a transcript in pieces for retrieval
   * Whole sentences with their time, a link to that time and their token count (`o200k_base`). Costs 1 credit like a transcript, 10 if speech was recognized.
   */
  getChunks(videoId: string, query: operations['getChunks']['parameters']['query'] & {} | undefined, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Get a transcript in pieces for retrieval
   * Whole sentences with their time, a link to that time and their token count (`o200k_base`). Costs 1 credit like a transcript, 10 if speech was recognized.
   */
  getChunks(videoId: string, query: operations['getChunks']['parameters']['query'] & {} & { format: 'ndjson' }, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<string>;
  /**
   * Get a transcript in pieces for retrieval
   * Whole sentences with their time, a link to that time and their token count (`o200k_base`). Costs 1 credit like a transcript, 10 if speech was recognized.
   */
  getChunks(videoId: string, query?: operations['getChunks']['parameters']['query'] & {} & { format?: 'json' | undefined }, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Chunks>;
  getChunks(videoId: string, query?: operations['getChunks']['parameters']['query'] & {}, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | string | Chunks> {
    return this.call({ method: 'get', path: '/v1/transcripts/{videoId}/chunks', pathParameters: { videoId }, query, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Get the details of a video
   * Free of charge. Title, channel, duration, description, the chapters that its author wrote, and its caption tracks. Also works for videos that are live, upcoming or without captions. Details read in the last hours are not requested again.
   */
  getVideo(videoId: string, options: RequestOptions = {}): Promise<Video> {
    return this.call({ method: 'get', path: '/v1/videos/{videoId}', pathParameters: { videoId } }, options);
  }

  /**
   * Whether a model is available
   * Free of charge. Without a model, operations return extracts, for 1 credit each.
   */
  getAiStatus(options: RequestOptions = {}): Promise<AiStatus> {
    return this.call({ method: 'get', path: '/v1/ai/status' }, options);
  }

  /**
   * Summarize a video
   * Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  summarize(body: SummarizeRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Summarize a video
   * Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  summarize(body: SummarizeRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Summary>;
  summarize(body: SummarizeRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Summary> {
    return this.call({ method: 'post', path: '/v1/summarize', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Divide a video into chapters
   * If the author of the video wrote chapters, these are returned, free of charge and in the author's language, whatever the `output_lang`. Otherwise every chapter begins with a caption, the first with the first. Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  chapters(body: ChaptersRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Divide a video into chapters
   * If the author of the video wrote chapters, these are returned, free of charge and in the author's language, whatever the `output_lang`. Otherwise every chapter begins with a caption, the first with the first. Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  chapters(body: ChaptersRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Chapters>;
  chapters(body: ChaptersRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Chapters> {
    return this.call({ method: 'post', path: '/v1/chapters', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Ask a question about a video
   * The answer is based on passages of the captions, each verified. If the video does not have the answer, the response has `grounded: false`. Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  ask(body: AskRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Ask a question about a video
   * The answer is based on passages of the captions, each verified. If the video does not have the answer, the response has `grounded: false`. Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  ask(body: AskRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Answer>;
  ask(body: AskRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Answer> {
    return this.call({ method: 'post', path: '/v1/ask', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Find passages of a video
   * By words, phrases, stems and corrected typos; with an embedding model also by meaning. Costs 1 credit. A failed request costs nothing.
   */
  search(body: SearchRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Find passages of a video
   * By words, phrases, stems and corrected typos; with an embedding model also by meaning. Costs 1 credit. A failed request costs nothing.
   */
  search(body: SearchRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<SearchResults>;
  search(body: SearchRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | SearchResults> {
    return this.call({ method: 'post', path: '/v1/search', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Quote a video
   * Costs 2 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  quotes(body: QuotesRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Quote a video
   * Costs 2 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  quotes(body: QuotesRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Quotes>;
  quotes(body: QuotesRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Quotes> {
    return this.call({ method: 'post', path: '/v1/quotes', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Find self-contained passages
   * Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  clips(body: ClipsRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Find self-contained passages
   * Costs 3 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  clips(body: ClipsRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Clips>;
  clips(body: ClipsRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Clips> {
    return this.call({ method: 'post', path: '/v1/clips', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Rewrite a video as another kind of text
   * Costs 5 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  repurpose(body: RepurposeRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Rewrite a video as another kind of text
   * Costs 5 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  repurpose(body: RepurposeRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Repurposed>;
  repurpose(body: RepurposeRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Repurposed> {
    return this.call({ method: 'post', path: '/v1/repurpose', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Translate the captions of a video, line by line
   * Times do not change. Without a model nothing is translated: the original captions are returned with `fallback: true` and `FEATURE_UNAVAILABLE`, for the price of a transcript. A dry run says so. Mode `original` costs 1. Costs 5 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  translate(body: TranslateRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<InsightQuote>;
  /**
   * Translate the captions of a video, line by line
   * Times do not change. Without a model nothing is translated: the original captions are returned with `fallback: true` and `FEATURE_UNAVAILABLE`, for the price of a transcript. A dry run says so. Mode `original` costs 1. Costs 5 credits, 1 if no model made the answer. A failed request costs nothing.
   */
  translate(body: TranslateRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Translation>;
  translate(body: TranslateRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<InsightQuote | Translation> {
    return this.call({ method: 'post', path: '/v1/translate', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Create a job over videos, playlists or channels
   * ids, video_ids and urls are combined, in this order, each video once; in a batch, the link of a playlist or channel stands for its videos. The maximum cost is reserved at once; each completed item costs 1 credit, 10 if speech was recognized, besides its operations, and the rest is released when the job ends.
   */
  createJob(body: CreateJobRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<JobPlan>;
  /**
   * Create a job over videos, playlists or channels
   * ids, video_ids and urls are combined, in this order, each video once; in a batch, the link of a playlist or channel stands for its videos. The maximum cost is reserved at once; each completed item costs 1 credit, 10 if speech was recognized, besides its operations, and the rest is released when the job ends.
   */
  createJob(body: CreateJobRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<JobStarted>;
  createJob(body: CreateJobRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<JobPlan | JobStarted> {
    return this.call({ method: 'post', path: '/v1/jobs', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * The jobs of this account, newest first
   * Each with its first 100 items.
   */
  listJobs(query?: operations['listJobs']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Jobs> {
    return this.call({ method: 'get', path: '/v1/jobs', query }, options);
  }

  /** The jobs of this account, newest first: each of all pages, page by page as they are read. */
  iterateJobs(query?: operations['listJobs']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<Job, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/jobs', query }, { parameter: 'before', next: 'next_before', items: 'jobs' }, options);
  }

  /**
   * One job
   * With its first 100 items; results are read under `/results`.
   */
  getJob(jobId: string, options: RequestOptions = {}): Promise<Job> {
    return this.call({ method: 'get', path: '/v1/jobs/{jobId}', pathParameters: { jobId } }, options);
  }

  /**
   * Cancel a job; one that is over does not change
   * Open items end; completed ones are kept and stay charged. The rest of the reserved credits is released.
   */
  cancelJob(jobId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<Job> {
    return this.call({ method: 'post', path: '/v1/jobs/{jobId}/cancel', pathParameters: { jobId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Queue the failed items of a job again
   * The cost of the failed items is reserved again. A job without failed items does not change.
   */
  retryJob(jobId: string, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Queue the failed items of a job again
   * The cost of the failed items is reserved again. A job without failed items does not change.
   */
  retryJob(jobId: string, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Job>;
  retryJob(jobId: string, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | Job> {
    return this.call({ method: 'post', path: '/v1/jobs/{jobId}/retry', pathParameters: { jobId }, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * The results of a job, even while it runs
   * Items that have ended, in the order in which they ended: a cursor misses nothing while the job runs. An item that is retried ends again. Without `limit` and `cursor` the response contains all of them; if that takes longer than 20 seconds, it ends with a cursor.
   */
  getJobResults(jobId: string, query?: operations['getJobResults']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<JobResults> {
    return this.call({ method: 'get', path: '/v1/jobs/{jobId}/results', pathParameters: { jobId }, query }, options);
  }

  /** The results of a job, even while it runs: each of all pages, page by page as they are read. */
  iterateJobResults(jobId: string, query?: operations['getJobResults']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<JobResult, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/jobs/{jobId}/results', pathParameters: { jobId }, query: { limit: 100, ...query } }, { parameter: 'cursor', next: 'next_cursor', items: 'results' }, options);
  }

  /**
   * The videos of a playlist
   * Costs 1 credit for each started hundred of videos returned.
   */
  getPlaylist(playlistId: string, query: operations['getPlaylist']['parameters']['query'] & {} | undefined, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * The videos of a playlist
   * Costs 1 credit for each started hundred of videos returned.
   */
  getPlaylist(playlistId: string, query?: operations['getPlaylist']['parameters']['query'] & {}, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Playlist>;
  getPlaylist(playlistId: string, query?: operations['getPlaylist']['parameters']['query'] & {}, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | Playlist> {
    return this.call({ method: 'get', path: '/v1/playlists/{playlistId}', pathParameters: { playlistId }, query, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Create a job over the videos of a playlist
   * Lists the playlist and reads each of its videos in a job. Videos that cannot be read become failed items.
   */
  createPlaylistJob(playlistId: string, body: CreatePlaylistJobRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<JobPlan>;
  /**
   * Create a job over the videos of a playlist
   * Lists the playlist and reads each of its videos in a job. Videos that cannot be read become failed items.
   */
  createPlaylistJob(playlistId: string, body?: CreatePlaylistJobRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<PlaylistJobStarted>;
  createPlaylistJob(playlistId: string, body?: CreatePlaylistJobRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<JobPlan | PlaylistJobStarted> {
    return this.call({ method: 'post', path: '/v1/playlists/{playlistId}/transcripts', pathParameters: { playlistId }, body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * The videos of a channel
   * Costs 1 credit for each started hundred of videos returned.
   */
  getChannel(channelId: string, query: operations['getChannel']['parameters']['query'] & {} | undefined, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * The videos of a channel
   * Costs 1 credit for each started hundred of videos returned.
   */
  getChannel(channelId: string, query?: operations['getChannel']['parameters']['query'] & {}, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<Channel>;
  getChannel(channelId: string, query?: operations['getChannel']['parameters']['query'] & {}, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | Channel> {
    return this.call({ method: 'get', path: '/v1/channels/{channelId}', pathParameters: { channelId }, query, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Create a job over the videos of a channel
   * Lists the channel and reads each of its videos in a job. Videos that cannot be read become failed items.
   */
  createChannelJob(channelId: string, body: CreateChannelJobRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<JobPlan>;
  /**
   * Create a job over the videos of a channel
   * Lists the channel and reads each of its videos in a job. Videos that cannot be read become failed items.
   */
  createChannelJob(channelId: string, body?: CreateChannelJobRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<ChannelJobStarted>;
  createChannelJob(channelId: string, body?: CreateChannelJobRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<JobPlan | ChannelJobStarted> {
    return this.call({ method: 'post', path: '/v1/channels/{channelId}/transcripts', pathParameters: { channelId }, body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * The videos that the account keeps, newest first
   * Free of charge. A request, job or follow with `keep` adds the videos whose captions it reads. It stores the captions, the platform's details of the video, and an index of the words.
   */
  listLibrary(query?: operations['listLibrary']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Library> {
    return this.call({ method: 'get', path: '/v1/library', query }, options);
  }

  /** The videos that the account keeps, newest first: each of all pages, page by page as they are read. */
  iterateLibrary(query?: operations['listLibrary']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<KeptVideo, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/library', query }, { parameter: 'cursor', next: 'next_cursor', items: 'videos' }, options);
  }

  /**
   * Remove every video from the library
   * Their captions, all versions of them and their index are deleted.
   */
  clearLibrary(options: RequestOptions = {}): Promise<void> {
    return this.call({ method: 'delete', path: '/v1/library' }, options);
  }

  /**
   * Find passages in all videos of the library
   * Costs 1 credit. By words, phrases, stems and corrected typos in the languages of the captions; with an embedding model also by meaning.
   */
  searchLibrary(query: operations['searchLibrary']['parameters']['query'] & {} | undefined, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Find passages in all videos of the library
   * Costs 1 credit. By words, phrases, stems and corrected typos in the languages of the captions; with an embedding model also by meaning.
   */
  searchLibrary(query: operations['searchLibrary']['parameters']['query'] & {}, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<LibrarySearchResults>;
  searchLibrary(query: operations['searchLibrary']['parameters']['query'] & {}, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | LibrarySearchResults> {
    return this.call({ method: 'get', path: '/v1/library/search', query, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * Ask a question about all videos of the library
   * Like `ask` about one video: each citation is verified word by word, and if no video has the answer, the response has `grounded: false`. Costs 3 credits, 1 if no model made the answer.
   */
  askLibrary(body: AskLibraryRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun: true }): Promise<PriceQuote>;
  /**
   * Ask a question about all videos of the library
   * Like `ask` about one video: each citation is verified word by word, and if no video has the answer, the response has `grounded: false`. Costs 3 credits, 1 if no model made the answer.
   */
  askLibrary(body: AskLibraryRequest, options?: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } & { dryRun?: false | undefined }): Promise<LibraryAnswer>;
  askLibrary(body: AskLibraryRequest, options: RequestOptions & { idempotencyKey?: string | undefined; dryRun?: boolean | undefined; costTag?: string | undefined } = {}): Promise<PriceQuote | LibraryAnswer> {
    return this.call({ method: 'post', path: '/v1/library/ask', body, headers: { 'Idempotency-Key': options.idempotencyKey, 'X-Dry-Run': options.dryRun, 'X-Cost-Tag': options.costTag } }, options);
  }

  /**
   * The whole library, as files in one archive
   * Free of charge. A ZIP with a folder for each video; every version is a Markdown and a JSON file. A larger library needs several archives: `cursor` continues as in the list.
   */
  exportLibrary(query?: operations['exportLibrary']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Blob> {
    return this.call({ method: 'get', path: '/v1/library/export', query }, options);
  }

  /**
   * Remove a video from the library
   * Its captions, all versions of them and their index are deleted.
   */
  removeFromLibrary(videoId: string, options: RequestOptions = {}): Promise<void> {
    return this.call({ method: 'delete', path: '/v1/library/{videoId}', pathParameters: { videoId } }, options);
  }

  /**
   * The versions of the captions of a kept video
   * Free of charge. Changed captions are kept as another version, up to the newest 50. Each language has its own versions.
   */
  listLibraryVersions(videoId: string, options: RequestOptions = {}): Promise<LibraryVersions> {
    return this.call({ method: 'get', path: '/v1/library/{videoId}/versions', pathParameters: { videoId } }, options);
  }

  /**
   * One version of the captions of a kept video
   * Free of charge. The captions as they were kept.
   */
  getLibraryVersion(videoId: string, version: string, options: RequestOptions = {}): Promise<LibraryVersionText> {
    return this.call({ method: 'get', path: '/v1/library/{videoId}/versions/{version}', pathParameters: { videoId, version } }, options);
  }

  /**
   * The differences between two versions, line by line
   * Free of charge. Lines are compared by their text; removed lines come before those that replace them.
   */
  compareLibraryVersions(videoId: string, query: operations['compareLibraryVersions']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<LibraryDiff> {
    return this.call({ method: 'get', path: '/v1/library/{videoId}/diff', pathParameters: { videoId }, query }, options);
  }

  /**
   * The webhooks of this account
   * Active and disabled ones, without their secrets.
   */
  listWebhooks(options: RequestOptions = {}): Promise<Webhooks> {
    return this.call({ method: 'get', path: '/v1/webhooks' }, options);
  }

  /**
   * Register a webhook; its secret is shown once
   * The address must be on a public network. Deliveries are signed as specified by Standard Webhooks.
   */
  createWebhook(body: CreateWebhookRequest, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<CreatedWebhook> {
    return this.call({ method: 'post', path: '/v1/webhooks', body, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * The secret that signs deliveries to the `webhook_url` of jobs
   * Deliveries to a URL that is also a registered webhook are signed with the secret of that webhook.
   */
  getSigningSecret(options: RequestOptions = {}): Promise<CurrentSigningSecret> {
    return this.call({ method: 'get', path: '/v1/webhooks/signing-secret' }, options);
  }

  /**
   * Create a new one; the previous one also signs for 24 hours
   * Both secrets sign for 24 hours, so that receivers can switch.
   */
  rotateSigningSecret(options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<SigningSecret> {
    return this.call({ method: 'post', path: '/v1/webhooks/signing-secret/rotate', headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * One webhook
   * Without its secret.
   */
  getWebhook(webhookId: string, options: RequestOptions = {}): Promise<Webhook> {
    return this.call({ method: 'get', path: '/v1/webhooks/{webhookId}', pathParameters: { webhookId } }, options);
  }

  /**
   * Change a webhook; omitted members do not change
   * A webhook that is enabled again gets events from then on; `recover` sends those it missed.
   */
  updateWebhook(webhookId: string, body: UpdateWebhookRequest, options: RequestOptions = {}): Promise<Webhook> {
    return this.call({ method: 'patch', path: '/v1/webhooks/{webhookId}', pathParameters: { webhookId }, body }, options);
  }

  /**
   * Delete a webhook
   * Pending deliveries are not sent.
   */
  deleteWebhook(webhookId: string, options: RequestOptions = {}): Promise<void> {
    return this.call({ method: 'delete', path: '/v1/webhooks/{webhookId}', pathParameters: { webhookId } }, options);
  }

  /**
   * Create a new secret; the previous one also signs for 24 hours
   * Both secrets sign for 24 hours, so that receivers can switch.
   */
  rotateWebhookSecret(webhookId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<SigningSecret> {
    return this.call({ method: 'post', path: '/v1/webhooks/{webhookId}/rotate-secret', pathParameters: { webhookId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Send a job.completed with `test: true`
   * The event is about a job that does not exist. The response does not wait for the delivery.
   */
  testWebhook(webhookId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<RequestedDelivery> {
    return this.call({ method: 'post', path: '/v1/webhooks/{webhookId}/test', pathParameters: { webhookId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Deliveries with their attempts, newest first
   * With every attempt, its status and how long it took.
   */
  listDeliveries(webhookId: string, query?: operations['listDeliveries']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Deliveries> {
    return this.call({ method: 'get', path: '/v1/webhooks/{webhookId}/deliveries', pathParameters: { webhookId }, query }, options);
  }

  /** Deliveries with their attempts, newest first: each of all pages, page by page as they are read. */
  iterateDeliveries(webhookId: string, query?: operations['listDeliveries']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/webhooks/{webhookId}/deliveries', pathParameters: { webhookId }, query }, { parameter: 'before', next: 'next_before', items: 'deliveries' }, options);
  }

  /**
   * Send one delivery again, under the same event id
   * The receiver sees the same `webhook-id`, so it can recognize a repeat. The webhook must be active.
   */
  replayDelivery(webhookId: string, deliveryId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<RequestedDelivery> {
    return this.call({ method: 'post', path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay', pathParameters: { webhookId, deliveryId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Deliveries about one job, newest first
   * To registered webhooks and to the `webhook_url` of the job, whose `webhook_id` is null.
   */
  listJobDeliveries(jobId: string, query?: operations['listJobDeliveries']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Deliveries> {
    return this.call({ method: 'get', path: '/v1/jobs/{jobId}/deliveries', pathParameters: { jobId }, query }, options);
  }

  /** Deliveries about one job, newest first: each of all pages, page by page as they are read. */
  iterateJobDeliveries(jobId: string, query?: operations['listJobDeliveries']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/jobs/{jobId}/deliveries', pathParameters: { jobId }, query }, { parameter: 'before', next: 'next_before', items: 'deliveries' }, options);
  }

  /**
   * Send one delivery about a job again, under the same event id
   * The receiver sees the same `webhook-id`, so it can recognize a repeat. A registered webhook must be active.
   */
  replayJobDelivery(jobId: string, deliveryId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<RequestedDelivery> {
    return this.call({ method: 'post', path: '/v1/jobs/{jobId}/deliveries/{deliveryId}/replay', pathParameters: { jobId, deliveryId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Send all failed deliveries since a time again, at most 1,000
   * Oldest first, without those that were sent again since.
   */
  recoverDeliveries(webhookId: string, body: RecoverDeliveriesRequest, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<RecoveredDeliveries> {
    return this.call({ method: 'post', path: '/v1/webhooks/{webhookId}/recover', pathParameters: { webhookId }, body, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Follow a channel or playlist: new videos are transcribed automatically
   * Videos are new if they are not in the current list. Each new video becomes an item of a job and is charged as such, for success only, within the budget of the follow, the cap of its key and the credits of the account.
   */
  createFollow(body: CreateFollowRequest, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<Follow> {
    return this.call({ method: 'post', path: '/v1/follows', body, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * The follows of this account, newest first
   * Ended follows are not included.
   */
  listFollows(query?: operations['listFollows']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Follows> {
    return this.call({ method: 'get', path: '/v1/follows', query }, options);
  }

  /** The follows of this account, newest first: each of all pages, page by page as they are read. */
  iterateFollows(query?: operations['listFollows']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<Follow, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/follows', query }, { parameter: 'before', next: 'next_before', items: 'follows' }, options);
  }

  /**
   * One follow
   * Works for ended follows too.
   */
  getFollow(followId: string, options: RequestOptions = {}): Promise<Follow> {
    return this.call({ method: 'get', path: '/v1/follows/{followId}', pathParameters: { followId } }, options);
  }

  /**
   * Change a follow; omitted members do not change
   * Applies to videos read from now on. With a higher budget, waiting videos are read at once.
   */
  updateFollow(followId: string, body: UpdateFollowRequest, options: RequestOptions = {}): Promise<Follow> {
    return this.call({ method: 'patch', path: '/v1/follows/{followId}', pathParameters: { followId }, body }, options);
  }

  /**
   * End a follow
   * Videos in progress are still read; the source is no longer checked. An ended follow cannot be resumed.
   */
  deleteFollow(followId: string, options: RequestOptions = {}): Promise<void> {
    return this.call({ method: 'delete', path: '/v1/follows/{followId}', pathParameters: { followId } }, options);
  }

  /**
   * Pause a follow
   * The source is not checked and no new videos are read. Videos published meanwhile are read after it resumes.
   */
  pauseFollow(followId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<Follow> {
    return this.call({ method: 'post', path: '/v1/follows/{followId}/pause', pathParameters: { followId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Resume a paused follow
   * The source is checked at once. A follow whose key was revoked, or whose application may no longer spend, continues under the key of this request.
   */
  resumeFollow(followId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<Follow> {
    return this.call({ method: 'post', path: '/v1/follows/{followId}/resume', pathParameters: { followId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Check the source of a follow now
   * At most once every 60 seconds for each source; otherwise `RATE_LIMITED`.
   */
  checkFollow(followId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<Follow> {
    return this.call({ method: 'post', path: '/v1/follows/{followId}/check', pathParameters: { followId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * Change the address of a follow's feed
   * The former address is no longer valid.
   */
  rotateFollowFeed(followId: string, options: RequestOptions & { idempotencyKey?: string | undefined } = {}): Promise<Follow> {
    return this.call({ method: 'post', path: '/v1/follows/{followId}/feed/rotate', pathParameters: { followId }, headers: { 'Idempotency-Key': options.idempotencyKey } }, options);
  }

  /**
   * The videos found by a follow, newest first
   * With the job that reads each video, and its cost.
   */
  listFollowedVideos(followId: string, query?: operations['listFollowedVideos']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<FollowedVideos> {
    return this.call({ method: 'get', path: '/v1/follows/{followId}/videos', pathParameters: { followId }, query }, options);
  }

  /**
   * The usage of this account
   * Failures count as requests and cost nothing. Failed items of jobs count under `job_item`.
   */
  getUsage(query?: operations['getUsage']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Usage> {
    return this.call({ method: 'get', path: '/v1/usage', query }, options);
  }

  /**
   * The ledger of this account, newest first
   * Every charge, refund, grant and free use, with the hash chain that proves that nothing was changed.
   */
  listLedger(query?: operations['listLedger']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Ledger> {
    return this.call({ method: 'get', path: '/v1/ledger', query }, options);
  }

  /** The ledger of this account, newest first: each of all pages, page by page as they are read. */
  iterateLedger(query?: operations['listLedger']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<LedgerEntry, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/ledger', query }, { parameter: 'before', next: 'next_before', items: 'entries' }, options);
  }

  /**
   * The whole ledger of this account, oldest first
   * A snapshot of all entries with their proofs. `X-Ledger-Entries` is their number: a truncated export has fewer. It has no time limit while its reader keeps reading.
   */
  exportLedger(query?: operations['exportLedger']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<string | Blob> {
    return this.call({ method: 'get', path: '/v1/ledger/export', query }, options);
  }

  /**
   * One ledger entry with its proof
   * `X-Credits-Event` of a response is the id of its entry.
   */
  getLedgerEntry(id: string, options: RequestOptions = {}): Promise<LedgerEntry> {
    return this.call({ method: 'get', path: '/v1/ledger/{id}', pathParameters: { id } }, options);
  }

  /**
   * The proof that an entry is in the public log
   * Keep it: with the keys of `/tlog/keys` it proves the entry without the service. With `Accept: text/plain` it is a C2SP tlog-proof.
   */
  getLedgerProof(id: string, options: RequestOptions = {}): Promise<LedgerProof> {
    return this.call({ method: 'get', path: '/v1/ledger/{id}/proof', pathParameters: { id } }, options);
  }

  /**
   * The signed receipts of a charge, a request or a job
   * Verified offline with the keys of `/.well-known/jwks.json` and `docs/verify-receipt.mjs`. Requests without a charge have no receipt.
   */
  getReceipts(id: string, query?: operations['getReceipts']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<Receipts> {
    return this.call({ method: 'get', path: '/v1/receipts/{id}', pathParameters: { id }, query }, options);
  }

  /** The signed receipts of a charge, a request or a job: each of all pages, page by page as they are read. */
  iterateReceipts(id: string, query?: operations['getReceipts']['parameters']['query'] & {}, options: RequestOptions = {}): AsyncGenerator<string, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/receipts/{id}', pathParameters: { id }, query }, { parameter: 'cursor', next: 'next_cursor', items: 'receipts' }, options);
  }

  /**
   * The public keys that verify receipts
   * Every key that ever signed a receipt, the newest first.
   */
  getKeySet(options: RequestOptions = {}): Promise<KeySet> {
    return this.call({ method: 'get', path: '/.well-known/jwks.json' }, options);
  }

  /**
   * The billing periods of this account
   * Newest first; the newest is provisional.
   */
  listStatements(options: RequestOptions = {}): Promise<Statements> {
    return this.call({ method: 'get', path: '/v1/statements' }, options);
  }

  /**
   * The statement of a billing period
   * Canonical JSON (RFC 8785), or CSV. The statement of a past period never changes, and is byte for byte the output of `steno replay --period --json`.
   */
  getStatement(period: string, query: operations['getStatement']['parameters']['query'] & {} & { format: 'csv' }, options?: RequestOptions): Promise<string>;
  /**
   * The statement of a billing period
   * Canonical JSON (RFC 8785), or CSV. The statement of a past period never changes, and is byte for byte the output of `steno replay --period --json`.
   */
  getStatement(period: string, query?: operations['getStatement']['parameters']['query'] & {} & { format?: 'json' | undefined }, options?: RequestOptions): Promise<Statement>;
  getStatement(period: string, query?: operations['getStatement']['parameters']['query'] & {}, options: RequestOptions = {}): Promise<string | Statement> {
    return this.call({ method: 'get', path: '/v1/statements/{period}', pathParameters: { period }, query }, options);
  }

  /**
   * Every entry of the ledger as an event, the oldest first
   * CloudEvents 1.0 for following the ledger: store `next_cursor` and continue from it. With `Accept: application/x-ndjson` one event per line, with `Accept: text/event-stream` events as they happen, whose id is the cursor (`Last-Event-ID`).
   */
  listEvents(query?: operations['listEvents']['parameters']['query'] & {}, options: RequestOptions & { lastEventId?: string | undefined } = {}): Promise<EventFeed> {
    return this.call({ method: 'get', path: '/v1/events', query, headers: { 'Last-Event-ID': options.lastEventId } }, options);
  }

  /** Every entry of the ledger as an event, the oldest first: each of all pages, page by page as they are read. */
  iterateEvents(query?: operations['listEvents']['parameters']['query'] & {}, options: RequestOptions & { lastEventId?: string | undefined } = {}): AsyncGenerator<CloudEvent, void, undefined> {
    return this.pages({ method: 'get', path: '/v1/events', query, headers: { 'Last-Event-ID': options.lastEventId } }, { parameter: 'cursor', next: 'next_cursor', items: 'events' }, options);
  }
}
