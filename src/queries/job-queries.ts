import type { FollowedVideoRow, FollowFeedRow, FollowRow } from '#projections/follow-rows.ts';
import type { DetailedItemRow, FeedRow, JobItemRow, JobOrder, JobPage, JobRow } from '#projections/job-rows.ts';
import type { Page } from '#projections/list-order.ts';
import type { DeliveryOrder, DeliveryPage, DeliveryRow } from '#projections/webhook-deliveries.ts';
import type { OperationCall } from '../contract/operations.ts';
import type { JobOperationResult } from '../insights/run-operation.ts';
import type { Transcript } from '../transcripts/transcript.ts';
import type { ShownWebhook } from '../webhooks/register-webhook.ts';

export type {
  DeliveryOrder,
  DeliveryRow,
  DetailedItemRow,
  FeedRow,
  FollowedVideoRow,
  FollowFeedRow,
  JobItemRow,
  JobOrder,
  JobRow,
  ShownWebhook,
};

/** A job as its owner sees it. */
export type ShownJob = JobRow & {
  /** Credits that are still set aside for it: what it charges from now on is at most this. */
  readonly creditsReserved: number;
};

/** What a caller may ask about jobs. Other accounts' jobs are as unknown as none. */
export type JobQueries = {
  /** Throws JOB_NOT_FOUND. */
  job(accountId: string, jobId: string): Promise<ShownJob>;
  jobs(accountId: string, page: JobPage): Promise<Page<ShownJob>>;
  /** The first items of each of these jobs, in the order of the job. */
  jobItems(jobIds: readonly string[], perJob: number): Promise<readonly JobItemRow[]>;
  /** The first items of a job, in its order. */
  detailedJobItems(jobId: string, limit: number): Promise<readonly DetailedItemRow[]>;
  /** Titles of videos, by their ids, as far as they were read from the platform and are still kept. */
  videoTitles(videoIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Items that have ended, in the order in which they ended. */
  jobResults(
    jobId: string,
    page: { readonly limit: number; readonly after: string | null; readonly afterItem: string | null },
  ): Promise<readonly DetailedItemRow[]>;
  /** What happened in a job after a position, in order. */
  jobFeed(jobId: string, page: { readonly after: string; readonly limit: number }): Promise<readonly FeedRow[]>;
  /** The job is over, and so is each of its items: of a cancelled one, what was being charged has completed. */
  isJobSettled(jobId: string): Promise<boolean>;
  /** What the operations of their jobs made of these items, as far as it is charged: nothing of a cancelled or failed one. */
  operationResults(itemIds: readonly string[]): Promise<readonly JobOperationResult[]>;
  /** The transcript of an item that is charged, stored or read again at no charge; null if there is none, or none now. */
  resultTranscript(item: JobItemRow, signal: AbortSignal): Promise<Transcript | null>;
};

/** A follow as its owner sees it. */
export type FollowView = Omit<FollowRow, 'status' | 'operations' | 'position'> & {
  /** `waiting`: it is active, and what it has found cannot be paid now. */
  readonly status: FollowRow['status'] | 'waiting';
  readonly following: readonly OperationCall[];
  /** The secret address of its feed. */
  readonly feedUrl: string;
};

/** What a caller may ask about follows. Other accounts' follows are as unknown as none. */
export type FollowQueries = {
  /** Throws FOLLOW_NOT_FOUND. */
  follow(accountId: string, followId: string): Promise<FollowView>;
  /** Those that are not over, newest first; `before` is the position to go on from. */
  follows(
    accountId: string,
    page: { readonly limit: number; readonly before: string | null },
  ): Promise<Page<FollowView>>;
  /** What a follow has found, newest first. */
  followedVideos(followId: string, limit: number): Promise<readonly FollowedVideoRow[]>;
  /** What happened in a follow after a position, in order. */
  followFeed(
    followId: string,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly FollowFeedRow[]>;
  /** The follow whose feed has this secret address, with what it has transcribed last. Throws FOLLOW_NOT_FOUND. */
  transcribedOf(
    token: string,
    limit: number,
  ): Promise<{ readonly follow: FollowView; readonly videos: readonly FollowedVideoRow[] }>;
};

/** What an owner may ask about webhooks. */
export type WebhookQueries = {
  webhooks(accountId: string): Promise<readonly ShownWebhook[]>;
  /** Throws WEBHOOK_NOT_FOUND. */
  webhook(accountId: string, webhookId: string): Promise<ShownWebhook>;
  /** With their attempts. Throws WEBHOOK_NOT_FOUND. */
  webhookDeliveries(accountId: string, webhookId: string, page: DeliveryPage): Promise<Page<DeliveryRow>>;
  /** Those that tell of one job of the account, to registered webhooks and to its `webhook_url`. */
  jobDeliveries(
    accountId: string,
    jobId: string,
    page: { readonly limit: number; readonly before: string | null },
  ): Promise<Page<DeliveryRow>>;
};
