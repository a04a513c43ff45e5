import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { clientOf, startTestApp, type TestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { startProgram } from '#test/support/program.ts';
import { testRedis } from '#test/support/redis.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';

type Outcome = { readonly status: number; readonly event: string | null; readonly ms: number };

/** All at once; the bodies are read, so that an answer counts as received. */
const inParallel = (count: number, ask: (n: number) => Promise<Response>): Promise<Outcome[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const started = performance.now();
      const answer = await ask(n);
      await answer.arrayBuffer();
      const event = answer.headers.get('X-Credits-Event');
      return { status: answer.status, event, ms: performance.now() - started };
    }),
  );

const statuses = (seen: readonly Outcome[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of seen) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const path = `/v1/transcripts/${samples.prose}`;

describe('many charges of one account at the same time', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  // S60: a race for the last credits
  it('succeed exactly 10 of 100 times if 10 credits are left, each with its own event', async () => {
    const { accountId, key } = await app.createAccount({ plan: 'pro', credits: 10 });
    const seen = await inParallel(100, () => app.get(path, { key }));
    assert.deepEqual(statuses(seen), { 200: 10, 402: 90 });
    const charges = await chargesOf(app.databaseUrl, accountId);
    assert.deepEqual(seen.flatMap(({ event }) => event ?? []).sort(), charges.map(({ eventId }) => eventId).sort());
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.equal(usage.credits_remaining, 0);
  });

  it('request the platform twice for fifty concurrent first reads of one video, and charge fifty', async () => {
    const { accountId, key } = await app.createAccount({ plan: 'pro' });
    const first = `/v1/transcripts/${samples.slow}`;
    const asked = app.simulator.requests.length;
    const seen = await inParallel(50, () => app.get(first, { key }));
    assert.deepEqual(statuses(seen), { 200: 50 });
    assert.equal(app.simulator.requests.length - asked, 2);
    assert.equal((await chargesOf(app.databaseUrl, accountId)).length, 50);
    assert.equal(new Set(seen.map(({ event }) => event)).size, 50);
  });

  it('are one charge when all come under one Idempotency-Key', async () => {
    const { accountId, key } = await app.createAccount({ plan: 'pro' });
    const headers = { 'Idempotency-Key': 'once' };
    const seen = await inParallel(20, () => app.get(path, { key, headers }));
    const { 200: answered = 0, 409: busy = 0 } = statuses(seen);
    assert.ok(answered >= 1);
    assert.equal(answered + busy, 20);
    assert.equal((await chargesOf(app.databaseUrl, accountId)).length, 1);
    const again = await app.get(path, { key, headers });
    assert.equal(again.headers.get('Idempotent-Replayed'), 'true');
  });

  it('of two accounts do not affect each other', async () => {
    const one = await app.createAccount({ plan: 'pro', credits: 5 });
    const other = await app.createAccount({ plan: 'pro', credits: 40 });
    const seen = await inParallel(60, (n) => app.get(path, { key: n % 2 === 0 ? one.key : other.key }));
    assert.deepEqual(statuses(seen), { 200: 35, 402: 25 });
    assert.equal((await chargesOf(app.databaseUrl, other.accountId)).length, 30);
  });
});

describe('400 charges of one account over two processes', () => {
  it('are exactly as many as there are credits, and no answer is a fault', async () => {
    await using redis = await testRedis(() => Date.now());
    const environment = { REDIS_URL: redis.url };
    await using app = await startTestApp({ environment });
    await using other = startProgram(['api'], app.environment);
    const beside = clientOf(await other.ready);
    const { accountId, key } = await app.createAccount({ plan: 'scale', credits: 150 });
    await Promise.all([app.get(path, { key }), beside.get(path, { key })]);

    const seen = await inParallel(400, (n) => (n % 2 === 0 ? app : beside).get(path, { key }));
    const { 200: charged = 0, 402: refused = 0, 503: later = 0, ...rest } = statuses(seen);
    assert.deepEqual(rest, {});
    assert.equal(charged + refused + later, 400);
    const charges = await chargesOf(app.databaseUrl, accountId);
    // A 503 may have been charged or not; every other answer says which, and nothing goes below zero.
    assert.ok(charges.length >= charged + 2 && charges.length <= 150);
    if (later === 0) assert.deepEqual([charged, refused, charges.length], [148, 252, 150]);
    const events = new Set(charges.map(({ eventId }) => eventId));
    assert.ok(seen.every(({ event }) => event === null || events.has(event)));
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.equal(usage.credits_remaining, 150 - charges.length);
  });
});
