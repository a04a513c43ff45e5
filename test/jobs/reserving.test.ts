import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressesOf, callOf, foldJob, jobFixture, Killed, processOf, refusal, videoIdOf } from '#test/support/jobs.ts';

const signal = new AbortController().signal;
const wantedOf = (count: number) =>
  ({
    kind: 'batch',
    references: Array.from({ length: count }, (_, index) => videoIdOf(index)),
    limit: null,
    language: null,
    webhookUrl: null,
  }) as const;

type World = ReturnType<typeof jobFixture>;
type Reserve = World['shared']['ledger']['reserve'];

/** A process in which something happens right after credits were set aside. */
const afterReserving = (world: World, happens: (asked: Parameters<Reserve>[1]) => Promise<void>) =>
  processOf({
    ...world.shared,
    ledger: {
      ...world.shared.ledger,
      reserve: async (call, asked) => {
        const posted = await world.shared.ledger.reserve(call, asked);
        await happens(asked);
        return posted;
      },
    },
  });

const dies = async () => {
  throw new Killed();
};

describe('the credits that a job reserves', () => {
  it('cover its present items when the same operation begins again after the process died', async () => {
    const world = jobFixture();
    const call = callOf('start');
    await assert.rejects(afterReserving(world, dies).start(call, wantedOf(3)), Killed);

    // A listing has grown since: the same request means five videos now.
    const { jobId } = await world.process.start(call, wantedOf(5));
    for (const address of addressesOf(jobId, 5)) await world.process.extract(address, { signal });

    assert.equal((await foldJob(world.log, jobId)).counts.creditsCharged, 5);
  });

  it('are reserved again if they were released before the same request was repeated', async () => {
    const world = jobFixture({ balance: 10 });
    const call = callOf('start');
    const givenUp = afterReserving(world, async ({ jobId, reservationId }) => {
      await world.process.abandon(callOf('system'), { jobId, reservationId });
    });
    await assert.rejects(givenUp.start(call, wantedOf(3)), { code: 'SERVICE_UNAVAILABLE' });
    assert.equal(world.money.held(), 0);

    const { creditsReserved } = await world.process.start(call, wantedOf(3));
    assert.deepEqual([creditsReserved, world.money.held()], [3, 3]);
  });

  it('cover every item of a retry that is sent again, including those that have failed since', async () => {
    const failing = new Set([videoIdOf(0)]);
    const world = jobFixture({
      read: async ({ videoId }) => {
        if (failing.has(videoId)) throw refusal('VIDEO_NOT_FOUND');
        return { language: 'en' };
      },
    });
    const { jobId } = await world.process.start(callOf('start'), wantedOf(2));
    const [first, second] = addressesOf(jobId, 2);
    assert(first && second);
    await world.process.extract(first, { signal });
    const retry = callOf('retry');
    await assert.rejects(afterReserving(world, dies).retry(retry, { jobId }), Killed);

    failing.add(videoIdOf(1));
    await world.process.extract(second, { signal });
    failing.clear();
    await world.process.retry(retry, { jobId });
    for (const address of [first, second]) await world.process.extract(address, { signal });

    const { counts } = await foldJob(world.log, jobId);
    assert.deepEqual(counts, { complete: 2, failed: 0, creditsCharged: 2 });
  });

  it('pay for a retry whose call runs twice at the same time', async () => {
    let isThere = false;
    const world = jobFixture({
      read: async () => {
        if (!isThere) throw refusal('VIDEO_NOT_FOUND');
        return { language: 'en' };
      },
    });
    const { jobId } = await world.process.start(callOf('start'), wantedOf(1));
    const [only] = addressesOf(jobId, 1);
    assert(only);
    await world.process.extract(only, { signal });

    const retry = callOf('retry');
    const suspended = afterReserving(world, async () => {
      await world.process.retry(retry, { jobId });
    });
    const told = await suspended.retry(retry, { jobId });
    assert.deepEqual(told, { run: 2, itemIds: [only.itemId], wasOver: true });

    isThere = true;
    await world.process.extract(only, { signal });
    const { counts } = await foldJob(world.log, jobId);
    assert.deepEqual(counts, { complete: 1, failed: 0, creditsCharged: 1 });
  });
});
