import type { z } from 'zod';
import { type jobResultsSchema, maxResultsPerPage, readResults, resultsWithinS } from '../../../contract/jobs.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
import { isTerminal } from '../../../queries.ts';
import { type ResultQuery, resultJson, resultsAfter } from '../middleware/job-results.ts';
import { type HttpResponse, inPieces, json } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

/** Shorter than the request timeout; the cursor leads to the rest. */
const answerMs = resultsWithinS * 1_000;

type Results = z.input<typeof jobResultsSchema>;

type Page = {
  readonly results: Results['results'];
  /** Null after the last page. */
  readonly cursor: string | null;
  /** The end of the page, also when there are no more items yet. */
  readonly end: string | null;
};

/** The results of the items of a job, in one response or in pages. */
export const jobResults = ({ queries }: Application<never, 'job' | ResultQuery>): Route[] => [
  keyRoute(readResults, async ({ call, params, query }) => {
    const endsAt = elapsedMs() + answerMs;
    const job = await queries.job(call.accountId, params.jobId);
    const pageAfter = async (cursor: string | null, limit: number, signal: AbortSignal): Promise<Page> => {
      const { results, hasMore, end } = await resultsAfter(queries, job.jobId, { cursor, limit }, signal);
      return { results: results.map(resultJson), cursor: hasMore ? end : null, end };
    };
    const head = {
      job_id: job.jobId,
      status: job.status,
      completed_items: job.completedItems,
      failed_items: job.failedItems,
    };
    const first = await pageAfter(query.cursor ?? null, query.limit ?? maxResultsPerPage, call.signal);
    const isOnePage = query.limit !== undefined || query.cursor !== undefined;
    if (isOnePage || first.cursor === null) {
      // While the job runs, the last page so far may not be the last one.
      const next = isOnePage && !isTerminal(job) ? first.end : first.cursor;
      const body: Results = { ...head, results: first.results, next_cursor: next };
      return json(body);
    }
    return streamed(head, first, endsAt, (cursor, until) => pageAfter(cursor, maxResultsPerPage, until));
  }),
];

/** Streams one JSON document, one page at a time. */
const streamed = (
  head: Omit<Results, 'results' | 'next_cursor'>,
  first: Page,
  endsAt: number,
  pageAfter: (cursor: string, until: AbortSignal) => Promise<Page>,
): HttpResponse => {
  async function* pieces(signal: AbortSignal): AsyncIterable<string> {
    let { cursor } = first;
    yield `${JSON.stringify(head).slice(0, -1)},"results":[${listed(first.results)}`;
    const timeLeft = AbortSignal.timeout(Math.max(0, Math.round(endsAt - elapsedMs())));
    const until = AbortSignal.any([signal, timeLeft]);
    while (cursor !== null && !until.aborted) {
      const page: Page | null = await pageAfter(cursor, until).catch((error: unknown) => {
        if (until.aborted) return null;
        throw error;
      });
      // The cursor leads to items that were not read in time.
      if (page === null) break;
      cursor = page.cursor;
      if (page.results.length > 0) yield `,${listed(page.results)}`;
    }
    yield `],"next_cursor":${JSON.stringify(cursor)}}`;
  }
  return inPieces(pieces);
};

const listed = (results: Results['results']): string => JSON.stringify(results).slice(1, -1);
