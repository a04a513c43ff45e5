import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { jsonIn, refusalIn, type UsageJson } from '#test/support/response-json.ts';

let app: TestApp;

const today = (): string => new Date().toISOString().slice(0, 10);

describe('usage and credits over HTTP', () => {
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  describe('GET /v1/usage', () => {
    it('shows every field of an account that has used nothing', async () => {
      const { key } = await app.createAccount();
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage?days=2', { key }));
      const { daily, ...rest } = usage;
      assert.deepEqual(rest, {
        plan: 'free',
        credits_remaining: 10_000,
        credits_reserved: 0,
        rate_limit_per_min: 120,
        unlimited: false,
        period_days: 2,
        requests: 0,
        successful: 0,
        failed: 0,
        credits_used: 0,
        by_tag: [],
        by_kind: [],
      });
      assert.deepEqual(
        daily.map(({ count }) => count),
        [0, 0],
      );
    });

    it('never meets an account without a book: both are stored in one transaction', async () => {
      const { accountId } = await app.createAccount();
      const { rows } = await app.core.pool.query<{ account_id: string; books: number }>(
        `SELECT account.data ->> 'accountId' AS account_id, count(book.position)::int AS books
       FROM es_event AS account
       LEFT JOIN es_event AS book ON book.type = 'BookOpened' AND book.xmin = account.xmin
         AND book.data ->> 'accountId' = account.data ->> 'accountId'
       WHERE account.type = 'AccountRegistered'
       GROUP BY account_id`,
      );
      assert.ok(rows.some(({ account_id }) => account_id === accountId));
      assert.ok(rows.every(({ books }) => books === 1));
    });

    it('counts each request once, under its kind, after its response was sent', async () => {
      const { key } = await app.createAccount({ plan: 'pro' });
      const requests = [
        `/v1/transcripts/${samples.regional}`,
        `/v1/transcripts/${samples.regional}?format=srt`,
        `/v1/transcripts/${samples.regional}/raw`,
        `/v1/transcripts/${samples.regional}/languages`,
        `/v1/transcripts/${samples.deleted}`,
        `/v1/transcripts/${samples.regional}?format=pdf`,
      ];
      for (const path of requests) await app.get(path, { key });
      const ids = [samples.regional, samples.lyrics, samples.private];
      await app.post('/v1/transcripts', { ids }, { key });

      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
      assert.deepEqual(usage.by_kind, [
        { kind: 'batch', count: 1, credits: 2 },
        { kind: 'languages', count: 1, credits: 0 },
        { kind: 'raw', count: 1, credits: 1 },
        { kind: 'transcript', count: 4, credits: 2 },
      ]);
      assert.deepEqual(
        [usage.requests, usage.successful, usage.failed, usage.credits_used, usage.credits_remaining],
        [7, 5, 2, 5, 9_995],
      );
      assert.equal(usage.daily.length, 30);
      assert.deepEqual(usage.daily.at(-1), { day: today(), count: 7, credits: 5 });
      assert.equal(
        usage.daily.reduce((sum, { count }) => sum + count, 0),
        usage.requests,
      );
      assert.equal(
        usage.by_kind.reduce((sum, { credits }) => sum + credits, 0),
        usage.credits_used,
      );
    });

    it('shows a plan without included credits, and never refuses its requests', async () => {
      const { key } = await app.createAccount({ plan: 'enterprise' });
      const answer = await app.get(`/v1/transcripts/${samples.regional}`, { key });
      assert.equal(answer.status, 200);
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
      assert.deepEqual(
        [usage.plan, usage.credits_remaining, usage.credits_used, usage.rate_limit_per_min],
        ['enterprise', 0, 1, 3_000],
      );
    });

    it('shows one account nothing of another', async () => {
      const [one, other] = [await app.createAccount(), await app.createAccount()];
      await app.get(`/v1/transcripts/${samples.regional}`, { key: one.key });
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key: other.key }));
      assert.deepEqual([usage.requests, usage.credits_remaining], [0, 10_000]);
    });

    for (const days of ['0', '367', '-1', '1.5', '1e3', 'NaN', '10;', '9007199254740993']) {
      it(`refuses days=${days}`, async () => {
        const { key } = await app.createAccount();
        assert.deepEqual(await refusalIn(await app.get(`/v1/usage?days=${days}`, { key })), [
          400,
          'INVALID_REQUEST',
          '0',
        ]);
      });
    }
  });

  describe('credits that are used up', () => {
    it('are answered 402 without asking the platform, and count as a failed request', async () => {
      const { key } = await app.createAccount({ plan: 'starter', credits: 1 });
      const path = `/v1/transcripts/${samples.prose}`;
      assert.equal((await app.get(path, { key })).status, 200);
      const asked = app.simulator.requests.length;
      assert.deepEqual(await refusalIn(await app.get(path, { key })), [402, 'INSUFFICIENT_CREDITS', '0']);
      assert.equal(app.simulator.requests.length, asked);
      const free = await app.get(`${path}/languages`, { key });
      assert.equal(free.status, 200);
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
      assert.deepEqual([usage.credits_remaining, usage.failed], [0, 1]);
    });
  });
});
