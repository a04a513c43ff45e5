import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { JobItemRow, JobRow, Queries } from '../../../queries.ts';
import { type Answer, json } from '../answer.ts';
import { type KeyEndpoint, keyRoute, noBody, noFields, type Route } from '../endpoint.ts';
import { integerParameter, languageTag, pageOf, storable, videoReference } from '../schemas.ts';
import {
  jobLimit,
  naming,
  plannedAnswer,
  plannedSchema,
  refusalsOfListing,
  startedAnswer,
  startedHeaders,
  webhookUrl,
} from './job-creation.ts';
import {
  itemsShown,
  jobJson,
  jobResultSchema,
  jobSchema,
  jobStatusSchema,
  resultJson,
} from './job-json.ts';

const common = {
  access: 'key',
  scope: 'jobs',
  operation: 'job',
  tag: 'Jobs',
} as const;

const jobParams = z.object({
  jobId: z
    .string()
    .min(1)
    .max(128)
    .refine(...storable),
});

const startedSchema = z
  .object({ job_id: z.string(), status: jobStatusSchema, total_items: z.int() })
  .meta({ id: 'JobStarted' });

/** More than a job holds, so that duplicates do no harm. */
const references = z
  .array(videoReference.refine(...storable))
  .max(5_000)
  .default([]);

const createJob = {
  ...common,
  id: 'createJob',
  method: 'POST',
  path: '/v1/jobs',
  isIdempotent: true,
  summary: 'Create a job over videos, playlists or channels',
  description:
    'ids, video_ids and urls are taken together, in this order, each video once. The whole possible cost is set aside at once; each item that completes costs 1 credit, and what is left comes back when the job ends.',
  params: noFields,
  query: noFields,
  body: z
    .object({
      ids: references,
      video_ids: references,
      urls: references,
      kind: z.enum(['batch', 'playlist', 'channel']).default('batch'),
      lang: languageTag.optional(),
      limit: jobLimit,
      webhook_url: webhookUrl,
      dry_run: z.boolean().default(false),
    })
    .refine(({ ids, video_ids, urls }) => ids.length + video_ids.length + urls.length > 0, {
      error: 'at least one of ids, video_ids and urls must hold an entry',
      path: ['ids'],
    }),
  answers: {
    200: { description: 'A dry run: what the job would hold and cost.', schema: plannedSchema },
    202: { description: 'The job.', schema: startedSchema, headers: startedHeaders },
  },
  refusals: ['PLAYLIST_NOT_FOUND', 'CHANNEL_NOT_FOUND', ...refusalsOfListing],
} satisfies KeyEndpoint;

const listJobs = {
  ...common,
  id: 'listJobs',
  method: 'GET',
  path: '/v1/jobs',
  isIdempotent: false,
  summary: 'The jobs of this account, newest first',
  params: noFields,
  query: z.object(pageOf('Jobs')),
  body: noBody,
  answers: {
    200: {
      description: 'One page.',
      schema: z
        .object({ jobs: z.array(jobSchema), next_before: z.string().nullable() })
        .meta({ id: 'Jobs' }),
    },
  },
  refusals: [],
} satisfies KeyEndpoint;

const readJob = {
  ...common,
  id: 'getJob',
  method: 'GET',
  path: '/v1/jobs/:jobId',
  isIdempotent: false,
  summary: 'One job',
  params: jobParams,
  query: noFields,
  body: noBody,
  answers: { 200: { description: 'The job.', schema: jobSchema } },
  refusals: ['JOB_NOT_FOUND'],
} satisfies KeyEndpoint;

const resultsSchema = z
  .object({
    job_id: z.string(),
    status: jobStatusSchema,
    completed_items: z.int(),
    failed_items: z.int(),
    results: z.array(jobResultSchema),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'JobResults' });

const cursorForm = /^[0-9]{1,18}\.itm_[0-9a-f]{1,80}$/;

const readResults = {
  ...common,
  id: 'getJobResults',
  method: 'GET',
  path: '/v1/jobs/:jobId/results',
  isIdempotent: false,
  summary: 'The results of a job, while it runs too',
  description:
    'Items that have ended, in the order in which they ended: a cursor misses nothing while the job runs. An item that is retried ends again.',
  params: jobParams,
  query: z.object({
    limit: integerParameter('Results per page.', { default: 100, max: 100 }),
    cursor: z
      .string()
      .regex(cursorForm, { error: 'takes a cursor' })
      .optional()
      .meta({ description: '`next_cursor` of the page before.' }),
  }),
  body: noBody,
  answers: { 200: { description: 'One page.', schema: resultsSchema } },
  refusals: ['JOB_NOT_FOUND'],
} satisfies KeyEndpoint;

const changed = {
  ...common,
  method: 'POST',
  isIdempotent: true,
  params: jobParams,
  query: noFields,
  body: z.object({}),
  isBodyOptional: true,
  answers: { 200: { description: 'The job as it is now.', schema: jobSchema } },
  refusals: ['JOB_NOT_FOUND'],
} as const;

