import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decide, decideCompleted, retryDelaysMs } from '#src/jobs/finish-attempt.ts';
import * as items from '#src/jobs/item-group.ts';
import * as job from '#src/jobs/job.ts';
import { canRetry, decideGroup } from '#src/jobs/retry-job.ts';
import { clock } from '#test/support/jobs.ts';

const now = clock();
const at = now.toISOString();
const about = { jobId: 'job_1', itemId: 'itm_1', at };
const queued: items.ItemEvent = {
  type: 'ItemsQueued',
  data: {
    jobId: 'job_1',
    accountId: 'acc_1',
    group: 0,
    language: null,
    reservationId: 'rsv_1',
    items: [{ itemId: 'itm_1', videoId: 'abcdefghijk', reference: 'abcdefghijk' }],
    at,
  },
};
const started = (attempt: number): items.ItemEvent => ({ type: 'ItemStarted', data: { ...about, attempt } });
const after = (...events: items.ItemEvent[]) => [queued, ...events].reduce(items.evolve, items.initialState());

const hindered = (attempt: number, jitter: number, retryAfterS: number | null = null) => ({
  itemId: 'itm_1',
  attempt,
  outcome: { kind: 'hindered' as const, code: 'PLATFORM_TIMEOUT' as const, message: 'late', retryAfterS, jitter },
});
const decided = (data: Parameters<typeof decide>[0]['data'], state: items.State) =>
  decide({ type: 'FinishAttempt', data, metadata: { now, retryDelaysMs } }, state);
const waitMs = (events: readonly items.ItemEvent[]) => {
  const [event] = events;
  assert.equal(event?.type, 'ItemPostponed');
  return Date.parse(event.data.retryAt) - now.getTime();
};

describe('an attempt at an item', () => {
  it('waits longer after each failure, with a jitter of a fifth in both directions', () => {
    const first = after(started(1));
    assert.equal(waitMs(decided(hindered(1, 0), first)), 4_000);
    assert.equal(waitMs(decided(hindered(1, 0.5), first)), 5_000);
    assert.equal(waitMs(decided(hindered(1, 1), first)), 6_000);
    const [postponed] = decided(hindered(1, 0.5), first);
    assert(postponed !== undefined);
    const second = after(started(1), postponed, started(2));
    assert.equal(waitMs(decided(hindered(2, 0.5), second)), 30_000);
  });

  it('waits as long as the platform asks, at most an hour', () => {
    const state = after(started(1));
    assert.equal(waitMs(decided(hindered(1, 0.5, 90), state)), 90_000);
    assert.equal(waitMs(decided(hindered(1, 0.5, 1), state)), 5_000);
    assert.equal(waitMs(decided(hindered(1, 0.5, 9_999), state)), 3_600_000);
  });

  it('counts only while it is the newest and its item is processing', () => {
    assert.deepEqual(decided(hindered(1, 0.5), after()), []);
    assert.deepEqual(decided(hindered(1, 0.5), after(started(1), started(2))), []);
    assert.deepEqual(decided({ ...hindered(1, 0.5), itemId: 'itm_2' }, after(started(1))), []);
  });

  it('completes its item once its transcript is read, and no other item', () => {
    const charged = { itemId: 'itm_1', chargeId: 'chg_1', creditsCharged: 1, now };
    const extracted: items.ItemEvent = { type: 'ItemExtracted', data: { ...about, attempt: 1, language: 'en' } };
    const settling = after(started(1), extracted);
    const [completed, ...others] = decideCompleted(charged, settling);
    assert.equal(completed?.type, 'ItemCompleted');
    assert.deepEqual(others, []);
    assert.deepEqual(decideCompleted(charged, after()), []);
    assert.deepEqual(decideCompleted(charged, after(started(1))), []);
    assert.deepEqual(decideCompleted(charged, items.evolve(settling, completed)), []);
  });
});

describe('another run', () => {
  const retry = { itemIds: ['itm_1'], reservationId: 'rsv_2' };
  const failed: items.ItemEvent = {
    type: 'ItemExtractionFailed',
    data: { ...about, attempt: 1, code: 'VIDEO_NOT_FOUND', message: 'no' },
  };

  it('is recorded once in a group, and never after a cancellation', () => {
    const state = () => after(started(1), failed);
    const [requeued] = decideGroup({ run: 2, retry, now }, state());
    assert.equal(requeued?.type, 'ItemsRequeued');
    assert.deepEqual(requeued.data.itemIds, ['itm_1']);
    assert.deepEqual(decideGroup({ run: 1, retry, now }, state()), []);
    assert.deepEqual(decideGroup({ run: 2, retry, now }, items.evolve(state(), requeued)), []);
    const cancelled: items.ItemEvent = { type: 'ItemsCancelled', data: { jobId: 'job_1', run: 1, itemIds: [], at } };
    assert.deepEqual(decideGroup({ run: 2, retry, now }, items.evolve(state(), cancelled)), []);
  });

  it('is possible for a job that exists, is listed and was not cancelled', () => {
    const created = { jobId: 'job_1' } as NonNullable<job.State['created']>;
    const listed: job.State = { ...job.initialState(), created, isListed: true };
    assert.equal(canRetry(listed), true);
    assert.equal(canRetry({ ...listed, created: null }), false);
    assert.equal(canRetry({ ...listed, isListed: false }), false);
    assert.equal(canRetry({ ...listed, status: 'cancelled' }), false);
    assert.equal(canRetry({ ...listed, run: job.maxRuns - 1 }), true);
    assert.throws(() => canRetry({ ...listed, run: job.maxRuns }), { code: 'INVALID_REQUEST' });
  });
});
