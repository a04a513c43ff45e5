import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { inParallel, statuses } from '#test/support/parallel-requests.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';

const path = `/v1/transcripts/${samples.prose}`;

describe('many charges of one account at the same time', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  // S60: a race for the last credits
  it('succeed exactly 10 of 40 times if 10 credits are left, each with its own event', async () => {
    const { accountId, key } = await app.createAccount({ plan: 'pro', credits: 10 });
    const seen = await inParallel(40, () => app.get(path, { key }));
    assert.deepEqual(statuses(seen), { 200: 10, 402: 30 });
    const charges = await chargesOf(app.databaseUrl, accountId);
    assert.deepEqual(seen.flatMap(({ event }) => event ?? []).sort(), charges.map(({ eventId }) => eventId).sort());
    const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
    assert.equal(usage.credits_remaining, 0);
  });

  it('request the platform twice for twenty concurrent first reads of one video, and charge twenty', async () => {
    const { accountId, key } = await app.createAccount({ plan: 'pro' });
    const first = `/v1/transcripts/${samples.slow}`;
    const asked = app.simulator.requests.length;
    const seen = await inParallel(20, () => app.get(first, { key }));
    assert.deepEqual(statuses(seen), { 200: 20 });
    assert.deepEqual(
      app.simulator.requests.slice(asked).map(({ endpoint, videoId }) => ({ endpoint, videoId })),
      ['reel', 'timedtext'].map((endpoint) => ({ endpoint, videoId: samples.slow })),
    );
    assert.equal((await chargesOf(app.databaseUrl, accountId)).length, 20);
    assert.equal(new Set(seen.map(({ event }) => event)).size, 20);
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
