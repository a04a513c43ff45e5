import type { z } from 'zod';
import { type JobRetry, type StartedJob, videoLink } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import {
  cancelJob,
  createJob,
  itemsShown,
  jobItemSchema,
  jobSchema,
  listJobs,
  readJob,
  retryJob,
  type startedSchema,
  watchJob,
} from '../../../contract/jobs.ts';
import type { Call } from '../../../kernel/call.ts';
import { isTerminal, type JobItemRow, type Queries, type ShownJob } from '../../../queries.ts';
import { isDryRun, quoteAnswer } from '../middleware/dry-run.ts';
import { createdAnswer } from '../middleware/job-creation.ts';
import type { JobEventStream } from '../middleware/job-event-streams.ts';
import { type HttpResponse, json } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

const answerJob = answerOf(jobSchema);
const answerItem = answerOf(jobItemSchema);

/** References to playlists and channels are among the ids. */
const fieldNames = { url: 'webhook_url', playlist_id: 'ids', channel_id: 'ids' } as const;

type Deps = Application<
  'cancelJob' | 'planJob' | 'planRetry' | 'retryJob' | 'startJob',
  'job' | 'jobItems' | 'jobs'
> & { readonly eventStream: JobEventStream };

/** Create, read, watch, cancel and retry jobs. */
export const jobs = ({ commands, queries, eventStream }: Deps): Route[] => [
  keyRoute(createJob, async ({ call, body, requestInfo }) => {
    const references = [...body.ids, ...body.video_ids, ...body.urls];
    const shown = (started: StartedJob): z.input<typeof startedSchema> => ({
      job_id: started.jobId,
      status: started.status,
      total_items: started.totalItems,
    });
    const of = { kind: body.kind, references };
    return createdAnswer({ commands, call, requestInfo }, of, body, { names: fieldNames, shown });
  }),

  keyRoute(listJobs, async ({ call, query }) => {
    const { limit, before = null } = query;
    const { rows, nextBefore } = await queries.jobs(call.accountId, { limit, before });
    const items = await queries.jobItems(
      rows.map(({ jobId }) => jobId),
      itemsShown,
    );
    return json({ jobs: rows.map((job) => jobJson(job, items)), next_before: nextBefore });
  }),

  keyRoute(readJob, ({ call, params }) => jobAnswer(queries, call, params.jobId)),

  keyRoute(watchJob, ({ call, params: { jobId }, requestInfo }) =>
    eventStream(call, jobId, requestInfo.request.headers['last-event-id']),
  ),

  keyRoute(
    cancelJob,
    async ({ call, params }) => {
      await commands.cancelJob(call, params);
      return await jobAnswer(queries, call, params.jobId);
    },
    ({ call, params }) => jobAnswer(queries, call, params.jobId),
  ),

  keyRoute(
    retryJob,
    async ({ call, params, requestInfo }) => {
      if (isDryRun(requestInfo.request.headers)) {
        const { credits, videos } = await commands.planRetry(call, params);
        return quoteAnswer({ operation: 'job', credits, videos, note: null });
      }
      const retried = await commands.retryJob(call, params);
      return await jobAnswer(queries, call, params.jobId, retried);
    },
    ({ call, params }) => jobAnswer(queries, call, params.jobId),
  ),
];

const jobAnswer = async (
  queries: Pick<Queries, 'job' | 'jobItems'>,
  call: Call,
  jobId: string,
  retried: JobRetry | null = null,
): Promise<HttpResponse> => {
  const job = await queries.job(call.accountId, jobId);
  const items = await queries.jobItems([jobId], itemsShown);
  return json(retried === null ? jobJson(job, items) : retriedJson(job, items, retried));
};

/** A job with its first items. */
const jobJson = (job: ShownJob, items: readonly JobItemRow[]): z.input<typeof jobSchema> => {
  const own = items.filter(({ jobId }) => jobId === job.jobId);
  return answerJob(job, {
    id: job.jobId,
    items: own.map((item) =>
      answerItem(item, { id: item.itemId, url: item.videoId === null ? null : videoLink(item.videoId) }),
    ),
    items_truncated: own.length < job.totalItems,
    source: job.reference,
  });
};

/**
 * A job as a retry left it. What fails again at once may have ended before it is read: it is shown as it was queued, for an
 * answer that says "over" would tell the caller that there is nothing to wait for.
 */
const retriedJson = (
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
