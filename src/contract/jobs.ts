import { z } from 'zod';
import { priceQuote } from './charged.ts';
import { endpointsWith, type KeyEndpoint } from './endpoint.ts';
import { refusalsOfPlatform } from './errors.ts';
import { operationCall } from './operations.ts';
import {
  count,
  idParameter,
  lengths,
  link,
  longestLink,
  member,
  named,
  onePage,
  optionalInteger,
  pageOf,
  storable,
  timestamp,
  videoReference,
} from './schemas.ts';
import { captionsBody, ofEachVideo, transcriptPriceText, transcriptSchema } from './transcripts.ts';

/** The status of a job. */
export const jobStatus = z.enum(['queued', 'processing', 'completed', 'completed_with_errors', 'failed', 'cancelled']);
/** The kind of a job. */
export const jobKind = z
  .enum(['batch', 'playlist', 'channel'])
  .describe('`batch`: the given references. `playlist`, `channel`: the videos of the given playlists or channels.');
/** The status of an item. */
export const itemStatus = z.enum(['queued', 'processing', 'complete', 'failed', 'cancelled']);

export const jobItemSchema = named('JobItem', {
  id: member.id,
  job_id: member.jobId,
  video_id: z.string().nullable().describe('Id of the video; null: the reference names none.'),
  url: link.nullable().describe('Address of the video; null: the reference names none.'),
  reference: z.string().describe('As it was sent, or the link of a listed video.'),
  status: itemStatus.describe('Its state.'),
  language: member.language,
  error_code: member.errorCode,
  error_message: member.errorMessage,
  attempts: count.describe('Attempts so far.'),
});

/** The Job of the specification. */
export const jobSchema = named('Job', {
  id: member.id,
  kind: jobKind,
  status: jobStatus.describe('Its state.'),
  total_items: member.totalItems,
  completed_items: member.completedItems,
  failed_items: member.failedItems,
  credits_charged: count.describe('The cost of its completed items and their operations so far.'),
  credits_reserved: count.describe('Credits still reserved for it: the maximum that it will still charge.'),
  webhook_url: link.nullable().describe('Notified when the job ends; null: none.'),
  created_at: member.createdAt,
  updated_at: member.updatedAt,
  items: z.array(jobItemSchema).describe('The first items, in the order of the job.'),
  items_truncated: z.boolean().describe('There are more items than these.'),
  run: z.int().min(1).describe('1, and one more for each retry.'),
  source: z.string().nullable().describe('The playlist or channel it was created from; null: none, or several.'),
  error_code: z.string().nullable().describe('Why its listing failed.'),
  error_message: member.errorMessage,
});

const operationResultSchema = named('OperationResult', {
  operation: z.string().describe('Name of the operation.'),
  result: z.record(z.string(), z.unknown()).describe('The result of the operation of that name.'),
  credits_charged: member.creditsCharged,
  charge_id: member.chargeId,
});

export const jobResultSchema = named('JobResult', {
  item_id: z.string().describe('Id of the item.'),
  reference: z.string().describe('As it was sent, or the link of a listed video.'),
  video_id: z.string().nullable().describe('Id of the video; null: the reference names none.'),
  url: link.nullable().describe('Address of the video; null: the reference names none.'),
  status: itemStatus.describe('Its state.'),
  language: member.language,
  transcript: transcriptSchema
    .nullable()
    .describe('The transcript; null if it failed or is not available at the moment.'),
  operations: z.array(operationResultSchema).describe('Of `then` of the job.'),
  error_code: member.errorCode,
  error_message: member.errorMessage,
  error_details: member.errorDetails,
  attempts: count.describe('Attempts so far.'),
  credits_charged: member.creditsCharged,
  charge_id: member.chargeId,
});

/** Items in the body of a job, at most. */
export const itemsShown = 100;

/** Videos that a job holds, at most. */
export const maxItemsPerJob = 1_000;

/** Playlists or channels that a job names, at most: each costs several requests. */
export const maxListingsPerJob = 20;

const common = { access: 'key', scope: 'jobs', operation: 'job', tag: 'Jobs' } as const;

const ofJobs = endpointsWith(common);

/** The path of one job. */
export const jobParams = z.object({ jobId: idParameter('Id of the job: `job_id` of the response that created it.') });

/** The limit of videos of all listings of a job. */
export const jobLimit = z
  .int()
  .min(1)
  .max(maxItemsPerJob)
  .optional()
  .describe(
    `Maximum videos of all listings together; without it all of them, up to the size of a job (${maxItemsPerJob.toLocaleString('en')}).`,
  );

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

/** Operations on each item, at most. */
export const maxOperationsPerItem = 8;

