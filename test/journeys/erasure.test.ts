import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { extractItem } from '#src/jobs/extract-item.ts';
import type { JobCreated } from '#src/jobs/job.ts';
import { jobStreams } from '#src/jobs/job-streams.ts';
import { semaphore } from '#src/kernel/semaphore.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { over } from '#test/support/job-watch.ts';
import { browser } from '#test/support/journey.ts';
import { dumpOf, formsOf, plantedPassword } from '#test/support/leaks.ts';
import { startReceiver } from '#test/support/receiver.ts';

const password = plantedPassword('owner');

/** Makes what is shown once, twice under one Idempotency-Key, and finds none of it in a dump: all its forms. */
const onlyOnceShown = async (
  page: ReturnType<typeof browser>,
  databaseUrl: string,
): Promise<readonly [string, string][]> => {
  const wanted = [
    ['/api/account/keys', {}],
    ['/api/account/webhooks', { url: 'http://127.0.0.1:8003/hook' }],
    ['/api/account/webhooks/signing-secret/rotate', {}],
  ] as const;
  const forms: [string, string][] = [];
  for (const [path, body] of wanted) {
    const send = () => page.send('POST', path, { body, headers: { 'Idempotency-Key': 'once' } });
    const first = await (await send()).text();
    const again = await send();
    assert.equal(again.headers.get('idempotent-replayed'), 'true', `${path} ${first}`);
    assert.equal(await again.text(), first);
    const secret = /stn_live_\w{38}|whsec_[\w+/=]+/.exec(first)?.[0] ?? assert.fail(first);
    forms.push(...formsOf(secret).map((form): [string, string] => [path, form]));
  }
  const dump = await dumpOf(databaseUrl);
  for (const [path, form] of forms) {
    assert.equal(dump.find(({ text }) => text.includes(form))?.place, undefined, path);
  }
  return forms;
};

/** What only the person behind the account could have typed. */
const typed = /laptop-of-jo|jo-private|for-jo-only/;

let app: TestApp;

type Key = { readonly key: { readonly id: string; readonly fullKey: string } };

/** Somebody who is signed in, with one key. */
const signedIn = async (email: string, at = app) => {
  const page = browser([at.url]);
  const post = (path: string, body: object) => page.send('POST', path, { body });
  await page.json(201, post('/api/auth/register', { email, password, ...(await page.solved()) }));
  await page.json(200, post('/api/auth/login', { email, password }));
  const made = post('/api/account/keys', { name: 'laptop-of-jo' });
  return { page, post, first: (await page.json<Key>(201, made)).key };
};

