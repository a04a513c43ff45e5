import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as job from '#src/jobs/job.ts';
import { runFacts } from '#src/jobs/run-facts.ts';
import { newUuid } from '#src/kernel/ids.ts';
import { clock } from '#test/support/jobs.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const jobId = 'job_1';
const at = (minute: number) => `2026-11-21T10:0${minute}:00.000Z`;
const created: job.JobEvent = {
  type: 'JobCreated',
  data: {
    jobId,
    accountId: 'acc_1',
    kind: 'batch',
    reference: null,
    language: null,
    webhookUrl: 'https://a.example/in',
    totalItems: 3,
    groups: 1,
    listing: null,
    reservationId: 'rsv_1',
    creditsReserved: 3,
    keyId: null,
    requestId: 'req_1',
    at: at(0),
  },
};
const ended = (
  run: number,
  minute: number,
  items: { complete: readonly string[]; failed: readonly string[] },
): job.JobEvent => ({
  type: 'ItemGroupEnded',
  data: {
    jobId,
    group: 0,
    run,
    complete: items.complete.map((itemId) => ({ itemId, creditsCharged: 1 })),
    failed: items.failed,
    cancelled: [],
    at: at(minute),
  },
});
const first: readonly job.JobEvent[] = [
  created,
  { type: 'JobStarted', data: { jobId, run: 1, at: at(1) } },
  ended(1, 2, { complete: ['a', 'b'], failed: ['c'] }),
  { type: 'JobCompletedWithErrors', data: { jobId, run: 1, at: at(3) } },
];
const retried: job.JobEvent = {
  type: 'JobRetried',
  data: { jobId, run: 2, groups: [{ group: 0, itemIds: ['c'] }], reservationId: null, at: at(4) },
};
const abandoned: job.JobEvent = { type: 'JobReservationAbandoned', data: { jobId, reservationId: 'rsv_2', at: at(5) } };

const factsAfter = async (run: number, ...events: readonly job.JobEvent[]) => {
  const log = memoryEventLog({ clock });
  const meta = { occurred_at: at(0) };
  await log.append([
    {
      stream: job.streamOf(jobId),
      expected: 0n,
      events: events.map((event) => ({ ...event, id: newUuid(), schemaVersion: 1, meta })),
    },
  ]);
  return await runFacts({ log })({ jobId, run });
};

const firstFacts = {
  jobId,
  accountId: 'acc_1',
  kind: 'batch',
  status: 'completed_with_errors',
  run: 1,
  totalItems: 3,
  completedItems: 2,
  failedItems: 1,
  creditsCharged: 2,
  webhookUrl: 'https://a.example/in',
  isOfFollow: false,
  createdAt: at(0),
  updatedAt: at(3),
};

describe('the outcome of a run', () => {
  it('does not change with later runs of the job', async () => {
    assert.deepEqual(await factsAfter(1, ...first), firstFacts);
    assert.deepEqual(await factsAfter(1, ...first, abandoned, retried), firstFacts);
  });

  it('covers all items for a further run', async () => {
    const second = [
      ...first,
      retried,
      ended(2, 6, { complete: ['a', 'b', 'c'], failed: [] }),
      { type: 'JobCompleted', data: { jobId, run: 2, at: at(7) } } as const,
    ];
    const facts = { status: 'completed', run: 2, completedItems: 3, failedItems: 0 };
    assert.deepEqual(await factsAfter(2, ...second), { ...firstFacts, ...facts, creditsCharged: 3, updatedAt: at(7) });
    assert.deepEqual(await factsAfter(1, ...second), firstFacts);
  });

  it('is null for a running, a cancelled and an unknown run', async () => {
    assert.equal(await factsAfter(1, ...first.slice(0, 3)), null);
    assert.equal(await factsAfter(2, ...first), null);
    assert.equal(await factsAfter(2, ...first, retried), null);
    const cancelled: readonly job.JobEvent[] = [
      ...first.slice(0, 2),
      { type: 'JobCancelled', data: { jobId, run: 1, at: at(2) } },
      ended(1, 3, { complete: ['a'], failed: [] }),
      { type: 'JobCancellationSettled', data: { jobId, run: 1, at: at(4) } },
    ];
    assert.equal(await factsAfter(1, ...cancelled), null);
  });
});