/** What every new job may be given. */
export const jobOptions = {
  webhook_url: z
    .string()
    .min(1)
    .max(longestLink)
    .nullable()
    .optional()
    .meta({ description: 'Notified when the job ends.', format: 'uri' }),
  [then]: z
    .array(operationCall)
    .max(maxOperationsPerItem)
    .default([])
    .describe(
      'Operations on each item after its transcript. Each is charged as that operation; their maximum cost is reserved with the rest.',
    ),
  ...captionsBody,
  ...ofEachVideo,
  dry_run: z.boolean().default(false).describe('true: only returns the cost of the request.'),
} as const;

/** A dry run of a new job. */
export const plannedSchema = named('JobPlan', {
  dry_run: z.literal(true).describe('true: only returns the cost of the request.'),
  operation: z.literal('job').describe('Name of the operation.'),
  credits: count.describe('The same as `credits_needed`.'),
  kind: jobKind.describe('The source of the job.'),
  videos_found: z
    .int()
    .nullable()
    .describe('Null: listing takes too long, or more requests to the platform than a dry run makes.'),
  credits_needed: count.describe('Reserved when the job is created; the maximum if `videos_found` is null.'),
  expected: count.nullable().describe('Videos in the listing according to the platform; null: unknown.'),
  hidden: count.nullable().describe('Videos that the platform counts but does not list; null: unknown.'),
  truncated: z.boolean().describe('Whether the listing has more videos than were read.'),
});

/** The answers of a new job, which `schema` shows. */
export const jobAnswers = <Schema extends z.ZodType>(schema: Schema) => ({
  200: { description: 'A dry run: the size and cost of the job.', schema: plannedSchema },
  202: {
    description: 'The job.',
    schema,
    headers: { 'X-Credits-Reserved': 'Credits that were reserved for the job.', Location: 'The job.' },
  },
});

export const startedSchema = named('JobStarted', {
  job_id: member.jobId,
  status: jobStatus.describe('Its state.'),
  total_items: member.totalItems,
});

/** References that a job may be created of: more than it may hold, because duplicates are removed. */
export const maxReferences = 5_000;

const references = z
  .array(videoReference.refine(...storable))
  .max(maxReferences)
  .default([]);

export const createJob = {
  ...ofJobs('createJob', 'POST', '/v1/jobs'),
  hasDryRun: true,
  isIdempotent: true,
  summary: 'Create a job over videos, playlists or channels',
  description: `ids, video_ids and urls are combined, in this order, each video once; in a batch, the link of a playlist or channel stands for its videos. The maximum cost is reserved at once; each completed item costs ${transcriptPriceText}, besides its operations, and the rest is released when the job ends.`,
  body: z
    .object({
      ids: references.describe('Videos, each by its id or any link.'),
      video_ids: references.describe('The same as `ids`.'),
      urls: references.describe('Videos, playlists or channels by their links.'),
      kind: jobKind
        .default('batch')
        .describe(
          'batch: videos by their ids or links, and playlists and channels by their links. playlist: playlists, channel: channels, each by its id or any link; a channel also by its handle.',
        ),
      limit: jobLimit,
      ...jobOptions,
    })
    .refine(({ ids, video_ids, urls }) => ids.length + video_ids.length + urls.length > 0, {
      error:
        'at least one of ids, video_ids and urls must hold an entry. A playlist or channel goes into urls as a link, or by its id to POST /v1/playlists/{playlistId}/transcripts or POST /v1/channels/{channelId}/transcripts',
      path: ['ids'],
    }),
  answers: jobAnswers(startedSchema),
  refusals: ['PLAYLIST_NOT_FOUND', 'CHANNEL_NOT_FOUND', ...refusalsOfPlatform],
} satisfies KeyEndpoint;

export const listJobs = {
  ...ofJobs('listJobs', 'GET', '/v1/jobs'),
  summary: 'The jobs of this account, newest first',
  description: `Each with its first ${itemsShown} items.`,
  query: z.object(pageOf('Jobs')),
  answers: onePage('Jobs', { jobs: z.array(jobSchema).describe('Jobs, the newest first.') }),
} satisfies KeyEndpoint;

const oneJob = {
  ...common,
  params: jobParams,
  answers: { 200: { description: 'The job.', schema: jobSchema } },
  refusals: ['JOB_NOT_FOUND'],
} as const;

const ofJob = endpointsWith(oneJob);

export const readJob = {
  ...ofJob('getJob', 'GET', '/v1/jobs/:jobId'),
  summary: 'One job',
  description: `With its first ${itemsShown} items; results are read under \`/results\`.`,
} satisfies KeyEndpoint;

const action = endpointsWith({ ...oneJob, isIdempotent: true, body: z.object({}), isBodyOptional: true });

