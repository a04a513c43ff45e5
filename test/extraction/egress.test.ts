import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { profileOrder } from '#src/extraction/clients/client-order.ts';
import { playerProfiles } from '#src/extraction/clients/client-profiles.ts';
import { type EgressLimits, egressPool, limiter } from '#src/extraction/egress.ts';
import { PlatformFault } from '#src/extraction/platform.ts';

const limits: EgressLimits = { concurrency: 2, requestsPerSecond: null, burst: 1, queue: 2 };
const never = new AbortController().signal;
const settledOf = async (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

describe('one egress', () => {
  it('limits concurrent requests, and serves the queue in order', async () => {
    const way = limiter(limits);
    const [one, two] = await Promise.all([way.acquire(never), way.acquire(never)]);
    const three = way.acquire(never);
    const four = way.acquire(never);
    assert.equal(await settledOf(three), false);
    one[Symbol.dispose]();
    const releaseThree = await three;
    assert.equal(await settledOf(four), false);
    // A second call of the same release frees nothing.
    one[Symbol.dispose]();
    assert.equal(await settledOf(four), false);
    two[Symbol.dispose]();
    const releaseFour = await four;
    releaseThree[Symbol.dispose]();
    releaseFour[Symbol.dispose]();
    assert.equal(way.load(), 0);
  });

  it('refuses requests beyond its queue, and drops aborted ones', async () => {
    const way = limiter({ ...limits, concurrency: 1 });
    const release = await way.acquire(never);
    const caller = new AbortController();
    const leaving = way.acquire(caller.signal);
    const staying = way.acquire(never);
    await assert.rejects(way.acquire(never), (error) => error instanceof PlatformFault && error.kind === 'busy');
    caller.abort(new Error('gone'));
    await assert.rejects(leaving, /gone/);
    const late = way.acquire(never);
    release[Symbol.dispose]();
    (await staying)[Symbol.dispose]();
    (await late)[Symbol.dispose]();
    assert.equal(way.load(), 0);
  });

  it('keeps its rate after the burst', async () => {
    const way = limiter({ concurrency: 99, requestsPerSecond: 20, burst: 3, queue: 9 });
    const started = performance.now();
    for (let count = 0; count < 4; count += 1) await way.acquire(never);
    // Three at once, the fourth 50 ms after the first; a timer may end a millisecond early.
    assert.ok(performance.now() - started >= 48);
  });
});

describe('several egresses', () => {
  it('are chosen by load, and not used while the platform refuses them', async () => {
    let now = 0;
    const pool = egressPool(['a', 'b'], limits, () => now);
    const first = pool.choose();
    await first.limiter.acquire(never);
    const second = pool.choose();
    assert.notEqual(second.id, first.id);
    assert.equal(pool.penalize(second.id, 1_000), true);
    assert.equal(pool.choose().id, first.id);
    assert.equal(pool.penalize(first.id, 2_000), false);
    // None is open: the one that opens first.
    assert.equal(pool.choose().id, second.id);
    now = 3_000;
    assert.equal(pool.choose().id, second.id);
  });
});

describe('the order of clients', () => {
  it('puts one that fails repeatedly last for ten minutes, or until it works', () => {
    let now = 0;
    const order = profileOrder(playerProfiles, () => now);
    const ids = () => order.current().map(({ id }) => id);
    const [android] = playerProfiles;
    assert.ok(android);
    for (let count = 0; count < 3; count += 1) {
      assert.deepEqual(ids(), ['android', 'visionos', 'ios']);
      order.failed(android, 'client_retired');
    }
    assert.deepEqual(ids(), ['visionos', 'ios', 'android']);
    now = 10 * 60_000 + 1;
    assert.deepEqual(ids(), ['android', 'visionos', 'ios']);
    order.failed(android, 'client_retired');
    assert.deepEqual(ids(), ['visionos', 'ios', 'android']);
    order.worked(android);
    assert.deepEqual(ids(), ['android', 'visionos', 'ios']);
  });

  it('is not changed by failures of every client', () => {
    const order = profileOrder(playerProfiles);
    const [android] = playerProfiles;
    assert.ok(android);
    for (let count = 0; count < 9; count += 1) order.failed(android, 'bot_check');
    assert.equal(order.current()[0]?.id, 'android');
  });
});
