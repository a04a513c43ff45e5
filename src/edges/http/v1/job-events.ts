import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { elapsedMs } from '../../../kernel/clock.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { FeedRow, Queries } from '../../../queries.ts';
import { type Answer, noContent } from '../answer.ts';
import { type KeyEndpoint, keyRoute, noBody, noFields, type Route } from '../endpoint.ts';
import { storable } from '../schemas.ts';

const watchJob = {
  access: 'key',
  scope: 'jobs',
  operation: 'job',
  tag: 'Jobs',
  id: 'watchJob',
  method: 'GET',
  path: '/v1/jobs/:jobId/events',
  isIdempotent: false,
  summary: 'What happens in a job, as server-sent events',
  description:
    'Begins after `Last-Event-ID`, or at the beginning, and misses nothing. A stream ends after 25 seconds and is to be opened again, as EventSource does by itself; once the job is over and everything was sent, the answer is 204.',
  params: z.object({
    jobId: z
      .string()
      .min(1)
      .max(128)
      .refine(...storable),
  }),
  query: noFields,
  body: noBody,
  answers: {
    200: { description: 'Events; `id` is the position in the log.', text: ['text/event-stream'] },
    204: { description: 'The job is over and there is nothing after `Last-Event-ID`.' },
  },
  refusals: ['JOB_NOT_FOUND'],
} satisfies KeyEndpoint;

export const jobEventEndpoints = [watchJob] as const;

const pageSize = 500;
const lookEveryMs = 300;
/** Shorter than the time a request may take; whoever watches comes again with the last id. */
const streamMs = 25_000;
const beatMs = 10_000;
/** Watchers of one process at a time; each looks three times a second. */
const maxWatchers = 500;

/** The events of one job, from any position on. */
export const jobEvents = ({
  queries,
}: {
  readonly queries: Pick<Queries, 'job' | 'jobFeed'>;
}): Route[] => {
  let watchers = 0;
  return [
    keyRoute(watchJob, async ({ call, params: { jobId }, visit }) => {
      const after = positionOf(visit.request.headers['last-event-id']);
      const job = await queries.job(call.accountId, jobId);
      if (job === null) throw new Refusal('JOB_NOT_FOUND', 'This account has no job with this id.');
      const first = await queries.jobFeed(jobId, { after, limit: pageSize });
      if (first.length === 0 && isOver(job.status)) return noContent();
      if (watchers >= maxWatchers) {
        throw new Refusal('SERVICE_UNAVAILABLE', 'Too many jobs are watched now.', null, 5);
      }
      async function* pieces(signal: AbortSignal): AsyncIterable<string> {
        watchers += 1;
        try {
          const look = (from: string) => queries.jobFeed(jobId, { after: from, limit: pageSize });
          yield* feed(first, after, look, signal);
        } finally {
          watchers -= 1;
        }
      }
      return streamed(pieces);
    }),
  ];
};

const streamed = (stream: NonNullable<Answer['stream']>): Answer => ({
  status: 200,
  contentType: 'text/event-stream; charset=utf-8',
  body: null,
  headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
  isCacheHit: null,
  stream,
});

const isOver = (status: string): boolean => status !== 'queued' && status !== 'processing';

const positionOf = (header: string | string[] | undefined): string => {
  if (header === undefined || header === '') return '0';
  if (typeof header === 'string' && /^[0-9]{1,18}$/.test(header)) return header;
  throw new Refusal('INVALID_REQUEST', 'Last-Event-ID takes the id of an event of this stream.');
};

async function* feed(
  first: readonly FeedRow[],
  start: string,
  look: (after: string) => Promise<readonly FeedRow[]>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const endsAt = elapsedMs() + streamMs;
  let after = start;
  let rows = first;
  let saidAt = elapsedMs();
  yield 'retry: 1000\n\n';
  while (!signal.aborted) {
    for (const row of rows) {
      yield messageOf(row);
      after = row.position;
      saidAt = elapsedMs();
      if (endings.has(row.type) && rows.length < pageSize && row === rows.at(-1)) return;
    }
    if (elapsedMs() > endsAt) return;
    if (elapsedMs() - saidAt > beatMs) {
      saidAt = elapsedMs();
      yield ': still here\n\n';
    }
    if (rows.length < pageSize) await pause(lookEveryMs);
    rows = await look(after);
  }
}

const endings = new Set(['JobCompleted', 'JobCompletedWithErrors', 'JobFailed']);

const jobStatus: Readonly<Record<string, string>> = {
  JobCreated: 'queued',
  JobItemsListed: 'queued',
  JobListingFailed: 'failed',
  JobStarted: 'processing',
  JobCompleted: 'completed',
  JobCompletedWithErrors: 'completed_with_errors',
  JobFailed: 'failed',
  JobCancelled: 'cancelled',
  JobRetried: 'queued',
};

const itemStatus: Readonly<Record<string, string>> = {
  ItemStarted: 'processing',
  ItemCompleted: 'complete',
  ItemPostponed: 'queued',
  ItemExtractionFailed: 'failed',
  ItemsCancelled: 'cancelled',
  ItemsRequeued: 'queued',
};

/** `job`: its new status; `item`: one or more items and their new status. */
const messageOf = ({ position, type, data }: FeedRow): string => {
  const status = itemStatus[type];
  const shared = { job_id: data['jobId'], at: data['at'] };
  const told =
    status === undefined
      ? {
          ...shared,
          status: jobStatus[type] ?? null,
          run: data['run'] ?? 1,
          total_items: data['totalItems'],
        }
      : {
          ...shared,
          status,
          item_ids: data['itemIds'] ?? [data['itemId']],
          attempt: data['attempt'],
          error_code: data['code'] ?? null,
          error_message: data['message'] ?? null,
          retry_at: data['retryAt'],
        };
  const name = status === undefined ? 'job' : 'item';
  return `id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(told)}\n\n`;
};
