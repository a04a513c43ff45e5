import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { KeyEndpoint } from '../../../contract/endpoint.ts';
import { itemStatus, jobStatus } from '../../../contract/jobs.ts';
import { count, timestamp } from '../../../contract/schemas.ts';
import type { Call } from '../../../kernel/call.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { type FeedRow, isTerminal, type JobItemRow, type JobRow, type Queries } from '../../../queries.ts';
import { type HttpResponse, inPieces, noContent } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';
import { jobEndpoint, jobParams, requireJob } from './one-job.ts';

const shared = { job_id: z.string(), at: timestamp };

/** The data of each kind of event. */
export const jobEventData = {
  job: z
    .object({
      ...shared,
      status: jobStatus.meta({ description: 'Its new status.' }),
      run: z.int().min(1).meta({ description: '1, and one more for each retry.' }),
      total_items: count.optional().meta({ description: 'Items of the job; said as soon as they are known.' }),
    })
    .meta({ id: 'JobStatusEvent', description: 'The `data` of the event `job`.' }),
  item: z
    .object({
      ...shared,
      status: itemStatus.meta({ description: 'The new status of these items.' }),
      item_ids: z.array(z.string()).meta({ description: 'Ids of the items, one or more.' }),
      attempt: z.int().min(1).optional(),
      error_code: z.string().nullable(),
      error_message: z.string().nullable(),
      retry_at: timestamp.optional().meta({ description: 'When it is tried again.' }),
    })
    .meta({ id: 'JobItemEvent', description: 'The `data` of the event `item`.' }),
} as const;

const watchJob = {
  ...jobEndpoint,
  id: 'watchJob',
  method: 'GET',
  path: '/v1/jobs/:jobId/events',
  summary: 'What happens in a job, as server-sent events',
  description:
    'Begins after `Last-Event-ID`, or at the beginning, and misses nothing. A stream ends as soon as the job is over and everything was sent, at the latest after 25 seconds; it is to be opened again, as EventSource does by itself, until the answer is 204. An account has at most 20 streams open on one process, a key 10.',
  params: jobParams,
  requestHeaders: {
    'Last-Event-ID': 'The `id` of the last event that was read; the stream begins after it.',
  },
  answers: {
    200: {
      description:
        'Events: `job` tells the new status of the job, `item` that of one or more of its items. `id` is the position in the log.',
      events: { name: 'JobStreamEvent', data: jobEventData },
    },
    204: { description: 'The job is over and there is nothing after `Last-Event-ID`.' },
  },
  refusals: ['JOB_NOT_FOUND'],
} satisfies KeyEndpoint;

export const jobEventEndpoints = [watchJob] as const;

const pageSize = 500;
const lookEveryMs = 300;
/** Shorter than the request timeout; clients reconnect with the last id. */
const streamMs = 25_000;
const beatMs = 10_000;
/** Open streams of this process, of one account and of one key; each stream queries three times a second. */
const maxStreams = { process: 500, account: 20, key: 10 } as const;

type Feed = Pick<Queries, 'job' | 'jobFeed' | 'isJobSettled'>;

/** Streams the events of one job after the position in `Last-Event-ID`. */
export type JobEventStream = (
  call: Call,
  jobId: string,
  lastEventId: string | string[] | undefined,
) => Promise<HttpResponse>;

/** The events of one job, from any position on. */
export const jobEvents = (stream: JobEventStream): Route[] => [
  keyRoute(watchJob, ({ call, params: { jobId }, requestInfo }) =>
    stream(call, jobId, requestInfo.request.headers['last-event-id']),
  ),
];

/** The streams of this process, counted together for keys and pages. */
export const jobEventStreams = ({ queries }: { readonly queries: Feed }): JobEventStream => {
  const streams = openStreams();
  return async (call, jobId, lastEventId) => {
    const after = positionOf(lastEventId);
    const job = await requireJob(queries, call, jobId);
    const isSettled = isTerminal(job) && (await queries.isJobSettled(jobId));
    const first = await queries.jobFeed(jobId, { after, limit: pageSize });
    if (first.length === 0 && isSettled) return noContent();
    streams.refuseAboveLimit(call);
    const opened = { rows: first, after, isOver: isTerminal(job) };
    async function* pieces(signal: AbortSignal): AsyncIterable<string> {
      const end = streams.begin(call);
      try {
        yield* feed(queries, jobId, opened, signal);
      } finally {
        end();
      }
    }
    return inPieces(pieces, ofEvents);
  };
};

