import { z } from 'zod';
import {
  type OperationResult,
  type Retried,
  type Transcript,
  videoLink,
} from '../../../commands.ts';
import { type EndedItemRow, isTerminal, type JobItemRow, type JobRow } from '../../../queries.ts';
import { count, link, timestamp } from '../schemas.ts';
import { insightJson } from './ai-json.ts';
import { transcriptJson, transcriptSchema } from './transcript-json.ts';

/** The status of a job. */
export const jobStatusSchema = z.enum([
  'queued',
  'processing',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
]);
/** The kind of a job. */
export const jobKindSchema = z.enum(['batch', 'playlist', 'channel']).meta({
  description:
    '`batch`: the videos that it names. `playlist`, `channel`: the videos that its one playlist or channel lists.',
});
/** The status of an item. */
export const itemStatusSchema = z.enum(['queued', 'processing', 'complete', 'failed', 'cancelled']);

const jobItemSchema = z
  .object({
    id: z.string(),
    job_id: z.string(),
    video_id: z.string().nullable(),
    url: link.nullable(),
    reference: z.string().meta({ description: 'As it was sent, or the link of a listed video.' }),
    status: itemStatusSchema,
    language: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    attempts: count,
  })
  .meta({ id: 'JobItem' });

/** The Job of the specification. */
export const jobSchema = z
  .object({
    id: z.string(),
    kind: jobKindSchema,
    status: jobStatusSchema,
    total_items: count,
    completed_items: count,
    failed_items: count,
    webhook_url: link.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    items: z.array(jobItemSchema),
    items_truncated: z.boolean().meta({ description: 'There are more items than these.' }),
    run: z.int().min(1).meta({ description: '1, and one more for each retry.' }),
    source: z.string().nullable().meta({ description: 'The playlist or channel it was made of.' }),
    error_code: z.string().nullable().meta({ description: 'Why its listing failed.' }),
    error_message: z.string().nullable(),
  })
  .meta({ id: 'Job' });

const operationResultSchema = z
  .object({
    operation: z.string(),
    result: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What the operation of that name answers.' }),
    credits_charged: count,
    charge_id: z.string().nullable(),
  })
  .meta({ id: 'OperationResult' });

export const jobResultSchema = z
  .object({
    item_id: z.string(),
    reference: z.string().meta({ description: 'As it was sent, or the link of a listed video.' }),
    video_id: z.string().nullable(),
    url: link.nullable(),
    status: itemStatusSchema,
    language: z.string().nullable(),
    transcript: transcriptSchema.nullable(),
    operations: z.array(operationResultSchema).meta({ description: 'Of `then` of the job.' }),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    error_details: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The `details` that the same refusal has as an error.' }),
    attempts: count,
    credits_charged: count,
    charge_id: z.string().nullable(),
  })
  .meta({ id: 'JobResult' });

/** Items in the body of a job, at most. */
export const itemsShown = 100;

const urlOf = (videoId: string | null): string | null =>
  videoId === null ? null : videoLink(videoId);

/** A job with its first items. */
export const jobJson = (job: JobRow, items: readonly JobItemRow[]): z.input<typeof jobSchema> => {
  const own = items.filter(({ jobId }) => jobId === job.jobId);
  return {
    id: job.jobId,
    kind: job.kind,
    status: job.status,
    total_items: job.totalItems,
    completed_items: job.completedItems,
    failed_items: job.failedItems,
    webhook_url: job.webhookUrl,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    items: own.map((item) => ({
      id: item.itemId,
      job_id: item.jobId,
      video_id: item.videoId,
      url: urlOf(item.videoId),
      reference: item.reference,
      status: item.status,
      language: item.language,
      error_code: item.errorCode,
      error_message: item.errorMessage,
      attempts: item.attempts,
    })),
    items_truncated: own.length < job.totalItems,
    run: job.run,
    source: job.reference,
    error_code: job.errorCode,
    error_message: job.errorMessage,
  };
};

/**
 * A job as a retry left it. What fails again at once may have ended before it is read: it is shown as it was queued, for an
 * answer that says "over" would tell the caller that there is nothing to wait for.
 */
export const retriedJson = (
  job: JobRow,
  items: readonly JobItemRow[],
  { run, itemIds, wasOver }: Retried,
): z.input<typeof jobSchema> => {
  const hasEndedAgain = job.run === run && isTerminal(job) && job.status !== 'cancelled';
  if (!wasOver || !hasEndedAgain) return jobJson(job, items);
  const queued = new Set(itemIds);
  const open = { status: 'queued', language: null, errorCode: null, errorMessage: null } as const;
  return jobJson(
    {
      ...job,
      status: 'queued',
      completedItems: job.totalItems - queued.size,
      failedItems: 0,
    },
    items.map((item) => (queued.has(item.itemId) ? { ...item, ...open } : item)),
  );
};

/** What is kept of an item; a transcript that cannot be had at this moment is null. */
export type ItemResults = {
  readonly transcript: Transcript | null;
  readonly operations: readonly OperationResult[];
};

/** An item that has ended, with what was read of it. */
export const resultJson = (
  item: EndedItemRow,
  { transcript, operations }: ItemResults,
): z.input<typeof jobResultSchema> => ({
  item_id: item.itemId,
  reference: item.reference,
  video_id: item.videoId,
  url: urlOf(item.videoId),
  status: item.status,
  language: item.language,
  transcript: transcript === null ? null : transcriptJson(transcript),
  operations: operations.map(operationResultJson),
  error_code: item.errorCode,
  error_message: item.errorMessage,
  error_details: item.errorDetails,
  attempts: item.attempts,
  credits_charged: item.creditsCharged,
  charge_id: item.chargeId,
});

/** A result of an operation of a job, with the body that the operation answers by itself. */
const operationResultJson = ({
  done,
  credits,
  chargeId,
}: OperationResult): z.input<typeof operationResultSchema> => ({
  operation: done.operation,
  result: insightJson(done),
  credits_charged: chargeId === null ? 0 : credits,
  charge_id: chargeId,
});
