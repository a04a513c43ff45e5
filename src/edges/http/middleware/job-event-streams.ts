import type { Call } from '../../../kernel/call.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import { type FeedRow, isTerminal, type JobItemRow, type JobRow, type Queries } from '../../../queries.ts';
import type { EventStreams } from './event-streams.ts';
import type { HttpResponse } from './response.ts';

type Feed = Pick<Queries, 'job' | 'jobFeed' | 'isJobSettled'>;

/** Streams the events of one job after the position in `Last-Event-ID`. */
export type JobEventStream = ReturnType<typeof jobEventStreams>;

/** What happens in a job, until it is over and each of its items is. */
export const jobEventStreams =
  ({ queries }: { readonly queries: Feed }, streams: EventStreams) =>
  (call: Call, jobId: string, lastEventId: string | string[] | undefined): Promise<HttpResponse> =>
    streams(call, lastEventId, async () => {
      let isOverNow = isTerminal(await queries.job(call.accountId, jobId));
      return {
        read: (page) => queries.jobFeed(jobId, page),
        tell: (row) => {
          const status = jobStatusOf(row);
          if (status !== undefined) isOverNow = isTerminal({ status });
          return messageOf(row);
        },
        isOver: async () => isOverNow && (await queries.isJobSettled(jobId)),
      };
    });

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
const messageOf = (row: FeedRow): { readonly name: string; readonly data: unknown } => {
  const { type, data } = row;
  const status = ownValue(itemStatuses, type);
  const shared = { job_id: data['jobId'], at: data['at'] };
  if (status === undefined) {
    const told = { status: jobStatusOf(row), run: data['run'] ?? 1, total_items: data['totalItems'] };
    return { name: 'job', data: { ...shared, ...told } };
  }
  return {
    name: 'item',
    data: {
      ...shared,
      status,
      item_ids: data['itemIds'] ?? [data['itemId']],
      attempt: data['attempt'],
      error_code: data['code'] ?? null,
      error_message: data['message'] ?? null,
      retry_at: data['retryAt'],
    },
  };
};