/** Counts the open streams of this process by account and by key. */
const openStreams = () => {
  const counts = new Map<string, number>();
  const countOf = (name: string): number => counts.get(name) ?? 0;
  const add = (name: string, change: 1 | -1): void => {
    const count = countOf(name) + change;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  };
  const namesOf = ({ accountId, actor }: Call) =>
    ({ process: 'process', account: accountId, key: `${actor.type} ${actor.id}` }) as const;
  return {
    begin(call: Call): () => void {
      const names = Object.values(namesOf(call));
      for (const name of names) add(name, 1);
      return () => {
        for (const name of names) add(name, -1);
      };
    },
    refuseAboveLimit(call: Call): void {
      const { process, account, key } = namesOf(call);
      for (const [policy, name] of [
        ['account', account],
        ['key', key],
      ] as const) {
        const limit = maxStreams[policy];
        if (countOf(name) < limit) continue;
        const message = `This ${policy} has ${limit} event streams of jobs open; more are not possible.`;
        throw new Refusal('RATE_LIMITED', message, { policy: `${policy}_streams`, limit }, 5);
      }
      if (countOf(process) < maxStreams.process) return;
      throw new Refusal('SERVICE_UNAVAILABLE', 'Too many jobs are watched now.', null, 5);
    },
  };
};

const ofEvents = {
  contentType: 'text/event-stream; charset=utf-8',
  headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
};

const positionOf = (header: string | string[] | undefined): string => {
  if (header === undefined || header === '') return '0';
  if (typeof header === 'string' && /^[0-9]{1,18}$/.test(header)) return header;
  const message = 'Last-Event-ID takes the id of an event of this stream.';
  throw invalidRequest(message, { path: 'Last-Event-ID', code: 'malformed' });
};

/** The state at the start of a stream. */
type Opened = {
  readonly rows: readonly FeedRow[];
  readonly after: string;
  readonly isOver: boolean;
};

/**
 * What happens, until the job is over and there is no more to tell: of a job that was cancelled its items may still end,
 * and what was being charged in that moment completes. A retry that comes before the end goes on in the same stream.
 */
async function* feed(queries: Feed, jobId: string, opened: Opened, signal: AbortSignal): AsyncIterable<string> {
  const endsAt = elapsedMs() + streamMs;
  let { rows, after, isOver: isOverNow } = opened;
  let saidAt = elapsedMs();
  yield 'retry: 1000\n\n';
  while (!signal.aborted) {
    for (const row of rows) {
      yield messageOf(row);
      after = row.position;
      saidAt = elapsedMs();
      const status = jobStatusOf(row);
      if (status !== undefined) isOverNow = isTerminal({ status });
    }
    if (elapsedMs() > endsAt) return;
    if (elapsedMs() - saidAt > beatMs) {
      saidAt = elapsedMs();
      yield ': still here\n\n';
    }
    const isLast = rows.length < pageSize && isOverNow && (await queries.isJobSettled(jobId));
    if (rows.length < pageSize && !isLast) {
      await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
    // All events of a settled job precede its settlement, so this query returns all of them.
    rows = await queries.jobFeed(jobId, { after, limit: pageSize });
    if (isLast && rows.length === 0) return;
  }
}

const jobStatuses: Readonly<Record<string, JobRow['status']>> = {
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

const jobStatusOf = ({ type, goesOn }: FeedRow): JobRow['status'] | undefined =>
  goesOn ? 'processing' : ownValue(jobStatuses, type);

const itemStatuses: Readonly<Record<string, JobItemRow['status']>> = {
  ItemStarted: 'processing',
  ItemCompleted: 'complete',
  ItemPostponed: 'queued',
  ItemExtractionFailed: 'failed',
  ItemsCancelled: 'cancelled',
  ItemsRequeued: 'queued',
};

/** `job`: its new status; `item`: one or more items and their new status. */
const messageOf = (row: FeedRow): string => {
  const { position, type, data } = row;
  const status = ownValue(itemStatuses, type);
  const shared = { job_id: data['jobId'], at: data['at'] };
  const told =
    status === undefined
      ? {
          ...shared,
          status: jobStatusOf(row),
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
