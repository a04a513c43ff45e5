import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { memoryLimiter } from '#src/adapters/memory/limiter-memory.ts';
import { redisLimiter } from '#src/adapters/redis/limiter-redis.ts';
import { systemClock as clock } from '#src/kernel/clock.ts';

const url = process.env['TEST_REDIS_URL'] ?? '';

const open = async () => {
  const failures: Error[] = [];
  const limiter = redisLimiter({
    url,
    clock,
    insurance: memoryLimiter({ clock }),
    nodes: 2,
    onFailure: (error) => failures.push(error),
  });
  await limiter.ready();
  return { limiter, failures, [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose]() };
};

const administration = () => {
  const client = new Redis(url);
  return { client, [Symbol.dispose]: () => client.disconnect() };
};

describe('limits in a real Redis', () => {
  it('allow two processes together as many requests as one limit, and say how many are left', async () => {
    await using one = await open();
    await using other = await open();
    const window = { key: `test:${randomUUID()}`, limit: 100, windowS: 3_600 };

    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, n) => (n % 2 === 0 ? one : other).limiter.consume(window)),
    );

    const allowed = verdicts.filter(({ isAllowed }) => isAllowed);
    assert.equal(allowed.length, 100);
    assert.deepEqual(
      allowed.map(({ remaining }) => remaining).toSorted((a, b) => a - b),
      Array.from({ length: 100 }, (_, n) => n),
    );
    assert.deepEqual([...one.failures, ...other.failures], []);
  });

  it('leave nothing behind when their window is over', async () => {
    await using node = await open();
    using admin = administration();
    const key = `test:${randomUUID()}`;
    await node.limiter.consume({ key, limit: 5, windowS: 1 });
    assert.equal((await admin.client.keys(`*${key}*`)).length, 1);
    await pause(1_500);
    assert.equal((await admin.client.keys(`*${key}*`)).length, 0);
  });

  it('are counted on after Redis forgot its scripts, and after it closed every connection', async () => {
    await using node = await open();
    using admin = administration();
    const window = { key: `test:${randomUUID()}`, limit: 3, windowS: 3_600 };
    await node.limiter.consume(window);

    await admin.client.script('FLUSH');
    assert.equal((await node.limiter.consume(window)).remaining, 1);
    await admin.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await pause(1_500);
    await node.limiter.ready();
    assert.equal((await node.limiter.consume(window)).remaining, 0);
    assert.equal((await node.limiter.consume(window)).isAllowed, false);
  });
});
