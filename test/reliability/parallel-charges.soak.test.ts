import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { clientOf, startTestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { inParallel, statuses } from '#test/support/parallel-requests.ts';
import { startProgram } from '#test/support/program.ts';
import { testRedis } from '#test/support/redis.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';

const path = `/v1/transcripts/${samples.prose}`;

describe('400 charges of one account over two processes', () => {
  it('are exactly as many as there are credits, and no response is a fault', async () => {
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
