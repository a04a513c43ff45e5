import type { z } from 'zod';
import { type JobOperationResult, type Retried, type Transcript, videoLink } from '../../../commands.ts';
import type { jobResultSchema, jobSchema, operationResultSchema } from '../../../contract/jobs.ts';
import { operationAnswer } from '../../../contract/operations.ts';
import { type EndedItemRow, isTerminal, type JobItemRow, type JobRow } from '../../../queries.ts';
import { transcriptJson } from '../middleware/transcript-body.ts';

const urlOf = (videoId: string | null): string | null => (videoId === null ? null : videoLink(videoId));

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
  readonly operations: readonly JobOperationResult[];
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
}: JobOperationResult): z.input<typeof operationResultSchema> => ({
  operation: done.call.operation,
  result: operationAnswer(done),
  credits_charged: chargeId === null ? 0 : credits,
  charge_id: chargeId,
});
