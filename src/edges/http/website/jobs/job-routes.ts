import type { Route } from '../../middleware/route.ts';
import { beforeIn, redirect, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { confirmedForm } from '../parts/question.tsx';
import { stateIn } from '../parts/state-filter.tsx';
import { results } from './job-files.ts';
import { jobPage } from './job-page.tsx';
import { jobSort, jobsPage, titleOf } from './jobs-page.tsx';

/** The jobs of an account: the list, one job with its items, its results as files. */
export const jobRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/jobs' }, async ({ context, query, user }) => {
    const limit = 50;
    const status = stateIn(query, context.words.many.status);
    const { order } = jobSort(context.url);
    const jobs = await deps.queries.jobs(user.accountId, { limit, before: beforeIn(query), status, order });
    return jobsPage(context, { jobs, status });
  }),
  userPage(deps, { method: 'GET', path: '/jobs/:jobId' }, (request) => jobOf(deps, request)),
  userPage(deps, { method: 'GET', path: '/jobs/:jobId/events' }, ({ call, params, requestInfo }) =>
    deps.eventStream(call, params['jobId'] ?? '', requestInfo.request.headers['last-event-id']),
  ),
  ...confirmedForm(deps, '/jobs/:jobId/cancel', {
    ask: async ({ context, call, params }) => {
      const job = await deps.queries.job(call.accountId, params['jobId'] ?? '');
      const { questions, many: words } = context.words;
      return {
        ...questions.cancelJob,
        ...{ named: titleOf(context, job), button: words.cancel, back: `/jobs/${job.jobId}` },
      };
    },
    work: async ({ call, params }) => {
      const jobId = params['jobId'] ?? '';
      await deps.commands.cancelJob(call, { jobId });
      return redirect(`/jobs/${jobId}`);
    },
  }),
  userPage(deps, { method: 'POST', path: '/jobs/:jobId/retry' }, async ({ call, params }) => {
    const jobId = params['jobId'] ?? '';
    await deps.commands.retryJob(call, { jobId });
    return redirect(`/jobs/${jobId}`);
  }),
  userPage(deps, { method: 'GET', path: '/jobs/:jobId/:file' }, (request) => results(deps, request)),
];

const itemsShown = 1_000;

const jobOf = async (deps: WebsiteDeps, { context, call, params }: UserRequest) => {
  const job = await deps.queries.job(call.accountId, params['jobId'] ?? '');
  const items = await deps.queries.detailedJobItems(job.jobId, itemsShown);
  const videoIds = items.flatMap(({ videoId, status }) => (status === 'complete' && videoId !== null ? [videoId] : []));
  const [paid, titles] = await Promise.all([
    deps.commands.paidCaptions(call, videoIds),
    deps.queries.videoTitles(items.flatMap(({ videoId }) => videoId ?? [])),
  ]);
  const paidCaptions = new Set(paid.map(({ videoId, language }) => `${videoId} ${language}`));
  return jobPage(context, { job, items, titles, now: deps.clock(), paidCaptions });
};
