import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { type Client, clientOf, startTestApp, type TestApp } from '#test/support/app.ts';
import { messagesOf } from '#test/support/job-watch.ts';
import * as oauth from '#test/support/oauth.ts';
import { type Running, startProgram } from '#test/support/program.ts';
import { type TestRedis, testRedis } from '#test/support/redis.ts';
import { jsonIn, refusalIn, type UsageJson } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

let redis: TestRedis;
let one: TestApp;
let program: Running;
let other: Client;
let otherUrl: string;

/** Signs in as a browser does; the answer is the cookie. */
const signedIn = async (email: string, password: string): Promise<string> => {
  const answer = await one.post('/api/auth/login', { email, password });
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
};

describe('two processes that share Postgres and Redis', () => {
  before(async () => {
    redis = await testRedis(() => Date.now());
    one = await startTestApp({ environment: { REDIS_URL: redis.url } });
    // Tokens are good at one address of `/mcp`, whichever process is asked.
    program = startProgram(['api'], { ...one.environment, PUBLIC_URL: one.url });
    otherUrl = await program.ready;
    other = clientOf(otherUrl);
  });
  after(async () => {
    await program[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  describe('two API processes on one database', { concurrency: true }, () => {
    it('read a transcript from the platform once, and charge it in the process that was asked', async () => {
      const { key } = await one.createAccount({ plan: 'starter', credits: 3 });
      const path = `/v1/transcripts/${samples.prose}`;
      assert.equal((await one.get(path, { key })).status, 200);
      const asked = one.simulator.requests.filter(({ videoId }) => videoId === samples.prose).length;
      assert.equal((await other.get(path, { key })).status, 200);
      assert.equal((await one.get(path, { key })).status, 200);
      assert.deepEqual(await refusalIn(await other.get(path, { key })), [402, 'INSUFFICIENT_CREDITS', '0']);
      assert.equal(one.simulator.requests.filter(({ videoId }) => videoId === samples.prose).length, asked);
      for (const { get } of [one, other]) {
        const usage = await jsonIn<UsageJson>(await get('/v1/usage', { key }));
        assert.deepEqual([usage.credits_remaining, usage.credits_used], [0, 1_000]);
      }
    });

    it('give one response to one Idempotency-Key, whichever is asked', async () => {
      const { key } = await one.createAccount();
      const asked = { key, headers: { 'Idempotency-Key': 'moved' } };
      const path = `/v1/transcripts/${samples.regional}`;
      const first = await one.get(path, asked);
      const second = await other.get(path, asked);
      assert.equal(await second.text(), await first.text());
      assert.equal(second.headers.get('Idempotent-Replayed'), 'true');
      assert.equal(second.headers.get('X-Credits-Event'), first.headers.get('X-Credits-Event'));
    });

    // S57: a burst over many sockets and processes
    it('share the rate limit of a key: in each minute exactly as many as the plan allows', async () => {
      const { key } = await one.createAccount();
      const answers: Response[] = [];
      for (let n = 0; n < 26; n += 1) {
        const few = [one, other, one, other, one].map(({ get }) => get('/v1/ledger?limit=1', { key }));
        answers.push(...(await Promise.all(few)));
      }
      // A machine that is busy may keep Redis from answering in time; then a process counts its share alone.
      const together = answers.filter(({ headers }) => headers.get('X-RateLimit-Limit') === '120');
      const windows = Map.groupBy(together, ({ headers }) => headers.get('X-RateLimit-Reset'));
      for (const counted of windows.values()) {
        const accepted = counted.filter(({ status }) => status === 200);
        assert.ok(accepted.length <= 120);
        if (together.length === answers.length) {
          assert.equal(accepted.length, Math.min(120, counted.length));
        }
        for (const answer of counted.filter((one) => !accepted.includes(one))) {
          assert.match(answer.headers.get('Retry-After') ?? '', /^[1-9]\d?$/);
          assert.equal(answer.headers.get('X-RateLimit-Remaining'), '0');
          assert.deepEqual(await refusalIn(answer), [429, 'RATE_LIMITED', '0']);
        }
      }
    });

    // S85: cancelling calls of other keys
    it('cancel a call of /mcp that the other one works on, for its own key only', async () => {
      const [mine, foreign] = [await one.createAccount(), await one.createAccount()];
      const params = { name: 'get_transcript', arguments: { video_id: samples.slow } };
      const call = { jsonrpc: '2.0', id: 'same', method: 'tools/call', params };
      const kept = other.post('/mcp', call, foreign);
      let isOver = false;
      const cancelled = other.post('/mcp', call, mine).finally(() => {
        isOver = true;
      });
      const cancellation = { ...{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } } };
      // Nobody tells from when on the call is under way.
      while (!isOver) {
        assert.equal((await one.post('/mcp', cancellation, mine)).status, 202);
        await pause(50);
      }
      const answer = await cancelled;
      assert.deepEqual([answer.status, await answer.text()], [202, '']);
      assert.equal((await kept).headers.get('X-Credits-Charged'), '1');
      const usage = await jsonIn<UsageJson>(await one.get('/v1/usage', mine));
      assert.equal(usage.credits_used, 0);
    });

    // S2: a revoked key, in another process too
    it('both refuse a key within one second after it was revoked', async () => {
      const [email, password] = ['revoker@example.com', 'a long enough passphrase'];
      const created = await operate(
        one.environment,
        ...['account', 'create', '--email', email, '--password', password, '--json'],
      );
      const { api_key: key } = JSON.parse(created.stdout);
      const isGood = async ({ get }: Client) => (await get('/v1/usage', { key })).status === 200;
      assert.deepEqual([await isGood(one), await isGood(other)], [true, true]);

      const headers = { Cookie: await signedIn(email, password) };
      const { keys } = await jsonIn<{ keys: { id: string }[] }>(await one.get('/api/account/keys', { headers }));
      const revoked = await fetch(`${one.url}/api/account/keys/${keys[0]?.id}`, {
        method: 'DELETE',
        headers: { 'Content-Type': 'application/json', ...headers },
      });
      assert.equal(revoked.status, 204, await revoked.text());
      assert.equal(await isGood(one), false);
      await pause(1_000);
      assert.deepEqual(await refusalIn(await other.get('/v1/usage', { key })), [401, 'INVALID_API_KEY', null]);
    });

    // S98: an authorization that ends during a call, that another account ends
    it('both refuse the token of an application within one second after its authorization ended', async () => {
      const { browser, accountId } = await oauth.signedInOwner(one);
      const { access_token: token } = await oauth.authorized(one.url, browser);
      const statusAt = async (url: string): Promise<number> =>
        (await oauth.callTool(url, token, 'get_video', { video_id: samples.prose })).status;
      assert.deepEqual([await statusAt(one.url), await statusAt(otherUrl)], [200, 200]);
      const [grant] = await one.core.queries.grants(accountId);
      const ended = await browser.ask(`/api/account/grants/${grant?.authorizationId}`, { method: 'DELETE' });
      assert.equal(ended.status, 204);
      assert.equal(await statusAt(one.url), 401);
      await pause(1_000);
      assert.equal(await statusAt(otherUrl), 401);
    });

    it('refuse to start a third one that would count rate limits separately', async () => {
      const alone = startTestApp({ database: { url: one.databaseUrl }, simulator: one.simulator });
      await assert.rejects(alone, /each would count rate limits for itself; set REDIS_URL/);
    });
  });

  describe('a job that is watched', () => {
    it('continues without a gap on another process when the streaming process ends', async () => {
      const environment = { ROLE: 'api', REDIS_URL: redis.url };
      const database = { url: one.databaseUrl };
      const leaving = await startTestApp({ database, simulator: one.simulator, environment });
      one.simulator.plan({ endpoint: 'reel', times: 40, does: { kind: 'delay', ms: 200 } });
      const { key } = await one.createAccount();
      const ids = Array.from({ length: 40 }, (_, index) => generatedId('vid', 500 + index));
      const job = await one.post('/v1/jobs', { ids }, { key });
      const { job_id: jobId } = (await job.json()) as { job_id: string };

      const seen: string[] = [];
      let end: PromiseLike<void> | null = null;
      const startedAt = performance.now();
      for await (const { id } of messagesOf(leaving, key, jobId)) {
        seen.push(id);
        end ??= leaving[Symbol.asyncDispose]();
      }
      await end;
      assert.ok(performance.now() - startedAt < 10_000, 'a stream does not hold up the end');
      const seenThere = seen.length;
      for await (const { id } of messagesOf(one, key, jobId, seen.at(-1))) seen.push(id);

      const all: string[] = [];
      for await (const { id } of messagesOf(one, key, jobId)) all.push(id);
      assert.deepEqual(seen, all);
      assert.ok(seenThere > 0 && seenThere < all.length);
    });
  });
});
