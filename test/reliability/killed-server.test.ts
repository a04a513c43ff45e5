import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { clientOf, testSecret } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { usedDatabase } from '#test/support/database.ts';
import { startProgram } from '#test/support/program.ts';
import { operate } from '#test/support/run-operator.ts';

describe('a server that ends', () => {
  it('by SIGTERM is first not ready, answers requests in progress, and accepts no new ones', async () => {
    await using database = await usedDatabase();
    await using simulator = await startSimulator();
    const environment = {
      DATABASE_URL: database.url,
      SECRET_KEY: testSecret,
      PLATFORM_ORIGIN: simulator.origin,
      SHUTDOWN_DRAIN: '700ms',
    };
    await using server = startProgram([], environment);
    const url = await server.ready;
    const { get } = clientOf(url);
    const created = await operate(
      environment,
      ...['account', 'create', '--email', 'b@example.com', '--password', 'a long passphrase'],
      ...['--json'],
    );
    const { account_id: accountId, api_key: key } = JSON.parse(created.stdout);
    assert.equal((await get('/api/health/ready')).status, 200);

    const arrived = simulator.nextRequest(({ videoId }) => videoId === samples.slow);
    const slow = get(`/v1/transcripts/${samples.slow}`, { key });
    await arrived;
    server.child.kill('SIGTERM');
    let readiness = 200;
    while (readiness === 200) readiness = (await get('/api/health/ready')).status;
    assert.equal(readiness, 503);
    const queue = new Client({ connectionString: database.url });
    await queue.connect();
    await queue.query(
      `SELECT graphile_worker.add_job('end-account-work', '{"accountId":"acc_none"}', job_key => 'late')`,
    );

    const answer = await slow;
    assert.equal(answer.status, 200, await answer.text());
    const answered = performance.now();
    const { code } = await server.finished;
    assert.equal(code, 0);
    assert.ok(performance.now() - answered < 5_000, 'it waits for nobody after the last answer');
    await assert.rejects(fetch(`${url}/api/health`));
    const { rows: left } = await queue.query(`SELECT attempts FROM graphile_worker.jobs WHERE key = 'late'`);
    await queue.end();
    assert.deepEqual(left, [{ attempts: 0 }], 'its worker left the queue alone from the signal on');
    const charges = await chargesOf(database.url, accountId);
    assert.deepEqual(
      charges.map(({ eventId }) => eventId),
      [answer.headers.get('X-Credits-Event')],
    );
  });
});
