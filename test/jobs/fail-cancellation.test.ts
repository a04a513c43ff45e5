import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Append } from '#src/eventlog/event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { streamOf } from '#src/jobs/item-group.ts';
import { itemsPerGroup } from '#src/jobs/job.ts';
import { addressesOf, callOf, foldJob, jobFixture, logWithout, processOf, startOf } from '#test/support/jobs.ts';

const { signal } = new AbortController();
const fault = new TypeError('it is poison');

/** A job of two groups; a process that cannot write to the first, and one that can. */
const worldOf = async () => {
  const world = jobFixture({ balance: 200 });
  const count = itemsPerGroup + 2;
  const jobId = await startOf(world.process, count);
  const log = logWithout(world.log, ({ stream }) => stream === streamOf(jobId, 0), fault);
  const broken = processOf({ ...world.shared, log });
  return { ...world, jobId, broken, addresses: addressesOf(jobId, count) };
};

describe('a cancellation that cannot be written to its groups', () => {
  it('ends the groups to which it can be written', async () => {
    const { broken, log, jobId } = await worldOf();
    await assert.rejects(broken.cancel(callOf('cancel'), { jobId }), fault);
    const { state, items } = await foldJob(log, jobId);
    assert.deepEqual(
      [state.status, state.isSettled, ...state.groups.map(({ isEnded }) => isEnded)],
      ['cancelled', false, false, true],
    );
    assert.deepEqual(
      items.slice(-2).map(({ status }) => status),
      ['cancelled', 'cancelled'],
    );
  });

  it('ends each group separately, even when the job was settled without one', async () => {
    const { broken, process, log, shared, jobId } = await worldOf();
    const isOfItems = ({ stream }: { readonly stream: string }) => stream.startsWith('items-');
    const silent = processOf({ ...shared, log: logWithout(log, isOfItems, fault) });
    await assert.rejects(silent.cancel(callOf('cancel'), { jobId }), fault);
    await assert.rejects(broken.cancelItems({ jobId, group: 0 }), fault);
    await broken.failCancellation({ jobId }, fault);
    await broken.cancelItems({ jobId, group: 1 });
    await broken.cancelItems({ jobId, group: 2 });
    const { state } = await foldJob(log, jobId);
    assert.deepEqual([state.isSettled, ...state.groups.map(({ isEnded }) => isEnded)], [true, false, true]);
    await process.cancelItems({ jobId, group: 0 });
    const { state: later, events } = await foldJob(log, jobId);
    assert.ok(later.groups.every(({ isEnded }) => isEnded));
    assert.equal(events.filter(({ type }) => type === 'JobCancellationSettled').length, 1);
  });

  it('releases the reserved credits of the job, and charges no item that completes later', async () => {
    const { broken, process, log, money, jobId, addresses } = await worldOf();
    await assert.rejects(broken.cancel(callOf('cancel'), { jobId }), fault);
    assert.equal(money.held(), itemsPerGroup + 2);
    await broken.failCancellation({ jobId }, fault);
    await broken.failCancellation({ jobId }, fault);
    await process.close({ jobId });
    assert.deepEqual([money.held(), money.balance()], [0, 200]);

    // The group can be written again, and somebody brings it to its end.
    for (const address of addresses) await process.extract(address, { signal });
    const { state, events } = await foldJob(log, jobId);
    assert.ok(state.groups.every(({ isEnded }) => isEnded));
    assert.equal(events.filter(({ type }) => type === 'JobCancellationSettled').length, 1);
    assert.deepEqual([money.settled.length, money.balance()], [0, 200]);
  });

  it('is retried while the database is unavailable, and does nothing if nothing was cancelled', async () => {
    const { process, log, jobId } = await worldOf();
    await process.failCancellation({ jobId }, fault);
    await process.cancel(callOf('cancel'), { jobId });
    const away = new LogUnavailableError('writing to items', null);
    await assert.rejects(process.failCancellation({ jobId }, away), away);
    const { events } = await foldJob(log, jobId);
    assert.equal(events.filter(({ type }) => type === 'JobCancellationSettled').length, 1);
    await assert.rejects(process.failCancellation({ jobId: 'job_none' }, fault), fault);
  });
});

describe('a cancelled job that has not recorded the end of its last group', () => {
  /** Whoever told the group died before the job heard of it. */
  const unheard = async () => {
    const world = jobFixture({ balance: 10 });
    const jobId = await startOf(world.process, 2);
    const isEnd = ({ events }: Append) => events.some(({ type }) => type === 'ItemGroupEnded');
    const deaf = processOf({ ...world.shared, log: logWithout(world.log, isEnd, fault) });
    await assert.rejects(deaf.cancel(callOf('cancel'), { jobId }), fault);
    const { state, items } = await foldJob(world.log, jobId);
    assert.deepEqual([state.isSettled, ...items.map(({ status }) => status)], [false, 'cancelled', 'cancelled']);
    return { ...world, jobId };
  };

  it('records it when a pending task of one of its items runs', async () => {
    const { process, log, jobId } = await unheard();
    for (const address of addressesOf(jobId, 1)) {
      await process.extract({ ...address, expectedAttempt: 0 }, { signal });
    }
    assert.ok((await foldJob(log, jobId)).state.isSettled);
  });

  it('records it when its owner cancels it again', async () => {
    const { process, log, money, jobId } = await unheard();
    await process.cancel(callOf('again'), { jobId });
    await process.close({ jobId });
    assert.ok((await foldJob(log, jobId)).state.isSettled);
    assert.deepEqual([money.held(), money.balance()], [0, 10]);
  });
});
