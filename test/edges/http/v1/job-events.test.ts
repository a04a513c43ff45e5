import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { FeedRow } from '#projections/job-rows.ts';
import { bearer, errorOf, holder, key, runningJob, startEdge } from '#test/support/http.ts';

const row = (position: number, type: string, goesOn = false): FeedRow => ({
  position: String(position),
  type,
  goesOn,
  data: { jobId: 'job_1', at: '2026-11-21T10:00:00.000Z', itemId: 'itm_1', run: 1 },
});

/**
 * The events of a job whose feed grows: with each look that finds nothing new, the next part is there. It is settled
 * once all parts are. Tells what was sent, or the status if that is no stream.
 */
const streamOf = async (
  status: typeof runningJob.status,
  parts: readonly (readonly FeedRow[])[],
  lastId = '',
): Promise<string | number> => {
  const left = [...parts];
  const told: FeedRow[] = [...(left.shift() ?? [])];
  await using edge = await startEdge({
    queries: {
      job: async () => ({ ...runningJob, status }),
      isJobSettled: async () => left.length === 0,
      jobFeed: async (_, { after, limit }) => {
        const found = told.filter(({ position }) => Number(position) > Number(after));
        if (found.length === 0) told.push(...(left.shift() ?? []));
        return found.slice(0, limit);
      },
    },
  });
  const answer = await edge.get('/v1/jobs/job_1/events', { ...bearer, 'Last-Event-ID': lastId });
  const text = await answer.text();
  return answer.status === 200 ? text : answer.status;
};

/** The ids of it. */
const watched = async (...args: Parameters<typeof streamOf>): Promise<string[] | number> => {
  const told = await streamOf(...args);
  if (typeof told === 'number') return told;
  return [...told.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id ?? '');
};

/** A stream that does not know that it is over lasts 25 seconds. */
const soon = { timeout: 15_000 };

describe('the events of a job', soon, () => {
  const started = [row(1, 'JobCreated'), row(2, 'JobStarted'), row(3, 'ItemStarted')];

  for (const type of ['JobCompleted', 'JobCompletedWithErrors', 'JobFailed', 'JobCancelled']) {
    it(`end with ${type}`, soon, async () => {
      const ids = await watched('processing', [started, [row(4, type)]]);
      assert.deepEqual(ids, ['1', '2', '3', '4']);
    });
  }

  it('end, once the job is cancelled, with the outcome of its items', soon, async () => {
    const parts = [[...started, row(4, 'JobCancelled')], [row(5, 'ItemsCancelled')], [row(6, 'ItemCompleted')]];
    assert.deepEqual(await watched('processing', parts), ['1', '2', '3', '4', '5', '6']);
    assert.deepEqual(await watched('cancelled', parts, '4'), ['5', '6']);
    assert.deepEqual(await watched('cancelled', parts.slice(0, 1), '4'), 204);
  });

  it('continue when the job is retried before they ended', soon, async () => {
    const parts = [
      [...started, row(4, 'JobFailed'), row(5, 'JobRetried')],
      [row(6, 'JobStarted'), row(7, 'JobCompleted')],
    ];
    assert.deepEqual(await watched('failed', parts), ['1', '2', '3', '4', '5', '6', '7']);
  });

  it('say after a retry whether the job is queued again or still processing', soon, async () => {
    const statusesOf = async (rows: readonly FeedRow[]) =>
      [...String(await streamOf('completed', [rows])).matchAll(/"status":"(\w+)"/g)].map(([, status]) => status);
    const over = row(9, 'JobCompleted');
    assert.deepEqual(await statusesOf([row(8, 'JobRetried', true), over]), ['processing', 'completed']);
    assert.deepEqual(await statusesOf([row(8, 'JobRetried'), over]), ['queued', 'completed']);
  });

  it('end even if the last one fills a page', soon, async () => {
    const items = Array.from({ length: 999 }, (_, index) => row(index + 1, 'ItemCompleted'));
    const ids = await watched('completed', [[...items, row(1_000, 'JobCompleted')]]);
    assert.equal(Array.isArray(ids) && ids.length, 1_000);
  });

  it('are streamed to at most 10 readers of a key and 20 of an account, and the refusal says which', async () => {
    await using edge = await startEdge({
      queries: {
        findKeyHolder: async (secret) => ({
          ...holder,
          keyId: `key_${secret}`,
          accountId: secret === 'other' ? 'acc_2' : 'acc_1',
        }),
        job: async () => runningJob,
        isJobSettled: async () => false,
        jobFeed: async () => {
          await pause(20);
          return [];
        },
      },
    });
    const leave = new AbortController();
    const open = (secret: string) =>
      fetch(`${edge.url}/v1/jobs/job_1/events`, {
        headers: { Authorization: `Bearer ${secret}` },
        signal: leave.signal,
      });
    for (const secret of [key, 'two']) {
      const answers = await Promise.all(Array.from({ length: 15 }, () => open(secret)));
      const refused = answers.filter(({ status }) => status === 429);
      assert.deepEqual([answers.filter(({ status }) => status === 200).length, refused.length], [10, 5]);
      const policy = secret === key ? 'key_streams' : 'account_streams';
      const limit = secret === key ? 10 : 20;
      for (const answer of refused) assert.deepEqual((await errorOf(answer)).details, { policy, limit });
    }
    assert.equal((await errorOf(await open('three'))).details?.['policy'], 'account_streams');
    assert.equal((await open('other')).status, 200);
    leave.abort();
    const again = new AbortController();
    const reopen = () => fetch(`${edge.url}/v1/jobs/job_1/events`, { headers: bearer, signal: again.signal });
    while ((await reopen()).status !== 200) await pause(10);
    again.abort();
  });
});
