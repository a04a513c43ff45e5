import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bearer, errorOf, holder, readReceipt, startEdge, transcript } from '#test/support/http.ts';

const path = '/v1/transcripts/x';
const commands = { readTranscript: async () => ({ ...readReceipt, transcript, text: null }) };
/** A quarter past a minute, and 12 s before the next. */
const at = (seconds: number) => () => new Date(1_800_000_000_000 + seconds * 1000);

describe('the rate limit of a key', () => {
  // S57: a burst over many sockets and processes
  it('accepts exactly its limit in a burst over many sockets, and refuses the rest at once', async () => {
    let charges = 0;
    await using edge = await startEdge({
      clock: at(48),
      commands: {
        readTranscript: async () => {
          charges += 1;
          return { ...readReceipt, transcript, text: null };
        },
      },
    });
    const answers = await Promise.all(Array.from({ length: 360 }, () => edge.get(path)));
    const byStatus = Map.groupBy(answers, ({ status }) => status);
    assert.equal(byStatus.get(200)?.length, 120);
    assert.equal(byStatus.get(429)?.length, 240);
    assert.equal(charges, 120);
    const left = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    assert.deepEqual(new Set(left), new Set(Array.from({ length: 120 }, (_, n) => n)));
  });

  it('returns the remaining requests and the end of the minute in both families of headers', async () => {
    await using edge = await startEdge({ clock: at(48), commands });
    const { headers } = await edge.get(path);
    assert.equal(headers.get('x-ratelimit-limit'), '120');
    assert.equal(headers.get('x-ratelimit-remaining'), '119');
    assert.equal(headers.get('x-ratelimit-reset'), '1800000060');
    assert.equal(headers.get('ratelimit-policy'), '"key";q=120;w=60');
    assert.equal(headers.get('ratelimit'), '"key";r=119;t=12');
  });

  it('answers 429 with when to come back, charges nothing and counts no failure', async () => {
    await using edge = await startEdge({
      clock: at(48),
      commands,
      queries: { findKeyHolder: async () => ({ ...holder, limitPerMinute: 1 }) },
    });
    await edge.get(path);
    const answer = await edge.get(path);
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('retry-after'), '12');
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(answer.headers.get('x-credits-charged'), '0');
    const { code, details } = await errorOf(answer);
    assert.equal(code, 'RATE_LIMITED');
    assert.deepEqual(details, { policy: 'key', limit: 1, reset: 1_800_000_060 });
    assert.equal(edge.failures.length, 0);
  });

  // S59: the boundary between two minutes
  it('starts over with each minute of the clock', async () => {
    let seconds = 59.9;
    await using edge = await startEdge({
      clock: () => at(seconds)(),
      commands,
      queries: { findKeyHolder: async () => ({ ...holder, limitPerMinute: 1 }) },
    });
    const before = await edge.get(path);
    assert.equal(before.status, 200);
    assert.equal(before.headers.get('x-ratelimit-reset'), '1800000060');
    seconds = 60.1;
    const afterwards = await edge.get(path);
    assert.equal(afterwards.status, 200);
    assert.equal(afterwards.headers.get('x-ratelimit-reset'), '1800000120');
  });

  // S58: two keys of one account
  it('is separate for each key of an account', async () => {
    await using edge = await startEdge({
      clock: at(0),
      commands,
      queries: { findKeyHolder: async (secret) => ({ ...holder, keyId: secret, limitPerMinute: 1 }) },
    });
    assert.equal((await edge.get(path, { 'X-API-Key': 'one' })).status, 200);
    assert.equal((await edge.get(path, { 'X-API-Key': 'two' })).status, 200);
    assert.equal((await edge.get(path, { 'X-API-Key': 'one' })).status, 429);
  });

  it('counts requests that are refused later: a 400, a 402, a 403', async () => {
    await using edge = await startEdge({ clock: at(0), commands });
    await edge.get(`${path}?format=pdf`);
    const { headers } = await edge.get(path);
    assert.equal(headers.get('x-ratelimit-remaining'), '118');
  });
});

describe('the rate limit of an address', () => {
  // S7: 200 wrong keys from one address
  it('answers 60 bad keys a minute with 401, and the others with 429', async () => {
    await using edge = await startEdge({ clock: at(30), commands });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => edge.get(path, { 'X-API-Key': `bad-${n}` })),
    );
    const byStatus = Map.groupBy(answers, ({ status }) => status);
    assert.equal(byStatus.get(401)?.length, 60);
    assert.equal(byStatus.get(429)?.length, 140);
    const refused = byStatus.get(429)?.[0];
    assert.ok(refused);
    assert.equal(refused.headers.get('retry-after'), '30');
    assert.deepEqual((await errorOf(refused)).details, { policy: 'ip', limit: 60, reset: 1_800_000_060 });
    assert.equal((await edge.get(path, bearer)).status, 200);
    assert.equal((await edge.get('/api/status', {})).status, 200);
  });

  it('counts unknown addresses and wrong methods too', async () => {
    await using edge = await startEdge({ clock: at(30) });
    await edge.get('/nothing', {});
    await fetch(`${edge.url}/v1/usage`, { method: 'PUT' });
    const { headers } = await edge.get('/v1/usage', {});
    assert.equal(headers.get('x-ratelimit-remaining'), '57');
  });

  it('cannot be escaped by a forged X-Forwarded-For', async () => {
    await using edge = await startEdge({ clock: at(30) });
    await edge.get('/nothing', { 'X-Forwarded-For': '1.1.1.1' });
    const { headers } = await edge.get('/nothing', { 'X-Forwarded-For': '2.2.2.2' });
    assert.equal(headers.get('x-ratelimit-remaining'), '58');
  });

  it('is that of the client behind a trusted proxy', async () => {
    await using edge = await startEdge({ clock: at(30), settings: { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] } });
    const left = async (forwarded: string) =>
      (await edge.get('/nothing', { 'X-Forwarded-For': forwarded })).headers.get('x-ratelimit-remaining');
    assert.equal(await left('1.1.1.1'), '59');
    assert.equal(await left('9.9.9.9, 1.1.1.1, 10.1.2.3'), '58');
    assert.equal(await left('2001:db8:0:1::1'), '59');
    assert.equal(await left('2001:db8:0:1:ffff::2'), '58');
    assert.equal(await left('2001:db8:0:2::1'), '59');
    assert.equal(await left('nonsense'), '59');
  });
});
