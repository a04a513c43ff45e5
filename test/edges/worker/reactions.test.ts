import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concurrencyLimits } from '#src/edges/worker/concurrency-limits.ts';
import { itemsPerTask, type ReactionEvent, reactedTypes, workOf as workOfEvent } from '#src/edges/worker/reactions.ts';
import * as job from '#src/jobs/job.ts';

const recordedAt = '2026-11-21T10:00:00.000Z';
/** By a clock that is two hours ahead. */
const at = '2026-11-21T12:00:00.000Z';
const jobId = `job_${'0'.repeat(32)}`;
const id = '00000000-0000-5000-8000-000000000001';

const workOf = (event: ReactionEvent) =>
  workOfEvent(event, {
    ...{ reservationMs: 60_000, recheckMs: [3_600_000], isMailing: true, requiresMailboxProof: true },
  });

describe('reactions', () => {
  it('queue the items of a group in small parts, each under a key of its own', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({
      itemId: job.itemIdOf(jobId, 100 + index),
      videoId: null,
      reference: '',
    }));
    const data = { jobId, accountId: 'acc_1', group: 2, language: null, reservationId: null, items, at };
    const work = workOf({ id, recordedAt, type: 'ItemsQueued', data });
    assert.equal(work.length, 50 / itemsPerTask);
    assert.equal(new Set(work.map(({ key }) => key)).size, work.length);
    assert.deepEqual(
      work.flatMap(({ payload }) => payload['itemIds']),
      items.map(({ itemId }) => itemId),
    );
    assert.ok(work.every(({ priority = 0, payload }) => priority >= 10 && payload['after'] === 0));
  });

  it('queue the same work for the same event', () => {
    const event = { id, recordedAt, type: 'JobCompleted', data: { jobId, run: 2, at } } as const;
    assert.deepEqual(workOf(event), workOf(event));
    assert.deepEqual(
      workOf(event).map(({ task }) => task),
      ['close-job', 'announce-run'],
    );
  });

  it('pass the span of an event on to its tasks, but not to those of a later time', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const run = { jobId, run: 2, at };
    const ended = workOf({ id, recordedAt, traceparent, type: 'JobCompleted', data: run });
    assert.ok(ended.length === 2 && ended.every(({ payload }) => payload['traceparent'] === traceparent));
    const reserved = {
      ...{ accountId: 'acc_1', reservationId: 'rsv_1', jobId, keyId: null, amount: 3 },
      ...{ requestId: 'req_1', at },
    };
    const [check] = workOf({ id, recordedAt, traceparent, type: 'CreditsReserved', data: reserved });
    assert.ok(check !== undefined && !('traceparent' in check.payload));
  });

  it('renew a period at its end, and name it: the clock of a worker may be behind', () => {
    const data = {
      ...{ accountId: 'acc_1', period: '2026-11', part: 1, plan: null, anchorDay: 21 },
      ...{ opensAt: at, closesAt: '2026-12-21T00:00:00.000Z' },
      ...{ previousStream: null, previousHash: null },
      ...{ carriedGrants: [], carriedReservations: [], carriedKeySpend: [], at },
    } as const;
    const [renewal] = workOf({ id, recordedAt, type: 'BookOpened', data });
    assert.deepEqual(renewal, {
      task: 'renew-credits',
      key: `${id}|renew-credits|acc_1`,
      payload: { opensAt: at, closesAt: data.closesAt, accountId: 'acc_1' },
      runAt: data.closesAt,
    });
  });

  it('look at a reservation once its caller has had time to use it', () => {
    const data = { accountId: 'acc_1', reservationId: 'rsv_1', jobId, keyId: null, amount: 3, requestId: 'req_1', at };
    const [work] = workOf({ id, recordedAt, type: 'CreditsReserved', data });
    assert.deepEqual([work?.task, work?.runAt], ['check-reservation', '2026-11-21T10:01:00.000Z']);
  });

  it('wait as long as an event says, by the clock of the database', () => {
    const retryAt = '2026-11-21T12:00:05.000Z';
    const failure = { code: 'PLATFORM_BLOCKED', message: '', retryAt, at } as const;
    const item = { jobId, itemId: 'itm_1', attempt: 1, ...failure };
    const attempt = { attempt: 1, why: 'timeout', httpStatus: null, durationMs: 9, retryAt, at } as const;
    const delivery = { deliveryId: 'dlv_1', accountId: 'acc_1', webhookId: null, ...attempt };
    const [again] = workOf({ id, recordedAt, type: 'ItemPostponed', data: item });
    const [next] = workOf({ id, recordedAt, type: 'DeliveryAttemptFailed', data: delivery });
    assert.deepEqual([again?.runAt, next?.runAt], Array(2).fill('2026-11-21T10:00:05.000Z'));
    assert.deepEqual(
      [again?.payload, next?.payload],
      [
        { jobId, after: 1, itemIds: ['itm_1'] },
        { after: 1, deliveryId: 'dlv_1' },
      ],
    );
  });

  it('end the work of an erased account, at once and when no call can be in progress', () => {
    const data = { accountId: 'acc_1', at };
    const work = workOf({ id, recordedAt, type: 'AccountErased', data });
    assert.deepEqual(
      work.map(({ task, runAt }) => [task, runAt]),
      [
        ['end-account-work', '2026-11-21T10:00:00.000Z'],
        ['end-account-work', '2026-11-21T10:02:00.000Z'],
      ],
    );
    assert.equal(new Set(work.map(({ key }) => key)).size, 2);
  });

  it('start nothing for events without a reaction', () => {
    assert.ok(!reactedTypes.includes('ItemStarted'));
    assert.deepEqual(
      workOf({ id, recordedAt, type: 'ItemStarted', data: { jobId, itemId: 'itm_1', attempt: 1, at } }),
      [],
    );
  });
});

describe('concurrency limits', () => {
  it('let work run while none of its keys is at its limit', () => {
    const some = concurrencyLimits((key) => (key.startsWith('receiver') ? 1 : 2));
    const first = some.tryAcquire(['receiver:a', 'account:x']);
    assert.ok(first);
    assert.deepEqual(some.exhausted(), ['receiver:a']);
    assert.equal(some.tryAcquire(['receiver:a', 'account:y']), null);
    assert.ok(some.tryAcquire(['receiver:b', 'account:x']));
    assert.equal(some.tryAcquire(['receiver:c', 'account:x']), null);
    first[Symbol.dispose]();
    assert.deepEqual(some.exhausted(), ['receiver:b']);
    assert.ok(some.tryAcquire(['receiver:a', 'account:x']));
  });
});
