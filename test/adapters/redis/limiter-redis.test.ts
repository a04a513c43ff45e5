import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryLimiter } from '#src/adapters/memory/limiter-memory.ts';
import { redisLimiter } from '#src/adapters/redis/limiter-redis.ts';
import type { Verdict } from '#src/kernel/limiter.ts';
import { type TestRedis, testRedis } from '#test/support/redis.ts';

const now = new Date('2026-11-21T10:00:48.000Z');
const clock = () => now;
const window = { key: 'key:1', limit: 10, windowS: 60 };

const open = async (redis: TestRedis, nodes = 1) => {
  const failures: Error[] = [];
  const limiter = redisLimiter({
    url: redis.url,
    clock,
    insurance: memoryLimiter({ clock }),
    nodes,
    onFailure: (error) => failures.push(error),
  });
  await limiter.ready();
  return { limiter, failures, [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose]() };
};

const many = (limiter: { consume: (one: typeof window) => Verdict | Promise<Verdict> }, times: number) =>
  Promise.all(Array.from({ length: times }, async () => limiter.consume(window)));

const allowed = (verdicts: readonly Verdict[]) => verdicts.filter(({ isAllowed }) => isAllowed);

/** From here on time stands, and passes as the test says: on a busy machine an answer that came at once may be late. */
const standStill = ({ mock }: TestContext) => {
  let elapsedMs = performance.now();
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => elapsedMs);
  return {
    pass: (ms: number): void => {
      elapsedMs += ms;
      mock.timers.tick(ms);
    },
  };
};

describe('limits counted in Redis', () => {
  it('are exact for several processes together', async (context) => {
    await using redis = await testRedis(() => now.getTime());
    await using one = await open(redis);
    await using other = await open(redis);
    standStill(context);
    const verdicts = [...(await many(one.limiter, 15)), ...(await many(other.limiter, 15))];
    assert.equal(allowed(verdicts).length, 10);
    assert.deepEqual(verdicts[0], { isAllowed: true, limit: 10, remaining: 9, resetAt: 1_795_255_260, resetInS: 12 });
  });

  /** Lets everything happen that waits for no timer. */
  const settle = async (until: () => boolean): Promise<void> => {
    for (let turns = 0; turns < 200 || !until(); turns += 1) {
      assert.ok(turns < 20_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  for (const mode of ['slow', 'mute', 'half_open'] as const) {
    it(`are insured by this node's share while Redis is ${mode}: 100 ms are waited, no less and no more, and nothing piles up behind`, async (context) => {
      await using redis = await testRedis(() => now.getTime());
      await using node = await open(redis, 2);
      await node.limiter.consume({ ...window, key: 'warm' });
      const time = standStill(context);
      const before = redis.asked();
      redis.mode = mode;
      let answered = 0;
      const waiting = many(node.limiter, 50).then((verdicts) => {
        answered = verdicts.length;
        return verdicts;
      });
      await settle(() => redis.asked() - before === 50);
      time.pass(99);
      await settle(() => true);
      assert.equal(answered, 0);
      time.pass(1);
      const verdicts = await waiting;
      assert.equal(allowed(verdicts).length, 5);
      assert.equal(verdicts[0]?.limit, 5);

      const later = await many(node.limiter, 500);
      assert.equal(allowed(later).length, 0);
      assert.equal(redis.asked() - before, 50, 'nobody else asks Redis, or waits for it');
      assert.equal(node.failures.length, 1);
    });
  }

  it('are those of Redis if its answer has arrived and only this process has not read it', async (context) => {
    await using redis = await testRedis(() => now.getTime());
    await using node = await open(redis, 2);
    await node.limiter.consume({ ...window, key: 'warm' });
    const time = standStill(context);
    const before = redis.asked();
    const waiting = node.limiter.consume(window);
    // In the turn in which Redis writes its answer, nobody can have read it.
    while (redis.asked() === before) await new Promise((resolve) => setImmediate(resolve));
    time.pass(1_000);
    assert.equal((await waiting).limit, 10);
    assert.deepEqual(node.failures, []);
  });

  it('do not wait for a Redis that refuses writes', async (context) => {
    await using redis = await testRedis(() => now.getTime());
    await using node = await open(redis, 2);
    standStill(context);
    redis.mode = 'readonly';
    assert.equal(allowed(await many(node.limiter, 50)).length, 5);
    const asked = redis.asked();
    await many(node.limiter, 500);
    assert.equal(redis.asked(), asked);
    assert.equal(node.failures.length, 1);
  });

  for (const [version, refusal] of [
    [7, "READONLY You can't write against a read only replica. script: a1de, on @user_script:1."],
    [
      6,
      "ERR Error running script (call to f_a1de): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
    ],
  ] as const) {
    it(`are insured when Redis ${version} has failed over, and shared again by who has taken over its name`, async () => {
      await using redis = await testRedis(() => now.getTime());
      await using node = await open(redis, 2);
      await node.limiter.consume({ ...window, key: 'warm' });
      redis.refusal = refusal;
      redis.mode = 'failed_over';
      assert.equal(allowed(await many(node.limiter, 8)).length, 5);
      assert.deepEqual(
        node.failures.map(({ message }) => message),
        [refusal],
      );

      const started = performance.now();
      while ((await node.limiter.consume(window)).limit !== window.limit) {
        assert.ok(performance.now() - started < 5_000, 'it still asks the primary of before');
        await pause(50);
      }
    });
  }

  it('fall back to this process while Redis is down, and are shared again once it is back', async (context) => {
    await using redis = await testRedis(() => now.getTime());
    await using node = await open(redis, 2);
    await redis.stop();
    assert.equal(allowed(await many(node.limiter, 8)).length, 5);
    assert.equal(node.failures.length, 1);

    await redis.start();
    await node.limiter.ready();
    standStill(context).pass(1_000);
    assert.equal((await node.limiter.consume(window)).limit, 10);
  });
});
