import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { probeWrites } from '#src/adapters/postgres/write-probe.ts';
import { checkSetup } from '#src/app/doctor-checks.ts';
import { loadConfig } from '#src/config.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp, type TestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { usedDatabase } from '#test/support/database.ts';
import { over } from '#test/support/job-watch.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';
import { errorIn, jsonIn, type UsageJson } from '#test/support/response-json.ts';

const path = `/v1/transcripts/${samples.prose}`;

/** What `/api/status` says of idle transactions, asked until it is so. */
const untilAlarm = async (app: TestApp, isRaised: boolean): Promise<void> => {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const { active_alerts: alerts } = (await (await app.get('/api/status')).json()) as {
      active_alerts: { id: string; since: string | null }[];
    };
    const alarm = alerts.find(({ id }) => id === 'idle_transaction');
    if ((alarm !== undefined) === isRaised) return assert.notEqual(alarm?.since, null);
    assert.ok(performance.now() < deadline, `the alarm is ${isRaised ? 'raised' : 'over'}`);
    await pause(300);
  }
};

/** How far behind the read models are while it stands open, as `/api/status` tells it. */
const lagsOn = async (app: TestApp): Promise<readonly { name: string; stopped: boolean }[]> => {
  const { read_models: lags } = (await (await app.get('/api/status')).json()) as {
    read_models: { name: string; lag_positions: number; lag_seconds: number; stopped: boolean }[];
  };
  for (const { lag_seconds: lag } of lags) assert.ok(lag >= 0 && lag < 60, `${lag} s behind`);
  return lags;
};

const doctorOn = async (app: TestApp): Promise<readonly [string, string]> => {
  const config = loadConfig(app.environment);
  for await (const { name, status, message } of checkSetup(config, { logger: silentLogger })) {
    if (name === 'transactions') return [status, message];
  }
  return assert.fail('nobody looked at transactions');
};

describe('an open transaction of another program', () => {
  it('blocks neither charges, nor usage, nor jobs; an alert and doctor name it', async () => {
    await using app = await startTestApp({ environment: { IDLE_TRANSACTION_ALARM: '500ms' } });
    const { key } = await app.createAccount();
    const stranger = new Client({ connectionString: app.databaseUrl, application_name: 'a stranger' });
    await stranger.connect();
    // It holds a snapshot and a transaction id, older than everything that follows.
    await stranger.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await stranger.query('CREATE TEMP TABLE mine (n int); INSERT INTO mine VALUES (1)');
    await stranger.query('SELECT count(*), pg_current_xact_id() FROM es_event');
    try {
      const lags = await lagsOn(app);
      const names = lags.filter(({ stopped }) => !stopped).map(({ name }) => name);
      for (const name of ['usage', 'balances', 'receipts']) assert.ok(names.includes(name), name);
      for (let n = 1; n <= 5; n += 1) {
        const answer = await app.get(path, { key });
        assert.equal(answer.status, 200, await answer.text());
        // Usage waits for what was charged before it for a second at most, and then would not count it.
        const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key }));
        assert.equal(usage.credits_used, n);
      }
      const made = await app.post('/v1/jobs', { ids: [generatedId('vid', 6)] }, { key });
      const { job_id: jobId } = (await made.json()) as { job_id: string };
      assert.equal((await over(app, key, jobId)).status, 'completed');
      await untilAlarm(app, true);
      const [status, message] = await doctorOn(app);
      assert.equal(status, 'warning');
      assert.match(message, /^backend \d+ \(a stranger, user \w+\) has been idle in a transaction since 20/);
    } finally {
      await stranger.end();
    }
    await untilAlarm(app, false);
    assert.equal((await doctorOn(app))[0], 'ok');
  });

  it('is ended by its timeout if the program opened it: its locks are released, and its owner gets an error', async () => {
    await using database = await usedDatabase();
    const of = { url: database.url, applicationName: 'steno test' };
    const usual = postgresPool(of);
    const pool = postgresPool({ ...of, idleInTransactionTimeoutMs: 200 });
    try {
      const { rows } = await usual.query('SHOW idle_in_transaction_session_timeout');
      assert.deepEqual(rows, [{ idle_in_transaction_session_timeout: '15s' }]);
      const forgetful = await pool.connect();
      await forgetful.query('BEGIN; LOCK TABLE es_event IN ACCESS EXCLUSIVE MODE');
      assert.equal((await usual.query('SELECT FROM es_event')).rowCount, 0);
      await assert.rejects(forgetful.query('COMMIT'));
      forgetful.release(true);
    } finally {
      await pool.end();
      await usual.end();
    }
  });
});

/** The event of the first answer that is no 503: what was slow may end a little later. */
const eventually = async (ask: () => Promise<Response>): Promise<string | null> => {
  for (let left = 5; ; left -= 1) {
    const answer = await ask();
    const text = await answer.text();
    if (answer.status === 200) return answer.headers.get('X-Credits-Event');
    assert.ok(answer.status === 503 && left > 0, text);
  }
};

