import type { z } from 'zod';
import { type JobRetry, videoLink } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { jobItemSchema, jobSchema } from '../../../contract/jobs.ts';
import { isTerminal, type JobItemRow, type ShownJob } from '../../../queries.ts';

const jobAnswer = answerOf(jobSchema);
const itemAnswer = answerOf(jobItemSchema);

/** A job with its first items. */
export const jobJson = (job: ShownJob, items: readonly JobItemRow[]): z.input<typeof jobSchema> => {
  const own = items.filter(({ jobId }) => jobId === job.jobId);
  return jobAnswer(job, {
    id: job.jobId,
    items: own.map((item) =>
      itemAnswer(item, { id: item.itemId, url: item.videoId === null ? null : videoLink(item.videoId) }),
    ),
    items_truncated: own.length < job.totalItems,
    source: job.reference,
  });
};

/**
 * A job as a retry left it. What fails again at once may have ended before it is read: it is shown as it was queued, for an
 * answer that says "over" would tell the caller that there is nothing to wait for.
 */
export const retriedJson = (
  job: ShownJob,
  items: readonly JobItemRow[],
  { run, itemIds, wasOver }: JobRetry,
): z.input<typeof jobSchema> => {
  const hasEndedAgain = job.run === run && isTerminal(job) && job.status !== 'cancelled';
  if (!wasOver || !hasEndedAgain) return jobJson(job, items);
  const queued = new Set(itemIds);
  const open = { status: 'queued', language: null, errorCode: null, errorMessage: null } as const;
  return jobJson(
    { ...job, status: 'queued', completedItems: job.totalItems - queued.size, failedItems: 0 },
    items.map((item) => (queued.has(item.itemId) ? { ...item, ...open } : item)),
  );
};
