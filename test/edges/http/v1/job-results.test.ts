import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DetailedItemRow } from '#projections/job-rows.ts';
import { bearer, runningJob, startEdge } from '#test/support/http.ts';

const failed = (position: number): DetailedItemRow => ({
  ...{ itemId: `itm_${position.toString(16)}`, jobId: 'job_1', videoId: null, reference: 'no video' },
  ...{ status: 'failed', requestedLanguage: null, language: null, attempts: 1 },
  ...{ errorCode: 'INVALID_VIDEO_ID', errorMessage: 'no', creditsCharged: 0, chargeId: null },
  errorDetails: null,
  endedPosition: String(position),
});

/** A job of 250 items that have ended; `onPage` is told of each page that is asked for. */
const startResults = (onPage: (page: number) => void = () => {}) => {
  const items = Array.from({ length: 250 }, (_, index) => failed(index + 1));
  let pages = 0;
  return startEdge({
    queries: {
      job: async () => runningJob,
      operationResults: async () => [],
      resultTranscript: async () => null,
      jobResults: async (_, { after, limit }) => {
        pages += 1;
        onPage(pages);
        const rest = items.filter(({ endedPosition }) => Number(endedPosition) > Number(after));
        return rest.slice(0, limit);
      },
    },
  });
};

type ResultsPage = { readonly results: readonly { item_id: string }[]; readonly next_cursor: string | null };

describe('the results of a job', () => {
  it('are complete, in one document, if no page is requested', async () => {
    await using edge = await startResults();
    const answer = await edge.get('/v1/jobs/job_1/results', bearer);
    const { results, next_cursor } = (await answer.json()) as ResultsPage;
    assert.equal(new Set(results.map(({ item_id }) => item_id)).size, 250);
    assert.equal(next_cursor, null);
  });

  it('continue after the last page while the job runs, and end with it', async () => {
    let status: 'processing' | 'completed_with_errors' = 'processing';
    const items = [failed(1), failed(2)];
    await using edge = await startEdge({
      queries: {
        job: async () => ({ ...runningJob, status }),
        operationResults: async () => [],
        resultTranscript: async () => null,
        jobResults: async (_, { after, limit }) =>
          items.filter(({ endedPosition }) => Number(endedPosition) > Number(after)).slice(0, limit),
      },
    });
    const page = async (cursor: string | null, limit = 5): Promise<ResultsPage> => {
      const asked = cursor === null ? '' : `&cursor=${cursor}`;
      const answer = await edge.get(`/v1/jobs/job_1/results?limit=${limit}${asked}`, bearer);
      return (await answer.json()) as ResultsPage;
    };
    const first = await page(null);
    assert.equal(first.results.length, 2);
    const empty = await page(first.next_cursor);
    assert.deepEqual([empty.results.length, empty.next_cursor], [0, first.next_cursor]);
    items.push(failed(3));
    const third = await page(empty.next_cursor);
    assert.deepEqual(
      third.results.map(({ item_id }) => item_id),
      ['itm_3'],
    );
    status = 'completed_with_errors';
    assert.deepEqual(await page(third.next_cursor).then((last) => last.next_cursor), null);
    const full = await page(first.next_cursor, 1);
    assert.deepEqual([full.results.length, full.next_cursor], [1, null]);
    items.length = 0;
    status = 'processing';
    assert.equal((await page(null)).next_cursor, null);
  });

  it('are cut off, recognizably incomplete, when reading them fails midway', async () => {
    await using edge = await startResults((page) => {
      if (page === 2) throw new Error('the database is on fire');
    });
    const answer = await edge.get('/v1/jobs/job_1/results', bearer);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    assert.match(String(edge.faults[0]?.error), /on fire/);
    assert.equal(edge.faults.length, 1);
  });
});