describe('Postgres that is slow', () => {
  // With one connection, work that asked for a second one while it holds the first would never end.
  it('is answered with 503 after a timeout; with one connection there is no deadlock, and nothing is charged twice', async () => {
    await using database = await usedDatabase();
    await using proxy = await postgresProxy(database.url);
    await using app = await startTestApp({ database: proxy, environment: { DATABASE_POOL_SIZE: '1' } });
    const accounts = await Promise.all(Array.from({ length: 5 }, () => app.createAccount({ plan: 'pro' })));
    const first = accounts[0];
    assert.ok(first);
    await (await app.get(path, { key: first.key })).arrayBuffer();

    // A statement keeps the one connection for longer than anybody waits for it.
    proxy.delayMs = 2_500;
    const slow = await Promise.all(accounts.map(({ key }) => app.get(path, { key })));
    proxy.delayMs = 0;
    const refused = slow.filter(({ status }) => status !== 200);
    assert.ok(refused.length >= accounts.length - 1);
    for (const answer of refused) {
      assert.equal(answer.status, 503);
      assert.match(answer.headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
      assert.equal((await errorIn(answer)).code, 'SERVICE_UNAVAILABLE');
    }

    for (const { accountId, key } of accounts) {
      const before = (await chargesOf(database.url, accountId)).map(({ eventId }) => eventId);
      const event = await eventually(() => app.get(path, { key }));
      const known = (await chargesOf(database.url, accountId)).map(({ eventId }) => eventId);
      assert.ok(event !== null && known.includes(event) && !before.includes(event));
      assert.ok(known.length <= 3);
    }
  });

  it('does not hold up liveness, and readiness says so without waiting for its answer', async () => {
    await using database = await usedDatabase();
    await using proxy = await postgresProxy(database.url);
    await using app = await startTestApp({ database: proxy });
    await app.core.queries.probe();
    proxy.delayMs = 2_500;
    const order: string[] = [];
    const asked = async (path: string) => {
      const { status } = await app.get(path);
      order.push(`${path} ${status}`);
    };
    await Promise.all([asked('/api/health/ready'), asked('/api/health')]);
    proxy.delayMs = 0;
    assert.deepEqual(order, ['/api/health 200', '/api/health/ready 503']);
  });
});

/** Makes every session of the database read-only, or none. Sessions that are open end. */
const refuseWrites = async (url: string, isRefused: boolean): Promise<void> => {
  const operator = new Client({ connectionString: url, options: '-c default_transaction_read_only=off' });
  await operator.connect();
  try {
    const { pathname } = new URL(url);
    const setting = `default_transaction_read_only = ${isRefused ? 'on' : 'off'}`;
    await operator.query(`ALTER DATABASE "${pathname.slice(1)}" SET ${setting}`);
    await operator.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  } finally {
    await operator.end();
  }
};

describe('a database that accepts no writes', () => {
  it('is reported by readiness, the status, the log and metrics, until it accepts them again', async () => {
    await using database = await usedDatabase();
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (message: string) => errors.push(message) };
    await using app = await startTestApp({ database, logger });
    const { key } = await app.createAccount({ plan: 'pro' });
    await refuseWrites(database.url, true);
    try {
      // A session that was ended answers its next statement with an error of its own.
      const refused = await Promise.all(Array.from({ length: 20 }, () => app.get(path, { key })));
      assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([503]));
      const ready = await app.get('/api/health/ready');
      assert.equal(ready.status, 503);
      const { checks } = (await ready.json()) as { checks: Record<string, unknown> };
      assert.deepEqual([checks['database'], checks['event_store']], ['ok', 'failed']);
      const { status, active_alerts: alerts } = (await (await app.get('/api/status')).json()) as {
        status: string;
        active_alerts: { id: string }[];
      };
      assert.equal(status, 'outage');
      assert.ok(alerts.some(({ id }) => id === 'writes_refused'));
      assert.match(await (await app.get('/status')).text(), /disk may be full/);
      const metrics = await (await app.get('/metrics')).text();
      assert.match(metrics, /^database_writable 0$/m);
      const count = (message: string) => errors.filter((one) => one === message).length;
      assert.equal(count('the database accepts no writes'), 1);
      assert.equal(count('requests are refused with 503'), 1);
    } finally {
      await refuseWrites(database.url, false);
    }
    const deadline = performance.now() + 10_000;
    while ((await app.get('/api/health/ready')).status !== 200) {
      assert.ok(performance.now() < deadline, 'it is ready again');
      await pause(200);
    }
    assert.equal((await app.get(path, { key })).status, 200);
  });

  it('is detected by writing a file of the size that the disk must hold, not by one row alone', async () => {
    await using database = await usedDatabase();
    const url = new URL(database.url);
    url.searchParams.set('options', '-c temp_file_limit=100kB');
    const pool = postgresPool({ url: url.href, applicationName: 'steno test' });
    try {
      await assert.rejects(probeWrites(pool), { code: '53400' });
    } finally {
      await pool.end();
    }
  });
});