/** Waits until so many transactions stand at a lock (of this kind). */
const standing = async (client: Client, count: number, what = 'true'): Promise<void> => {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND ${what}`,
    );
    if (rows.length === count) return;
    assert.ok(performance.now() < deadline, `${count} wait where ${what}`);
    await pause(20);
  }
};

/** While this is held, nobody keeps or erases words: each transaction stands where it comes to them. */
const holdWords = async (client: Client): Promise<void> => {
  await client.query('BEGIN');
  await client.query('LOCK TABLE account_words IN SHARE MODE');
};
const atWords = `wait_event = 'relation'`;

describe('erasing an account', () => {
  before(async () => {
    app = await startTestApp({ environment: { CAPTCHA_MIN_SOLVE_MS: '0', OUTBOUND_ALLOW: '127.0.0.0/8' } });
  });
  after(() => app[Symbol.asyncDispose]());

  // S17: a dump of the database
  it('ends its keys and webhooks in the same moment, and erases every text of its owner', async () => {
    const { page, post, first: key } = await signedIn('jo@example.org');
    const secrets = await onlyOnceShown(page, app.databaseUrl);
    for (const port of [8001, 8002]) {
      const url = `http://127.0.0.1:${port}/jo-private`;
      const description = 'for-jo-only';
      const answer = await app.post('/v1/webhooks', { url, description }, { key: key.fullKey });
      assert.equal(answer.status, 201);
    }
    const job = { ids: ['aaaaaaaaaaa'], webhook_url: 'http://127.0.0.1:8004/jo-private' };
    const made = await app.post('/v1/jobs', job, { key: key.fullKey });
    const { job_id: jobId } = (await made.json()) as { job_id: string };
    // An erasure that meets the end of a job begins anew, and leaves the ends of sessions out.
    await over(app, key.fullKey, jobId);
    const seen = await (await page.send('GET', '/api/account/events')).text();
    assert.match(seen, /"url":"http:\/\/127.0.0.1:8001\/jo-private"/);
    assert.match(seen, /"name":"laptop-of-jo"/);
    await page.json(204, post('/api/account/erase', { password }));

    const left = await dumpOf(app.databaseUrl);
    assert.equal(left.filter(({ place }) => place.endsWith('idempotency_keys')).length, 0);
    for (const [name, form] of secrets) {
      assert.equal(left.find(({ text }) => text.includes(form))?.place, undefined, name);
    }
    assert.equal(left.find(({ text }) => typed.test(text))?.place, undefined);

    const { events } = await app.core.log.readAll({ after: 0n, limit: 1_000 });
    const erased = events.find(({ type }) => type === 'AccountErased');
    const ends = events.filter(({ meta }) => meta.request_id === erased?.meta.request_id);
    assert.deepEqual(ends.map(({ type }) => type).sort(), [
      ...['AccountErased', 'KeyRevoked', 'KeyRevoked', 'SessionEnded'],
      ...['WebhookRemoved', 'WebhookRemoved', 'WebhookRemoved'],
    ]);
    // A process remembers a key for a second.
    await pause(1_000);
    assert.equal((await app.get('/v1/usage', { key: key.fullKey })).status, 401);
  });

  it('cancels its jobs: nothing stays reserved, nothing is charged later, no webhook is sent', async () => {
    await using receiver = await startReceiver();
    const { page, post, first: key } = await signedIn('busy@example.org');
    app.simulator.plan({ endpoint: 'reel', times: 'always', does: { kind: 'delay', ms: 700 } });
    const ids = Array.from({ length: 40 }, (_, index) => generatedId('vid', index));
    const made = await app.post('/v1/jobs', { ids, webhook_url: receiver.url }, { key: key.fullKey });
    const { job_id: jobId } = (await made.json()) as { job_id: string };
    await page.json(204, post('/api/account/erase', { password }));

    const { log, ledger } = app.core;
    const typesOf = async (stream: string) => (await log.read(stream)).map(({ type }) => type);
    const deadline = performance.now() + 20_000;
    while (!(await typesOf(`job-${jobId}`)).includes('JobCancellationSettled')) {
      assert.ok(performance.now() < deadline, 'the job is cancelled');
      await pause(50);
    }
    app.simulator.reset();
    const [created] = await log.read<JobCreated>(`job-${jobId}`);
    const call = systemCall(created?.data.accountId ?? '');
    let balance = await ledger.balance(call, { fresh: true });
    while (balance.reserved > 0 && performance.now() < deadline) {
      await pause(50);
      balance = await ledger.balance(call, { fresh: true });
    }
    const items = await typesOf(`items-${jobId}-00`);
    const completed = items.filter((type) => type === 'ItemCompleted').length;
    assert.ok(completed < 40);
    assert.equal(balance.reserved, 0);

    // An answer of a call that was under way: it is found when no call can be under way any more.
    const { pool } = app.core;
    const kept = () => pool.query('SELECT FROM idempotency_keys WHERE account_id = $1', [call.accountId]);
    await pool.query(
      `INSERT INTO idempotency_keys
         (account_id, route, key, fingerprint, operation_key, owner, leased_until, expires_at)
       VALUES ($1, 'POST /v1/jobs', 'late', '', 'late', '', now(), now() + interval '1 day')`,
      [call.accountId],
    );
    await pool.query(
      `SELECT graphile_worker.reschedule_jobs(ARRAY(
         SELECT id FROM graphile_worker._private_jobs WHERE payload ->> 'accountId' = $1
       ), run_at => now())`,
      [call.accountId],
    );
    while ((await kept()).rowCount !== 0) {
      assert.ok(performance.now() < deadline, 'late answers are forgotten');
      await pause(50);
    }
    assert.deepEqual([...balance.spentByKey.values()], completed === 0 ? [0] : [completed]);
    assert.equal(receiver.received.length, 0);
  });

  it('charges what was extracted before it immediately, and nothing after it', async () => {
    await using api = await startTestApp({ environment: { ROLE: 'api', CAPTCHA_MIN_SOLVE_MS: '0' } });
    const { page, post, first: key } = await signedIn('paying@example.org', api);
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    const { promise: isExtracted, resolve: extracted } = Promise.withResolvers<void>();
    // A worker that falls asleep between the end of an item and its charge.
    await using worker = await startWorkerInProcess(loadConfig({ ...api.environment, ROLE: 'worker' }), {
      work: ({ log, clock, ledger }) => ({
        extractItem: extractItem({
          ...jobStreams({ log, clock }),
          ledger: {
            ...ledger,
            settleItem: async (...item) => {
              extracted();
              await isOpen;
              return await ledger.settleItem(...item);
            },
          },
          reading: semaphore({ total: 1 }),
          abandoned: { record: async () => {} },
          random: () => 0,
          onFault: () => {},
          read: async () => ({ language: 'en' }),
        }),
      }),
    });
    assert.ok(worker);
    const made = await api.post('/v1/jobs', { ids: [generatedId('vid', 1)] }, { key: key.fullKey });
    assert.equal(made.status, 202);
    await isExtracted;
    await page.json(204, post('/api/account/erase', { password }));
    open();
    await worker[Symbol.asyncDispose]();
    const { events } = await api.core.log.readAll({ after: 0n, limit: 100 });
    const told = ['ReservationSettled', 'ItemCompleted', 'JobCancellationSettled', 'AccountErased'];
    assert.deepEqual(
      events.map(({ type }) => type).filter((type) => told.includes(type)),
      told,
    );
  });

  it('leaves nothing behind of concurrent requests, in any order', async () => {
    const client = new Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      for (const isErasedFirst of [false, true]) {
        const { post, first: key } = await signedIn(`race-${isErasedFirst}@example.org`);
        const once = { key: key.fullKey };
        const failed = await app.post('/v1/jobs', { ids: [generatedId('del', 1)] }, once);
        const { job_id: jobId } = (await failed.json()) as { job_id: string };
        await over(app, key.fullKey, jobId);
        const erase = () => post('/api/account/erase', { password });
        const begin = () => [
          post('/api/account/keys', { name: 'late' }),
          post('/api/account/webhooks', { url: 'http://127.0.0.1:8003/late' }),
          app.post('/v1/jobs', { ids: [generatedId('vid', 1)] }, once),
          app.post(`/v1/jobs/${jobId}/retry`, {}, once),
        ];
        await holdWords(client);
        const early = isErasedFirst ? [erase()] : begin();
        await standing(client, early.length, atWords);
        const late = isErasedFirst ? begin() : [erase()];
        await standing(client, early.length + late.length);
        await client.query('ROLLBACK');

        const statuses = (await Promise.all([...early, ...late])).map(({ status }) => status);
        assert.deepEqual(statuses, isErasedFirst ? [204, 401, 401, 401, 401] : [201, 201, 202, 200, 204]);
      }
      const { rows } = await client.query('SELECT FROM key_credentials WHERE revoked_at IS NULL');
      assert.equal(rows.length, 0, 'no key is good');
      const { events } = await app.core.log.readAll({ after: 0n, limit: 1_000 });
      const of = (type: string) => events.filter((event) => event.type === type).length;
      assert.equal(of('WebhookRegistered'), of('WebhookRemoved'));
      assert.equal(of('KeyCreated'), of('KeyRevoked'));
    } finally {
      await client.end();
    }
  });
});
