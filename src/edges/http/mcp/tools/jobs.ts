import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { priceOf } from '../../../../commands.ts';
import { followingCalls, getJobTool, type startedByTool, startJobTool } from '../../../../contract/agent-tools.ts';
import {
  createJob,
  type jobResultsSchema,
  maxReferences,
  maxResultsPerPage,
  readResults,
} from '../../../../contract/jobs.ts';
import { validationMessage } from '../../../../contract/validation-messages.ts';
import { besidesBody } from '../../../../contract/video-details.ts';
import type { Call } from '../../../../kernel/call.ts';
import { elapsedMs } from '../../../../kernel/clock.ts';
import { invalidRequest } from '../../../../kernel/refusal.ts';
import { isTerminal, type JobRow, type Queries } from '../../../../queries.ts';
import { jobWanted, naming } from '../../middleware/job-creation.ts';
import { cursorBehind, type ResultQuery, resultJson, resultsAfter } from '../../middleware/job-results.ts';
import { json } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { estimateTokens } from '../paging.ts';
import { sourceArgument, sourceNamed, sourceNames } from './list-videos.ts';
import { ofVideo, type ReportProgress, type Tool, tokensOfPage, tool } from './tool.ts';

const names = { ...sourceNames, ids: 'video_ids' } as const;

const { lang, captions, asr, keep } = ofVideo;

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

const input = z.object({
  video_ids: z
    .array(createJob.body.shape.ids.unwrap().element.meta({ description: undefined }))
    .min(1)
    .max(maxReferences)
    .optional()
    .meta({ description: 'ids or links of videos' }),
  source: sourceArgument
    .optional()
    .meta({ description: 'in place of video_ids: channel id, @handle, playlist or link' }),
  limit: createJob.body.shape.limit.meta({ description: 'of a source: only its first videos' }),
  ...{ lang, captions, asr, keep },
  words: z.boolean().optional(),
  include: besidesBody.include.unwrap().optional(),
  count_tokens: z.boolean().optional(),
  [then]: followingCalls,
});

/** What a job is made of: the videos, or the one source. Throws INVALID_REQUEST for both, and for neither. */
const contentOf = ({ video_ids, source }: z.output<typeof input>) => {
  if ((video_ids === undefined) === (source === undefined)) {
    const message = 'Give video_ids or source, and not both.';
    throw invalidRequest(message, { path: source === undefined ? 'video_ids' : 'source', code: 'invalid' });
  }
  if (source === undefined) return { kind: 'batch' as const, references: video_ids ?? [] };
  const { kind, reference } = sourceNamed(source);
  return { kind, references: [reference] };
};

const wantedOf = (args: z.output<typeof input>) => {
  const { video_ids: _, source: __, ...options } = args;
  const content = contentOf(args);
  const body = createJob.body.parse({ ...options, ids: content.references }, { error: validationMessage });
  return jobWanted(content, body);
};

/** How long a call stays open for a client that asked for progress, and how often it looks. */
const [openMs, lookEveryMs] = [25_000, 500] as const;

/** The job as soon as it is over, or as it is when the time is up; at once where no progress was asked for. */
const watched = async (
  queries: Pick<Queries, 'job'>,
  { accountId, signal }: Call,
  jobId: string,
  report: ReportProgress | null,
): Promise<JobRow> => {
  const endsAt = elapsedMs() + openMs;
  for (;;) {
    const job = await queries.job(accountId, jobId);
    if (report === null || isTerminal(job) || elapsedMs() + lookEveryMs > endsAt) return job;
    report(job.completedItems + job.failedItems, job.totalItems, `${jobId} ${job.status}`);
    await pause(lookEveryMs, undefined, { signal });
  }
};

/** Starts a job, as `POST /v1/jobs` does. */
export const startJob = ({ commands, queries }: Application<'planJob' | 'startJob', 'job'>): Tool =>
  tool({
    ...startJobTool,
    scope: createJob.scope,
    operation: createJob.operation,
    credits: priceOf('job_item'),
    input,
    output: null,
    quote: async (args, call) => (await naming(names, commands.planJob(call, wantedOf(args)))).creditsNeeded,
    prepare(args) {
      const wanted = wantedOf(args);
      return async (call, report) => {
        const begun = await naming(names, commands.startJob(call, wanted));
        const { jobId, creditsReserved } = begun;
        const now = report === null ? begun : await watched(queries, call, jobId, report);
        const started: z.input<typeof startedByTool> = {
          job_id: jobId,
          status: now.status,
          total_items: now.totalItems,
          credits_reserved: creditsReserved,
        };
        return json(started);
      };
    },
  });

/** Results of a page, at most and unless said otherwise, and the tokens of all after the first. */
const page = { max: maxResultsPerPage, usual: 10, tokens: tokensOfPage } as const;

type Result = z.input<typeof jobResultsSchema>['results'][number];

/** As many results as the budget of a page holds, one at least. */
const fitting = (results: readonly Result[]): readonly Result[] => {
  let tokens = 0;
  const cut = results.findIndex((one, index) => {
    tokens += estimateTokens(JSON.stringify(one));
    return index > 0 && tokens > page.tokens;
  });
  return cut === -1 ? results : results.slice(0, cut);
};

/** The state of a job and its results, as `GET /v1/jobs/{jobId}/results` answers them, in pages for a model. */
export const getJob = ({ queries }: Application<never, 'job' | ResultQuery>): Tool =>
  tool({
    ...getJobTool,
    scope: readResults.scope,
    operation: readResults.operation,
    input: z.object({
      job_id: readResults.params.shape.jobId.meta({ description: 'as start_job answered it' }),
      limit: z.int().min(0).max(page.max).default(page.usual).meta({ description: 'results; 0: only the state' }),
      cursor: readResults.query.shape.cursor.meta({ description: 'next_cursor of the page before' }),
    }),
    output: null,
    prepare:
      ({ job_id, limit, cursor = null }) =>
      async (call, report) => {
        const job = await watched(queries, call, job_id, report);
        const asked = { cursor, limit };
        const found = limit === 0 ? null : await resultsAfter(queries, job_id, asked, call.signal);
        const results = fitting((found?.results ?? []).map(resultJson));
        const last = found?.results[results.length - 1]?.item;
        const end = last === undefined ? cursor : cursorBehind(last);
        const isAll = found?.hasMore === false && results.length === found.results.length && isTerminal(job);
        return json({
          job_id,
          status: job.status,
          total_items: job.totalItems,
          completed_items: job.completedItems,
          failed_items: job.failedItems,
          error_code: job.errorCode,
          error_message: job.errorMessage,
          results,
          next_cursor: isAll ? null : end,
        });
      },
  });
