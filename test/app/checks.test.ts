import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres.ts';
import { registerProcess } from '#src/adapters/processes.ts';
import { readServerInfo } from '#src/adapters/server-info.ts';
import { urlAt } from '#src/app/base-url.ts';
import { checkSetup } from '#src/app/checks.ts';
import { openApplication } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { systemClock } from '#src/kernel/clock.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { silentLogger, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';

describe('the checks of a set-up', () => {
  it('compare the clocks of database and process, and warn of more than a second', async () => {
    await using database = await testDatabase();
    const config = loadConfig({ DATABASE_URL: database.url, SECRET_KEY: testSecret });
    const clockCheck = async (slowMs: number) => {
      const clock = () => new Date(systemClock().getTime() - slowMs);
      for await (const check of checkSetup(config, { logger: silentLogger, clock })) {
        if (check.name === 'clocks') return [check.status, check.message];
      }
      return null;
    };
    assert.deepEqual(await clockCheck(0), ['ok', 'database and process tell the same time']);
    const [status, message] = (await clockCheck(7_000)) ?? [];
    assert.equal(status, 'warning');
    assert.match(message ?? '', /^the clock of the database is [67](\.\d+)? s ahead of that of/);
    assert.match((await clockCheck(-7_000))?.[1] ?? '', / [67](\.\d+)? s behind that of/);
  });

  it('add up the connections of every process that runs, and of one of each role at least', async () => {
    await using database = await testDatabase();
    await using stack = new AsyncDisposableStack();
    const { url } = database;
    const { maxConnections: most } = await readServerInfo(url, systemClock);
    // One such API process and one worker fit, four and one do not.
    const size = Math.floor(most / 4);
    const sizes = { DATABASE_POOL_SIZE: `${size}`, WORKER_POOL_SIZE: '2' };
    const config = loadConfig({ DATABASE_URL: url, SECRET_KEY: testSecret, ...sizes });
    const connections = async () => {
      for await (const { name, status, message } of checkSetup(config, { logger: silentLogger })) {
        if (name === 'connections') return [status, message];
      }
      return null;
    };
    // Each process has six beside its pool, and a worker eight at least for its queue.
    const wanted = (processes: number, roles: string) =>
      `${processes * (size + 8) + 8 + 10} wanted (${roles}, 10 to spare), the server gives ${most}`;
    const register = async (role: 'api' | 'all') => {
      const claims = [{ what: 'api', isShared: true }] as const;
      return registerProcess({ url, role, claims, refusal: String });
    };
    const both = wanted(1, 'API 1, worker 1');
    assert.deepEqual(await connections(), ['ok', both]);
    {
      await using _ = await register('all');
      assert.deepEqual(await connections(), ['ok', both]);
    }
    stack.use(await register('api'));
    assert.deepEqual(await connections(), ['ok', wanted(2, 'API 1, worker 1')]);
    for (let n = 0; n < 3; n += 1) stack.use(await register('api'));
    assert.deepEqual(await connections(), ['failed', wanted(5, 'API 4, worker 1')]);
  });

  it('tell whether SECRET_KEY is that of the database, and begin none', async () => {
    await using database = await testDatabase();
    const configOf = (secret: string) =>
      loadConfig({ DATABASE_URL: database.url, SECRET_KEY: secret });
    const secretCheck = async (secret: string) => {
      for await (const check of checkSetup(configOf(secret), { logger: silentLogger })) {
        if (check.name === 'secret') return check.status;
      }
      return null;
    };
    const another = [...testSecret].reverse().join('');
    assert.equal(await secretCheck(another), 'ok', 'no start has kept one yet');
    await using _ = await openApplication(configOf(testSecret), { logger: silentLogger });
    assert.equal(await secretCheck(testSecret), 'ok');
    assert.equal(await secretCheck(another), 'failed');
  });

  it('fail when the platform does not answer, no worker lives, or a read model is of an older version', async () => {
    await using database = await testDatabase();
    await using simulator = await startSimulator();
    const environment = { DATABASE_URL: database.url, SECRET_KEY: testSecret };
    const statusOf = async (platform: string) => {
      const config = loadConfig({ ...environment, PLATFORM_ORIGIN: platform });
      const found: Record<string, string> = {};
      for await (const { name, status } of checkSetup(config, { logger: silentLogger })) {
        found[name] = status;
      }
      return [found['platform'], found['worker'], found['read models']];
    };
    {
      const config = loadConfig({ ...environment, PLATFORM_ORIGIN: simulator.origin });
      await using _ = await openApplication(config, { logger: silentLogger });
    }
    assert.deepEqual(await statusOf(simulator.origin), ['ok', 'warning', 'ok']);

    const claims = [{ what: 'api', isShared: true }] as const;
    const place = { url: database.url, role: 'api', claims, refusal: String } as const;
    await using _ = await registerProcess(place);
    const pool = postgresPool({ url: database.url, applicationName: 'test', max: 1 });
    await pool.query(`UPDATE es_projection SET version = 0 WHERE name = 'usage'`);
    await pool.end();
    assert.deepEqual(await statusOf('http://127.0.0.1:1'), ['failed', 'failed', 'failed']);
  });

  it('say of a secret that can be guessed how to make another, not to unset it', async () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://u@127.0.0.1:1/x',
      SECRET_KEY: 'x'.repeat(40),
    });
    for await (const { message, fix } of checkSetup(config, { logger: silentLogger })) {
      if (!message.startsWith('SECRET_KEY can be guessed')) continue;
      return assert.match(fix ?? '', /^before the first start, set one made by: openssl rand/);
    }
    assert.fail('the secret was not looked at');
  });

  it('say that a configured Redis cannot be reached', async () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      SECRET_KEY: testSecret,
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    for await (const { name, status, message } of checkSetup(config, { logger: silentLogger })) {
      if (name !== 'redis') continue;
      assert.equal(status, 'warning');
      return assert.match(message, /^cannot be reached: .*ECONNREFUSED/);
    }
    assert.fail('Redis was not looked at');
  });
});

describe('an address', () => {
  it('holds an IPv6 host in brackets', () => {
    assert.deepEqual(
      [urlAt('127.0.0.1', 3_000), urlAt('::1', 3_000)],
      ['http://127.0.0.1:3000', 'http://[::1]:3000'],
    );
  });
});
