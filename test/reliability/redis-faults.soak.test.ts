import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { type RedisMode, type TestRedis, testRedis } from '#test/support/redis.ts';
import { refusalIn } from '#test/support/response-json.ts';

let redis: TestRedis;
let app: TestApp;

/** The limit of the plan, and the share of it that a process counts alone while Redis is away. */
const [limit, share] = ['240', '120'];

/** Waiting for Redis one behind the other takes three times as long, and waiting for an answer that never comes no end. */
const soonMs = 5_000;

/** So many at once; each is served, with what is left of its limit, and none waits for Redis for long. */
const served = async (key: string, count: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const started = performance.now();
      const answer = await app.get('/v1/ledger?limit=1', { key });
      const ms = performance.now() - started;
      assert.equal(answer.status, 200, await answer.text());
      assert.ok([limit, share].includes(answer.headers.get('X-RateLimit-Limit') ?? ''));
      assert.match(answer.headers.get('X-RateLimit-Remaining') ?? '', /^\d+$/);
      assert.match(answer.headers.get('X-RateLimit-Reset') ?? '', /^\d{10}$/);
      assert.ok(ms < soonMs, `an answer took ${ms} ms`);
    }),
  );
};

/** A job of one video; who makes it does not wait for Redis for long either. */
const jobMade = async (key: string): Promise<string> => {
  const started = performance.now();
  const made = await app.post('/v1/jobs', { ids: [generatedId('vid', 5)] }, { key });
  const ms = performance.now() - started;
  assert.equal(made.status, 202, await made.clone().text());
  assert.ok(ms < soonMs, `making a job took ${ms} ms`);
  return ((await made.json()) as { job_id: string }).job_id;
};

/** Resolves once Redis counts (again): it is tried once a second after a failure. */
const counting = async (key: string): Promise<void> => {
  const started = performance.now();
  for (;;) {
    assert.ok(performance.now() - started < 60_000, 'Redis does not count again within a minute');
    const answer = await app.get('/v1/ledger?limit=1', { key });
    await answer.arrayBuffer();
    if (answer.headers.get('X-RateLimit-Limit') === limit) return;
    await pause(100);
  }
};

describe('Redis that', () => {
  before(async () => {
    redis = await testRedis(() => Date.now());
    app = await startTestApp({ environment: { REDIS_URL: redis.url } });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  const modes: readonly (readonly [string, Exclude<RedisMode, 'well'>])[] = [
    ['answers after half a second', 'slow'],
    ['does not answer', 'mute'],
    ['says nothing on any connection', 'half_open'],
    ['refuses to write', 'readonly'],
  ];
  for (const [what, mode] of modes) {
    it(`${what} prevents no request from being served and counted, and no job from being created and watched`, async () => {
      const { key } = await app.createAccount({ plan: 'starter' });
      await counting(key);
      redis.mode = mode;
      await served(key, 30);
      const [before, from] = [redis.asked(), performance.now()];
      await served(key, 30);
      const jobId = await jobMade(key);
      const job = await over(app, key, jobId);
      assert.deepEqual([job.status, job.completed_items], ['completed', 1]);
      // One request a second tries whether Redis is back; the others do not line up behind it.
      const most = 3 + (2 * (performance.now() - from)) / 1_000;
      assert.ok(redis.asked() - before <= most, `${redis.asked() - before} asked Redis`);
      redis.mode = 'well';
      await counting(key);
    });
  }

  it('has failed over prevents no request from being served, and counts at the new primary', async () => {
    const { key } = await app.createAccount({ plan: 'starter' });
    await counting(key);
    redis.mode = 'failed_over';
    await served(key, 30);
    await counting(key);
    redis.mode = 'well';
  });

  it('is unavailable leaves the share of this process as the limit', async () => {
    const { key } = await app.createAccount();
    await redis.stop();
    const answers = await Promise.all(Array.from({ length: 150 }, () => app.get('/v1/ledger?limit=1', { key })));
    const windows = Map.groupBy(answers, ({ headers }) => headers.get('X-RateLimit-Reset'));
    for (const counted of windows.values()) {
      const refused = counted.filter(({ status }) => status !== 200);
      assert.equal(refused.length, Math.max(0, counted.length - 60));
      for (const answer of refused) {
        assert.deepEqual(await refusalIn(answer), [429, 'RATE_LIMITED', '0']);
      }
    }
    const ready = await app.get('/api/health/ready');
    assert.equal(ready.status, 200, await ready.text());
    await redis.start();
    const { key: next } = await app.createAccount({ plan: 'starter' });
    await counting(next);
  });
});
