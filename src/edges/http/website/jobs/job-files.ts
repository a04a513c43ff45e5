import { toMarkdown } from '../../../../commands.ts';
import { maxItemsPerJob } from '../../../../contract/jobs.ts';
import { notFound } from '../../middleware/error-handler.ts';
import { type JobResult, type ResultPage, resultJson, resultsAfter } from '../../middleware/job-results.ts';
import { inPieces } from '../../middleware/response.ts';
import { type ArchiveFile, zipOf } from '../../middleware/zip-archive.ts';
import type { UserRequest, WebsiteDeps } from '../page.ts';

const pageSize = 25;

/** Every item that has ended, with its transcript, a page at a time. */
async function* itemsOf({ queries }: WebsiteDeps, jobId: string, signal: AbortSignal): AsyncGenerator<JobResult> {
  let cursor: string | null = null;
  for (let read = 0; read < maxItemsPerJob && !signal.aborted; read += pageSize) {
    const wanted = { cursor, limit: pageSize };
    const { results, hasMore, end }: ResultPage = await resultsAfter(queries, jobId, wanted, signal);
    yield* results;
    if (!hasMore) return;
    cursor = end;
  }
}

async function* ndjson(items: AsyncIterable<JobResult>): AsyncIterable<string> {
  for await (const result of items) yield `${JSON.stringify(resultJson(result))}\n`;
}

async function* markdown(items: AsyncIterable<JobResult>): AsyncIterable<string> {
  for await (const { transcript } of items) {
    if (transcript !== null) yield `${toMarkdown(transcript, { timestamps: false })}\n\n`;
  }
}

/** One Markdown file for each transcript. */
async function* markdownFiles(items: AsyncIterable<JobResult>): AsyncIterable<ArchiveFile> {
  for await (const { transcript } of items) {
    if (transcript === null) continue;
    const { videoId, language } = transcript;
    const name = `${videoId}${language === null ? '' : `.${language}`}.md`;
    yield { name, text: toMarkdown(transcript, { timestamps: false }) };
  }
}

/** The files of the results of a job by their names, each with its label on the page. */
export const files = {
  'results.ndjson': { label: 'NDJSON', contentType: 'application/x-ndjson; charset=utf-8', write: ndjson },
  'results.md': { label: 'Markdown', contentType: 'text/markdown; charset=utf-8', write: markdown },
  'results.zip': {
    label: 'ZIP',
    contentType: 'application/zip',
    write: (items: AsyncIterable<JobResult>) => zipOf(markdownFiles(items)),
  },
} as const;

/** Everything that a job has read so far, as one file, written while it is read. */
export const results = async (deps: WebsiteDeps, { call, params }: UserRequest) => {
  const { jobId } = await deps.queries.job(call.accountId, params['jobId'] ?? '');
  const name = (Object.keys(files).find((one) => one === params['file']) ?? notFound()) as keyof typeof files;
  const { contentType, write } = files[name];
  return inPieces((signal) => write(itemsOf(deps, jobId, signal)), {
    contentType,
    headers: { 'Content-Disposition': `attachment; filename="${jobId}-${name}"` },
  });
};
