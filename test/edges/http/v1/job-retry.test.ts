import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JobItemRow, ShownJob } from '#src/queries.ts';
import { bearer, runningJob, startEdge } from '#test/support/http.ts';

const item = (itemId: string, more: Partial<JobItemRow>): JobItemRow => ({
  ...{ itemId, jobId: 'job_1', videoId: 'private-001', reference: 'private-001' },
  ...{ status: 'complete', requestedLanguage: null, language: 'en', attempts: 1 },
  ...{ errorCode: null, errorMessage: null, creditsCharged: 1, chargeId: 'charge' },
  endedPosition: '7',
  ...more,
});
const failed: Partial<JobItemRow> = {
  ...{ status: 'failed', language: null, attempts: 2, creditsCharged: 0, chargeId: null },
  ...{ errorCode: 'VIDEO_UNAVAILABLE', errorMessage: 'This video is private.' },
};

/** What the answer to a retry of `itm_2` shows, when the job reads like this afterwards. */
const answerFor = async (read: Partial<ShownJob>, wasOver = true) => {
  await using edge = await startEdge({
    commands: { retryJob: async () => ({ run: 2, itemIds: ['itm_2'], wasOver }) },
    queries: {
      job: async () => ({ ...runningJob, run: 2, totalItems: 2, ...read }),
      jobItems: async () => [item('itm_1', {}), item('itm_2', failed)],
    },
  });
  const answer = await edge.post('/v1/jobs/job_1/retry', {}, bearer);
  assert.equal(answer.status, 200);
  const shown = (await answer.json()) as {
    readonly status: string;
    readonly completed_items: number;
    readonly failed_items: number;
    readonly items: readonly { readonly status: string; readonly error_code: string | null }[];
  };
  return {
    job: [shown.status, shown.completed_items, shown.failed_items],
    items: shown.items.map(({ status, error_code }) => [status, error_code]),
  };
};

describe('the response to a retry', () => {
  const endedAgain = { status: 'completed_with_errors', completedItems: 1, failedItems: 1 } as const;

  it('shows what was queued, even if it has failed again by then', async () => {
    assert.deepEqual(await answerFor(endedAgain), {
      job: ['queued', 1, 0],
      items: [
        ['complete', null],
        ['queued', null],
      ],
    });
  });

  it('shows the job as it is while it runs, when it was cancelled, and when a later retry took over', async () => {
    const running = { status: 'processing', completedItems: 1, failedItems: 0 } as const;
    assert.deepEqual((await answerFor(running)).job, ['processing', 1, 0]);
    const cancelled = { ...endedAgain, status: 'cancelled' } as const;
    assert.deepEqual((await answerFor(cancelled)).job, ['cancelled', 1, 1]);
    const later = { ...endedAgain, run: 3 };
    assert.deepEqual((await answerFor(later)).job, ['completed_with_errors', 1, 1]);
    assert.deepEqual((await answerFor(endedAgain, false)).job, ['completed_with_errors', 1, 1]);
  });
});
