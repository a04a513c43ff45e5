import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Append } from '#src/eventlog/event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { streamOf } from '#src/jobs/item-group.ts';
import { itemsPerGroup } from '#src/jobs/job.ts';
import {
  addressesOf,
  callOf,
  foldJob,
  jobFixture,
  logWithout,
  logWithoutRetries,
  processOf,
  refusal,
  startOf,
} from '#test/support/jobs.ts';

const { signal } = new AbortController();
const fault = new TypeError('it is poison');

/** A job of so many items, of which the first `failed` fail; a process that cannot queue items again, and one that can. */
const worldOf = async (count: number, failed: number) => {
  let reads = 0;
  const world = jobFixture({
    balance: 200,
    read: async () => {
      reads += 1;
      if (reads <= failed) throw refusal('VIDEO_NOT_FOUND');
      return { language: 'en' };
    },
  });
  const jobId = await startOf(world.process, count);
  const addresses = addressesOf(jobId, count);
  const extract = async (from: number, to: number) => {
    for (const address of addresses.slice(from, to)) {
      await world.process.extract(address, { signal });
    }
  };
  const broken = processOf({ ...world.shared, log: logWithoutRetries(world.log, fault) });
  /** Sets credits aside and says that the job runs again; its groups never hear of it. */
  const retryHalf = () => assert.rejects(broken.retry(callOf('retry'), { jobId }), fault);
  return { ...world, jobId, extract, broken, retryHalf };
};

describe('a retry that cannot be written to its groups', () => {
  it('ends with the failed items, releases its credits, and can be followed by another retry', async () => {
    const { process, log, money, jobId, extract, retryHalf } = await worldOf(3, 2);
    await extract(0, 3);
    await process.close({ jobId });
    await retryHalf();
    assert.equal((await foldJob(log, jobId)).state.status, 'queued');
    assert.equal(money.held(), 2);

    await process.failRetry({ jobId }, fault);
    await process.failRetry({ jobId }, fault);
    await process.close({ jobId });
    const { state, counts, items } = await foldJob(log, jobId);
    assert.deepEqual([state.status, state.run], ['completed_with_errors', 2]);
    assert.deepEqual(counts, { complete: 1, failed: 2, creditsCharged: 1 });
    assert.deepEqual([money.held(), money.balance()], [0, 199]);

    // Whoever comes late with the retry finds it heard.
    await process.requeueItems({ jobId });
    assert.deepEqual((await foldJob(log, jobId)).items, items);

    await process.retry(callOf('again'), { jobId });
    await extract(0, 2);
    const after = await foldJob(log, jobId);
    assert.deepEqual([after.state.status, after.state.run], ['completed', 3]);
    assert.equal(money.held(), 0);
  });

  it('does not change open items, and ends with the last of them', async () => {
    const { process, log, jobId, extract, retryHalf } = await worldOf(3, 1);
    await extract(0, 2);
    await retryHalf();
    await process.failRetry({ jobId }, fault);
    assert.equal((await foldJob(log, jobId)).state.status, 'processing');
    await extract(2, 3);
    const { state, counts } = await foldJob(log, jobId);
    assert.equal(state.status, 'completed_with_errors');
    assert.deepEqual(counts, { complete: 2, failed: 1, creditsCharged: 2 });
  });

  it('ends with the last recorded state of a group that cannot be written', async () => {
    const { broken, log, jobId, extract, retryHalf } = await worldOf(2, 2);
    await extract(0, 2);
    await retryHalf();
    await broken.failRetry({ jobId }, fault);
    const { state, counts } = await foldJob(log, jobId);
    assert.deepEqual([state.status, state.run, counts.failed], ['failed', 2, 2]);
  });

  it('is written to the groups that accept it, and fails only for the others', async () => {
    const count = itemsPerGroup + 2;
    const { shared, process, log, money, jobId, extract, retryHalf } = await worldOf(count, count);
    await extract(0, count);
    await process.close({ jobId });
    await retryHalf();
    const isFirst = ({ stream }: Append) => stream === streamOf(jobId, 0);
    const broken = processOf({ ...shared, log: logWithout(log, isFirst, fault) });
    await assert.rejects(broken.requeueItems({ jobId }), fault);
    await extract(itemsPerGroup, count);
    const ends = async () => (await foldJob(log, jobId)).state.groups.map(({ isEnded }) => isEnded);
    assert.deepEqual([await ends(), money.settled.length], [[false, true], 2]);

    await process.failRetry({ jobId, group: 0 }, fault);
    await process.close({ jobId });
    const { state, counts } = await foldJob(log, jobId);
    assert.equal(state.status, 'completed_with_errors');
    assert.deepEqual(counts, { complete: 2, failed: itemsPerGroup, creditsCharged: 2 });
    assert.deepEqual([money.held(), money.balance()], [0, 198]);
  });

  it('is written to each group separately, and fails for each separately', async () => {
    const count = itemsPerGroup + 2;
    const { process, log, jobId, extract, retryHalf } = await worldOf(count, count);
    await extract(0, count);
    await retryHalf();
    const waiting = async () => (await foldJob(log, jobId)).items.filter(({ status }) => status === 'queued').length;
    await process.failRetry({ jobId, group: 0 }, fault);
    assert.equal(await waiting(), 0);
    await process.requeueItems({ jobId, group: 0 });
    await process.requeueItems({ jobId, group: 2 });
    assert.equal(await waiting(), 0, 'nobody who comes late queues what was given up');
    await process.requeueItems({ jobId, group: 1 });
    assert.equal(await waiting(), 2);
    await extract(itemsPerGroup, count);
    assert.equal((await foldJob(log, jobId)).state.status, 'completed_with_errors');
  });

  it('does not go on while the database is unavailable', async () => {
    const count = itemsPerGroup + 2;
    const { shared, log, jobId, extract, retryHalf } = await worldOf(count, count);
    await extract(0, count);
    await retryHalf();
    const away = new LogUnavailableError('writing to items', null);
    const asked = new Set<string>();
    const isAsked = ({ stream }: Append) => asked.add(stream).size > 0;
    const cut = processOf({ ...shared, log: logWithout(log, isAsked, away) });
    await assert.rejects(cut.failRetry({ jobId }, fault), away);
    assert.deepEqual([...asked], [streamOf(jobId, 0)]);
  });

  it('stays queued as failed for an operator if the state of a group is unknown; the other groups are ended', async () => {
    const count = itemsPerGroup + 2;
    const { broken, process, log, jobId, extract, retryHalf } = await worldOf(count, 2);
    await extract(0, 1);
    await extract(itemsPerGroup, count);
    await retryHalf();
    await assert.rejects(broken.failRetry({ jobId }, fault), fault);
    const { state } = await foldJob(log, jobId);
    assert.deepEqual([state.status, ...state.groups.map(({ isEnded }) => isEnded)], ['processing', false, true]);
    await process.failRetry({ jobId }, fault);
    await extract(1, itemsPerGroup);
    assert.equal((await foldJob(log, jobId)).state.status, 'completed_with_errors');
  });
});
