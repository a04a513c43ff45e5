import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '#src/config.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { clientOf, startTestApp, type TestApp } from '#test/support/app.ts';
import { event } from '#test/support/eventlog.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { over } from '#test/support/job-watch.ts';
import { browser } from '#test/support/journey.ts';
import { startProgram } from '#test/support/program.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { testRedis } from '#test/support/redis.ts';
import { operate } from '#test/support/run-operator.ts';

const hourMs = 3_600_000;

/** When events of these types were stored, in their order, by the clock of the database. */
const momentsOf = async (app: TestApp, types: readonly string[]): Promise<readonly number[]> => {
  const { rows } = await app.core.pool.query<{ at: Date }>(
    'SELECT recorded_at AS at FROM es_event WHERE type = ANY ($1) ORDER BY position',
    [types],
  );
  return rows.map(({ at }) => at.getTime());
};

const gapsOf = (moments: readonly number[]): readonly number[] =>
  moments.slice(1).map((at, index) => at - (moments[index] ?? at));

describe('with clock skew', { concurrency: true }, () => {
  it('a worker with a clock that is hours off and jumps keeps the pauses of items and deliveries', async () => {
    await using app = await startTestApp({
      environment: { ROLE: 'api', OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOK_SCHEDULE: '0s,1500ms,1500ms' },
    });
    const { key } = await app.createAccount({ credits: 10 });
    let shiftMs = 0;
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      clock: () => new Date(Date.now() + shiftMs),
    });
    assert.ok(worker);

    for (const [round, aheadMs] of [2 * hourMs, -2 * hourMs].entries()) {
      shiftMs = aheadMs;
      await using receiver = await startReceiver((index) => {
        shiftMs = -aheadMs;
        return { status: index < 2 ? 500 : 204 };
      });
      const hindered = generatedId('vid', 10 * round);
      const cut = { endpoint: 'timedtext', videoId: hindered, times: 'always' } as const;
      app.simulator.plan({ ...cut, does: { kind: 'cut' } });
      const ids = [hindered, generatedId('vid', 10 * round + 1)];
      const made = await app.post('/v1/jobs', { ids, webhook_url: receiver.url }, { key });
      const { job_id: jobId } = (await made.json()) as { job_id: string };
      while ((await momentsOf(app, ['ItemPostponed'])).length === round) await pause(50);
      app.simulator.reset();
      const job = await over(app, key, jobId);
      assert.deepEqual([job.status, job.completed_items], ['completed', 2]);
      await receiver.count(3);

      const postponed = (await momentsOf(app, ['ItemPostponed'])).at(-1) ?? 0;
      const waitedMs = ((await momentsOf(app, ['ItemStarted'])).at(-1) ?? 0) - postponed;
      assert.ok(waitedMs >= 3_900 && waitedMs < 60_000, `the item waited ${waitedMs} ms`);
      const failures = (await momentsOf(app, ['DeliveryAttemptFailed'])).slice(-2);
      for (const gapMs of gapsOf([...failures, Date.now()])) {
        assert.ok(gapMs >= 1_300 && gapMs < 60_000, `the receiver was given ${gapMs} ms`);
      }
    }
    assert.equal((await momentsOf(app, ['ReservationSettled'])).length, 4);
  });

  it('a worker whose clock is behind renews a period once it is over by its own clock too', async () => {
    await using app = await startTestApp({ environment: { ROLE: 'api' } });
    const { accountId } = await app.createAccount();
    const { pool } = app.core;
    let shiftMs = 0;
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      clock: () => new Date(Date.now() + shiftMs),
    });
    assert.ok(worker);
    /** What the last try said; null: there was none. */
    const queued = async () => {
      const { rows } = await pool.query<{ said: string | null }>(
        `SELECT last_error AS said FROM graphile_worker.jobs
         WHERE task_identifier = 'renew-credits' AND key LIKE $1`,
        [`%${accountId}`],
      );
      return rows[0];
    };
    const books = () => momentsOf(app, ['BookOpened']);
    // The end of the period comes for the queue, a month before it comes for the worker.
    const isNow = () =>
      pool.query(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE $1`, [`%${accountId}`]);
    while ((await queued()) === undefined) await pause(50);
    await isNow();
    while ((await queued())?.said === null) await pause(50);
    assert.match((await queued())?.said ?? 'it was taken for done', /is not over/);
    assert.equal((await books()).length, 1);

    shiftMs = 32 * 24 * hourMs;
    await isNow();
    while ((await books()).length === 1) await pause(50);
    assert.equal((await books()).length, 2);
  });

  it('an erased account is renewed once, so that its last period is closed, and never again', async () => {
    await using app = await startTestApp({ environment: { ROLE: 'api' } });
    const { accountId } = await app.createAccount();
    const { pool, log } = app.core;
    await log.append([
      {
        stream: `account-${accountId}`,
        expected: 'any',
        events: [event(accountId, { accountId, at: new Date().toISOString() }, 'AccountErased')],
      },
    ]);
    let shiftMs = 0;
    await using worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }), {
      clock: () => new Date(Date.now() + shiftMs),
    });
    assert.ok(worker);
    const books = async () => (await momentsOf(app, ['BookOpened'])).length;
    const renewals = async (): Promise<readonly string[]> => {
      const { rows } = await pool.query<{ key: string }>(`SELECT key FROM graphile_worker.jobs WHERE key LIKE $1`, [
        `%renew-credits|${accountId}`,
      ]);
      return rows.map(({ key }) => key);
    };
    const done = new Set<string>();
    for (const month of [1, 2]) {
      let renewal: string | undefined;
      for (; renewal === undefined; await pause(50)) {
        renewal = (await renewals()).find((key) => !done.has(key));
      }
      shiftMs = month * 32 * 24 * hourMs;
      await pool.query('UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1', [renewal]);
      while ((await renewals()).includes(renewal)) await pause(50);
      done.add(renewal);
    }
    assert.equal(await books(), 2);
  });

  it('a server that is two hours ahead accepts the sessions and answers of the other one, and makes jobs that run at once', async () => {
    await using redis = await testRedis(() => Date.now());
    const settings = { REDIS_URL: redis.url, CAPTCHA_MIN_SOLVE_MS: '0' };
    await using right = await startTestApp({ environment: settings });
    await using program = startProgram(['api'], {
      ...right.environment,
      NODE_OPTIONS: `--import=${fileURLToPath(import.meta.resolve('#test/support/shifted-clock.ts'))}`,
      CLOCK_SHIFT_MS: String(2 * hourMs),
    });
    const ahead = clientOf(await program.ready);
    const person = { email: 'late@example.org', password: 'correct horse battery staple' };
    const signedIn = async (page: ReturnType<typeof browser>) => {
      await page.json(200, page.send('POST', '/api/auth/login', { body: person }));
      return page;
    };
    const late = browser([await program.ready]);
    const body = { ...person, ...(await late.solved()) };
    await late.json(201, late.send('POST', '/api/auth/register', { body }));
    // Each signs in at one of them, and is then sent to either.
    for (const first of [await program.ready, right.url]) {
      const page = await signedIn(browser([first, await program.ready, right.url]));
      for (let requests = 0; requests < 2; requests += 1) {
        await page.json(200, page.send('GET', '/api/auth/me'));
      }
    }
    const made = (await signedIn(late)).send('POST', '/api/account/keys', { body: {} });
    const { fullKey: key } = (await late.json<{ key: { fullKey: string } }>(201, made)).key;

    const asked = { key, headers: { 'Idempotency-Key': 'once' } };
    const path = `/v1/transcripts/${generatedId('vid', 3)}`;
    const answers = [await ahead.get(path, asked), await right.get(path, asked)] as const;
    assert.deepEqual([answers[0].status, answers[1].status], [200, 200]);
    assert.equal(await answers[1].text(), await answers[0].text());
    for (const [index, { headers }] of answers.entries()) {
      const atMs = Date.now() + (index === 0 ? 2 * hourMs : 0);
      const leftMs = Number(headers.get('X-RateLimit-Reset')) * 1_000 - atMs;
      assert.ok(Math.abs(leftMs) <= 61_000, `the window ends in ${leftMs} ms`);
    }
    const created = await ahead.post('/v1/jobs', { ids: [generatedId('vid', 4)] }, { key });
    const { job_id: jobId } = (await created.json()) as { job_id: string };
    assert.equal((await over(right, key, jobId)).status, 'completed');
    const { code, stdout } = await operate(right.environment, 'verify', '--json');
    assert.equal(code, 0, stdout);
  });
});
