import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deadLetterReasonOf, quarantined, requeued, traceparentIn } from '#src/edges/worker/crash-policy.ts';

const itemIds = ['itm_0000', 'itm_0001'];
const taskWith = (deaths: number) => ({
  key: 'items',
  payload: { jobId: 'job_1', itemIds, deaths },
  priority: 3,
  flags: null,
  attempts: 12,
  max_attempts: 14,
  job_queue_id: null as number | null,
});
const parts = itemIds.map((itemId) => ({ jobId: 'job_1', itemIds: [itemId] }));

describe('a task whose process crashed', () => {
  it('stays in its queue after one crash, and is quarantined after two with its remaining attempts', () => {
    assert.equal(quarantined('extract-items', taskWith(1), []), null);
    const [alone] = quarantined('extract-items', taskWith(2), []) ?? [];
    assert.deepEqual([alone?.queueName, alone?.attemptsLeft], ['quarantine', 3]);
  });

  it('is divided in quarantine, where each part starts with two crashes and the first takes its place', () => {
    const divided = quarantined('extract-items', taskWith(5), parts) ?? [];
    assert.deepEqual(
      divided.map(({ key, payload, queueName }) => [key, payload['deaths'], queueName]),
      [
        ['items', 2, 'quarantine'],
        ['items|1', 2, 'quarantine'],
      ],
    );
  });

  it('stays in its trace when it is divided', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const task = taskWith(2);
    const traced = { ...task, payload: { ...task.payload, traceparent } };
    const divided = quarantined('extract-items', traced, parts) ?? [];
    assert.ok(divided.length === 2 && divided.every((part) => traceparentIn(part) === traceparent));
    assert.equal(traceparentIn(task), null);
    assert.equal(traceparentIn({ payload: { traceparent: 'nonsense' } }), null);
  });

  it('stays in quarantine once it is there, even when it is queued again', () => {
    const task = { ...taskWith(2), job_queue_id: 7 };
    assert.equal(quarantined('resolve-listing', task, []), null);
    assert.equal(requeued('resolve-listing', task)[0]?.queueName, 'quarantine');
  });

  it('is dead-lettered after five crashes', () => {
    assert.equal(deadLetterReasonOf(taskWith(4)), null);
    assert.match(deadLetterReasonOf(taskWith(5))?.message ?? '', /^5 processes ended/);
  });
});
