import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from '../../../kernel/call.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { type FeedRow, isTerminal, type JobItemRow, type JobRow, type Queries } from '../../../queries.ts';
import { type HttpResponse, inPieces, noContent } from './response.ts';

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

/** The streams of this process, counted together for keys and pages. */
export const jobEventStreams = ({ queries }: { readonly queries: Feed }): JobEventStream => {
  const streams = openStreams();
  return async (call, jobId, lastEventId) => {
    const after = positionOf(lastEventId);
    const job = await queries.job(call.accountId, jobId);
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
type FeedStart = {
  readonly rows: readonly FeedRow[];
  readonly after: string;
  readonly isOver: boolean;
};

/**
 * What happens, until the job is over and there is no more to tell: of a job that was cancelled its items may still end,
 * and what was being charged in that moment completes. A retry that comes before the end goes on in the same stream.
 */
async function* feed(queries: Feed, jobId: string, opened: FeedStart, signal: AbortSignal): AsyncIterable<string> {
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