export const cancelJob = {
  ...action('cancelJob', 'POST', '/v1/jobs/:jobId/cancel'),
  summary: 'Cancel a job; one that is over does not change',
  description:
    'Open items end; completed ones are kept and stay charged. The rest of the reserved credits is released.',
} satisfies KeyEndpoint;

export const retryJob = {
  ...action('retryJob', 'POST', '/v1/jobs/:jobId/retry'),
  summary: 'Queue the failed items of a job again',
  description: 'The cost of the failed items is reserved again. A job without failed items does not change.',
  hasDryRun: true,
  answers: { 200: { description: 'The job after the retry.', schema: z.union([jobSchema, priceQuote]) } },
} satisfies KeyEndpoint;

/** Results of a job in one page, at most. */
export const maxResultsPerPage = 100;

/** Seconds until a response with all results ends with a cursor. */
export const resultsWithinS = 20;

/** The results of a job. */
export const jobResultsSchema = named('JobResults', {
  job_id: member.jobId,
  status: jobStatus.describe('State of the job. More results can follow while it is queued or processing.'),
  completed_items: member.completedItems,
  failed_items: member.failedItems,
  results: z.array(jobResultSchema).describe('Items that have ended, in the order in which they ended.'),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      'Where to continue; null: nothing follows, or not yet. While the job runs, even after a page that is not full, if pages were requested.',
    ),
});

const cursorForm = /^[0-9]{1,18}\.itm_[0-9a-f]{1,80}$/;

export const readResults = {
  ...ofJob('getJobResults', 'GET', '/v1/jobs/:jobId/results'),
  summary: 'The results of a job, even while it runs',
  description: `Items that have ended, in the order in which they ended: a cursor misses nothing while the job runs. An item that is retried ends again. Without \`limit\` and \`cursor\` the response contains all of them; if that takes longer than ${resultsWithinS} seconds, it ends with a cursor.`,
  query: z.object({
    limit: optionalInteger(`Results per page; with a cursor alone ${maxResultsPerPage}.`, { max: maxResultsPerPage }),
    cursor: z
      .string()
      .regex(cursorForm, { error: 'must be a cursor' })
      .optional()
      .meta({ description: '`next_cursor` of the previous page.', ...lengths(1, 103) }),
  }),
  answers: { 200: { description: 'All of them, or one page.', schema: jobResultsSchema } },
} satisfies KeyEndpoint;

const eventMembers = { job_id: member.jobId, at: timestamp.describe('When, RFC 3339 in UTC.') };

/** The data of each kind of event. */
export const jobEventData = {
  job: z
    .object({
      ...eventMembers,
      status: jobStatus.describe('Its new status.'),
      run: z.int().min(1).describe('1, and one more for each retry.'),
      total_items: count.optional().describe('Items of the job; present once they are known.'),
    })
    .meta({ id: 'JobStatusEvent', description: 'The `data` of the event `job`.' }),
  item: z
    .object({
      ...eventMembers,
      status: itemStatus.describe('The new status of these items.'),
      item_ids: z.array(z.string()).describe('Ids of the items, one or more.'),
      attempt: z.int().min(1).optional().describe('Number of the attempt, from 1.'),
      error_code: member.errorCode,
      error_message: member.errorMessage,
      retry_at: timestamp.optional().describe('When it is retried.'),
    })
    .meta({ id: 'JobItemEvent', description: 'The `data` of the event `item`.' }),
} as const;

/** Of event streams: seconds until one ends, and how many are open at most on one process. */
export const eventStreamLimits = { seconds: 25, account: 20, key: 10 } as const;

const { seconds, account, key } = eventStreamLimits;

export const watchJob = {
  ...ofJob('watchJob', 'GET', '/v1/jobs/:jobId/events'),
  summary: 'The events of a job, as server-sent events',
  description: `Starts after \`Last-Event-ID\`, or at the beginning, without gaps. A stream ends once the job is over and everything was sent, at the latest after ${seconds} seconds; reconnect, as EventSource does automatically, until the response is 204. An account has at most ${account} streams open on one process, a key ${key}.`,
  requestHeaders: { 'Last-Event-ID': 'The `id` of the last event that was read; the stream begins after it.' },
  answers: {
    200: {
      description:
        'Events: `job` has the new status of the job, `item` that of one or more of its items. `id` is the position in the log.',
      events: { name: 'JobStreamEvent', data: jobEventData },
    },
    204: { description: 'The job is over and there is nothing after `Last-Event-ID`.' },
  },
} satisfies KeyEndpoint;

/** In the order of the reference. */
export const jobEndpoints = [createJob, listJobs, readJob, cancelJob, retryJob, readResults, watchJob] as const;