const cancelJob = {
  ...changed,
  id: 'cancelJob',
  path: '/v1/jobs/:jobId/cancel',
  summary: 'Cancel a job; one that is over stays as it is',
} satisfies KeyEndpoint;

const retryJob = {
  ...changed,
  id: 'retryJob',
  path: '/v1/jobs/:jobId/retry',
  summary: 'Queue the failed items of a job again',
} satisfies KeyEndpoint;

/** Playlists and channels stand among the ids of a job. */
const fieldNames = { url: 'webhook_url', playlist_id: 'ids', channel_id: 'ids' } as const;

export const jobEndpoints = [
  createJob,
  listJobs,
  readJob,
  readResults,
  cancelJob,
  retryJob,
] as const;

type Doors = {
  readonly commands: Pick<Commands, 'planJob' | 'startJob' | 'cancelJob' | 'retryJob'>;
  readonly queries: Pick<Queries, 'job' | 'jobs' | 'jobItems' | 'jobResults' | 'resultTranscript'>;
};

/** Long work: create, watch, fetch, cancel, retry. */
export const jobs = ({ commands, queries }: Doors): Route[] => [
  keyRoute(createJob, async ({ call, body }) => {
    const wanted = {
      kind: body.kind,
      references: [...body.ids, ...body.video_ids, ...body.urls],
      limit: body.limit ?? null,
      language: body.lang ?? null,
      webhookUrl: body.webhook_url ?? null,
    };
    if (body.dry_run) {
      const planned = await naming(fieldNames, commands.planJob(call, wanted));
      return plannedAnswer(body.kind, planned);
    }
    const started = await naming(fieldNames, commands.startJob(call, wanted));
    const shown: z.input<typeof startedSchema> = {
      job_id: started.jobId,
      status: started.status,
      total_items: started.totalItems,
    };
    return startedAnswer(started, shown);
  }),

  keyRoute(listJobs, async ({ call, query }) => {
    const { limit, before = null } = query;
    const page = await queries.jobs(call.accountId, { limit, before });
    const items = await queries.jobItems(
      page.map(({ jobId }) => jobId),
      itemsShown,
    );
    const last = page.length === limit ? page.at(-1) : undefined;
    return json({
      jobs: page.map((job) => jobJson(job, items)),
      next_before: last?.position ?? null,
    });
  }),

  keyRoute(readJob, ({ call, params }) => jobAnswer(queries, call, params.jobId)),

  keyRoute(readResults, async ({ call, params, query }) => {
    const job = await requireJob(queries, call, params.jobId);
    const [after = null, afterItem = null] = query.cursor?.split('.') ?? [];
    const { limit } = query;
    const items = await queries.jobResults(job.jobId, { limit, after, afterItem });
    const transcripts = await transcriptsOf(queries, items, call.signal);
    const last = items.length === limit ? items.at(-1) : undefined;
    const body: z.input<typeof resultsSchema> = {
      job_id: job.jobId,
      status: job.status,
      completed_items: job.completedItems,
      failed_items: job.failedItems,
      results: items.map((item, index) => resultJson(item, transcripts[index] ?? null)),
      next_cursor: last === undefined ? null : `${last.endedPosition}.${last.itemId}`,
    };
    return json(body);
  }),

  keyRoute(cancelJob, async ({ call, params }) => {
    await commands.cancelJob(call, params);
    return await jobAnswer(queries, call, params.jobId);
  }),

  keyRoute(retryJob, async ({ call, params }) => {
    await commands.retryJob(call, params);
    return await jobAnswer(queries, call, params.jobId);
  }),
];

const requireJob = async (
  queries: Pick<Queries, 'job'>,
  { accountId }: Call,
  jobId: string,
): Promise<JobRow> => {
  const job = await queries.job(accountId, jobId);
  if (job !== null) return job;
  throw new Refusal('JOB_NOT_FOUND', 'This account has no job with this id.');
};

const jobAnswer = async (
  queries: Pick<Queries, 'job' | 'jobItems'>,
  call: Call,
  jobId: string,
): Promise<Answer> => {
  const job = await requireJob(queries, call, jobId);
  return json(jobJson(job, await queries.jobItems([jobId], itemsShown)));
};

/** Transcripts that are fetched at the same time. */
const fetchesAtOnce = 8;

/** The transcripts of complete items; one that cannot be had at this moment is null. */
const transcriptsOf = async (
  queries: Pick<Queries, 'resultTranscript'>,
  items: readonly JobItemRow[],
  signal: AbortSignal,
) => {
  const found: (Awaited<ReturnType<Queries['resultTranscript']>> | null)[] = items.map(() => null);
  const left = items.entries();
  const fetch = async (): Promise<void> => {
    for (const [index, { status, videoId, language, requestedLanguage }] of left) {
      if (status !== 'complete' || videoId === null) continue;
      const wanted = { videoId, language, requestedLanguage };
      found[index] = await queries.resultTranscript(wanted, signal).catch((error: unknown) => {
        if (error instanceof Refusal) return null;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: fetchesAtOnce }, fetch));
  return found;
};
