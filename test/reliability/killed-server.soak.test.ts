import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { usualPace } from '#src/adapters/graphile-worker/pools.ts';
import { loadConfig } from '#src/config.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { clientOf, startTestApp, testSecret } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { usedDatabase } from '#test/support/database.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { startProgram } from '#test/support/program.ts';
import { jsonIn, refusalIn, type UsageJson } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

/** What the server sends to the database after a charge is committed and before its answer leaves. */
const keepingTheAnswer = 'UPDATE idempotency_keys\n  SET status = $5';

const videos = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => generatedId('vid', 20_000 + index));

describe('a server that ends', { concurrency: true }, () => {
  it('by kill -9 between a charge and its answer has charged once; the same key gets the answer', async () => {
    await using database = await usedDatabase();
    await using simulator = await startSimulator();
    await using proxy = await postgresProxy(database.url);
    const environment = { DATABASE_URL: proxy.url, SECRET_KEY: testSecret, PLATFORM_ORIGIN: simulator.origin };
    await using server = startProgram([], environment);
    const { get } = clientOf(await server.ready);
    const created = await operate(
      { ...environment, DATABASE_URL: database.url },
      ...['account', 'create', '--email', 'a@example.com', '--password', 'a long passphrase'],
      ...['--plan', 'pro', '--json'],
    );
    const { account_id: accountId, api_key: key } = JSON.parse(created.stdout);

    const asked = { key, headers: { 'Idempotency-Key': 'kept' } };
    const path = `/v1/transcripts/${samples.prose}`;
    const stopped = proxy.stopAt(keepingTheAnswer);
    const lost = get(path, asked).then(
      () => 'answered',
      () => 'lost',
    );
    await stopped;
    server.child.kill('SIGKILL');
    assert.equal(await lost, 'lost');
    const [charge, ...more] = await chargesOf(database.url, accountId);
    assert.ok(charge);
    assert.deepEqual(more, []);

    await using next = await startTestApp({ database, simulator });
    let answer = await next.get(path, asked);
    for (let left = 40; answer.status === 409 && left > 0; left -= 1) {
      // The lease of the dead process runs out after five seconds.
      assert.match(answer.headers.get('Retry-After') ?? '', /^[1-5]$/);
      assert.equal((await refusalIn(answer))[1], 'IDEMPOTENCY_IN_PROGRESS');
      await pause(250);
      answer = await next.get(path, asked);
    }
    assert.equal(answer.status, 200, await answer.text());
    assert.equal(answer.headers.get('X-Credits-Event'), charge.eventId);
    assert.equal(answer.headers.get('X-Credits-Charged'), '1');
    assert.equal((await chargesOf(database.url, accountId)).length, 1);
    const usage = await jsonIn<UsageJson>(await next.get('/v1/usage', { key }));
    assert.deepEqual([usage.credits_used, usage.credits_remaining], [1, 9_999]);
    const { code, stdout } = await operate(next.environment, 'verify', '--json');
    assert.equal(code, 0, stdout);
  });

  it('by kill -9 between a charge and the library keeps the charged captions once a worker checks', async () => {
    await using database = await usedDatabase();
    await using simulator = await startSimulator();
    await using proxy = await postgresProxy(database.url);
    const environment = { DATABASE_URL: proxy.url, SECRET_KEY: testSecret, PLATFORM_ORIGIN: simulator.origin };
    await using server = startProgram([], environment);
    const { get } = clientOf(await server.ready);
    const created = await operate(
      { ...environment, DATABASE_URL: database.url },
      ...['account', 'create', '--email', 'l@example.com', '--password', 'a long passphrase', '--json'],
    );
    const { account_id: accountId, api_key: key } = JSON.parse(created.stdout);
    const stopped = proxy.stopAt('INSERT INTO libraries');
    const lost = get(`/v1/transcripts/${samples.prose}?keep=true`, { key }).then(
      () => 'answered',
      () => 'lost',
    );
    await stopped;
    server.child.kill('SIGKILL');
    assert.equal(await lost, 'lost');
    assert.equal((await chargesOf(database.url, accountId)).length, 1);

    await using next = await startTestApp({ database, simulator });
    const kept = async () => (await jsonIn<{ videos: unknown[] }>(await next.get('/v1/library', { key }))).videos;
    assert.deepEqual(await kept(), []);
    await next.core.keepCharged({ olderThanMs: 0, signal: new AbortController().signal });
    assert.equal((await kept()).length, 1);
  });

  it('by kill -9 between a reservation and its settlement restores the balance within two minutes: started work ends, the rest is released', async () => {
    // A worker may be found dead at the first look after its time, and may have died over the look after a reservation.
    const { beatMs, deadAfterS } = usualPace;
    const { reservationTimeoutMs } = loadConfig({ DATABASE_URL: 'postgres://x/y', SECRET_KEY: testSecret });
    const [foundDeadMs, takenMs] = [deadAfterS * 1_000 + 2 * beatMs, 1_000];
    assert.ok(reservationTimeoutMs + takenMs + foundDeadMs + takenMs <= 120_000);

    await using database = await usedDatabase();
    await using simulator = await startSimulator();
    await using proxy = await postgresProxy(database.url);
    const environment = {
      DATABASE_URL: proxy.url,
      SECRET_KEY: testSecret,
      PLATFORM_ORIGIN: simulator.origin,
      RESERVATION_TIMEOUT: '2s',
    };
    await using server = startProgram([], environment);
    const { post } = clientOf(await server.ready);
    const created = await operate(
      { ...environment, DATABASE_URL: database.url },
      ...['account', 'create', '--email', 'c@example.com', '--password', 'a long passphrase'],
      '--json',
    );
    const { api_key: key } = JSON.parse(created.stdout);

    // One job is under way, of another the credits are set aside and nothing else is there.
    simulator.plan({ endpoint: 'reel', times: 'always', does: { kind: 'silence' } });
    const reading = simulator.nextRequest(({ endpoint }) => endpoint === 'reel');
    const begun = await post('/v1/jobs', { ids: videos(3) }, { key });
    assert.equal(begun.status, 202, await begun.text());
    await reading;
    const stopped = proxy.stopAt('"totalItems":2');
    const lost = post('/v1/jobs', { ids: videos(2) }, { key }).then(
      () => 'answered',
      () => 'lost',
    );
    await stopped;
    server.child.kill('SIGKILL');
    assert.equal(await lost, 'lost');
    simulator.reset();

    const survivor = { ...environment, DATABASE_URL: database.url };
    await using next = await startTestApp({ database, simulator, environment: { ...survivor, ROLE: 'api' } });
    const balance = async () => {
      const usage = await jsonIn<UsageJson>(await next.get('/v1/usage', { key }));
      return [usage.credits_remaining, usage.credits_reserved];
    };
    assert.deepEqual(await balance(), [9_995, 5]);
    await using worker = await startWorkerInProcess(loadConfig({ ...survivor, ROLE: 'worker' }));
    assert.ok(worker);
    for (let looks = 0; looks < 600 && (await balance())[1] !== 0; looks += 1) await pause(100);
    assert.deepEqual(await balance(), [9_997, 0]);
    const jobs = await jsonIn<{ jobs: { status: string; completed_items: number }[] }>(
      await next.get('/v1/jobs', { key }),
    );
    assert.deepEqual(
      jobs.jobs.map(({ status, completed_items }) => [status, completed_items]),
      [['completed', 3]],
    );
    const { code, stdout } = await operate(next.environment, 'verify', '--json');
    assert.equal(code, 0, stdout);
  });
});
