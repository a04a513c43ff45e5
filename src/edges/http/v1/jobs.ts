import { z } from 'zod';
import type { Commands, Retried } from '../../../commands.ts';
import type { KeyEndpoint } from '../../../contract/endpoint.ts';
import { jobSchema, jobStatus } from '../../../contract/jobs.ts';
import { count, languageTag, pageOf, storable, videoReference } from '../../../contract/schemas.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Queries } from '../../../queries.ts';
import { type HttpResponse, json } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';
import { createdAnswer, jobAnswers, jobLimit, jobOptions, refusalsOfListing, type Started } from './job-creation.ts';
import { itemsShown, jobJson, retriedJson } from './job-json.ts';
import { jobEndpoint, jobParams, requireJob } from './one-job.ts';

const startedSchema = z
  .object({ job_id: z.string(), status: jobStatus, total_items: count })
  .meta({ id: 'JobStarted' });

/** More than a job may hold, because duplicates are removed. */
const references = z
  .array(videoReference.refine(...storable))
  .max(5_000)
  .default([]);

const createJob = {
  ...jobEndpoint,
  id: 'createJob',
  method: 'POST',
  path: '/v1/jobs',
  isIdempotent: true,
  summary: 'Create a job over videos, playlists or channels',
  description:
    'ids, video_ids and urls are taken together, in this order, each video once; of a batch, the link of a playlist or channel stands for the videos that it lists. The whole possible cost is set aside at once; each item that completes costs 1 credit, and what is left comes back when the job ends.',
  body: z
    .object({
      ids: references,
      video_ids: references,
      urls: references,
      kind: z.enum(['batch', 'playlist', 'channel']).default('batch').meta({
        description:
          'batch: videos, each by its id or link. playlist, channel: exactly one reference, the playlist or channel whose videos the job reads.',
      }),
      lang: languageTag.optional(),
      limit: jobLimit,
      ...jobOptions,
    })
    .refine(({ ids, video_ids, urls }) => ids.length + video_ids.length + urls.length > 0, {
      error: 'at least one of ids, video_ids and urls must hold an entry',
      path: ['ids'],
    }),
  answers: jobAnswers(startedSchema),
  refusals: ['PLAYLIST_NOT_FOUND', 'CHANNEL_NOT_FOUND', ...refusalsOfListing],
} satisfies KeyEndpoint;

const listJobs = {
  ...jobEndpoint,
  id: 'listJobs',
  method: 'GET',
  path: '/v1/jobs',
  summary: 'The jobs of this account, newest first',
  description: 'Each with its first 100 items.',
  query: z.object(pageOf('Jobs')),
  answers: {
    200: {
      description: 'One page.',
      schema: z.object({ jobs: z.array(jobSchema), next_before: z.string().nullable() }).meta({ id: 'Jobs' }),
    },
  },
} satisfies KeyEndpoint;

const readJob = {
  ...jobEndpoint,
  id: 'getJob',
  method: 'GET',
  path: '/v1/jobs/:jobId',
  summary: 'One job',
  description: 'With its first 100 items; results are read under `/results`.',
  params: jobParams,
  answers: { 200: { description: 'The job.', schema: jobSchema } },
  refusals: ['JOB_NOT_FOUND'],
} satisfies KeyEndpoint;

const changed = {
  ...jobEndpoint,
  method: 'POST',
  isIdempotent: true,
  params: jobParams,
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
  description:
    'Open items end; those that are complete stay, and stay charged. The rest of the reserved credits comes back.',
} satisfies KeyEndpoint;

const retryJob = {
  ...changed,
  id: 'retryJob',
  path: '/v1/jobs/:jobId/retry',
  summary: 'Queue the failed items of a job again',
  description: 'The cost of the failed items is set aside again. A job without failed items stays as it is.',
  answers: { 200: { description: 'The job as the retry left it.', schema: jobSchema } },
} satisfies KeyEndpoint;

/** References to playlists and channels are among the ids. */
const fieldNames = { url: 'webhook_url', playlist_id: 'ids', channel_id: 'ids' } as const;

export const jobEndpoints = [createJob, listJobs, readJob, cancelJob, retryJob] as const;

type Deps = {
  readonly commands: Pick<Commands, 'planJob' | 'startJob' | 'cancelJob' | 'retryJob'>;
  readonly queries: Pick<Queries, 'job' | 'jobs' | 'jobItems'>;
};

/** Create, read, cancel and retry jobs. */
export const jobs = ({ commands, queries }: Deps): Route[] => [
  keyRoute(createJob, async ({ call, body }) => {
    const references = [...body.ids, ...body.video_ids, ...body.urls];
    const shown = (started: Started): z.input<typeof startedSchema> => ({
      job_id: started.jobId,
      status: started.status,
      total_items: started.totalItems,
    });
    const of = { kind: body.kind, references };
    return createdAnswer({ commands, call }, of, body, { names: fieldNames, shown });
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
    async ({ call, params }) => {
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
  retried: Retried | null = null,
): Promise<HttpResponse> => {
  const job = await requireJob(queries, call, jobId);
  const items = await queries.jobItems([jobId], itemsShown);
  return json(retried === null ? jobJson(job, items) : retriedJson(job, items, retried));
};
