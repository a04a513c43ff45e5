import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { registerProcess } from '#src/adapters/postgres/process-registry.ts';
import { readServerInfo } from '#src/adapters/postgres/server-info.ts';
import { checkLag, connectionsWanted } from '#src/app/check-database.ts';
import { checkAiProvider, checkDisk, checkMail, checkRedis } from '#src/app/check-surroundings.ts';
import { checkSetup } from '#src/app/doctor-checks.ts';
import { urlAt } from '#src/app/listening.ts';
import { openApplication } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import type { Check } from '#src/edges/cli/operator-interface.ts';
import { systemClock } from '#src/kernel/clock.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { silentLogger, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { testRedis } from '#test/support/redis.ts';

describe('the checks of a setup', () => {
  it('compare the clocks of database and process, and warn about more than a second of difference', async () => {
    await using database = await testDatabase();
    const config = loadConfig({ DATABASE_URL: database.url, SECRET_KEY: testSecret });
    const clockCheck = async (slowMs: number) => {
      const clock = () => new Date(systemClock().getTime() - slowMs);
      for await (const check of checkSetup(config, { logger: silentLogger, clock })) {
        if (check.name === 'clocks') return [check.status, check.message];
      }
      return null;
    };
    assert.deepEqual(await clockCheck(0), ['ok', 'the clocks of the database and this machine agree']);
    const [status, message] = (await clockCheck(7_000)) ?? [];
    assert.equal(status, 'warning');
    assert.match(message ?? '', /^the clock of the database is [67](\.\d+)? s ahead of that of/);
    assert.match((await clockCheck(-7_000))?.[1] ?? '', / [67](\.\d+)? s behind that of/);
  });

  it('add up the connections of every running process, and of at least one process of each role', async () => {
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
    // Each process has eight beside its pool, and a worker eight at least for its queue.
    const wanted = (processes: number, roles: string) =>
      `${processes * (size + 8) + 8 + 10} wanted (${roles}, 10 to spare), the server gives ${most}`;
    const register = async (role: 'api' | 'all') => {
      const claims = [{ what: 'api', isShared: true }] as const;
      return registerProcess({ url, role, claims, keyIds: [], refusal: String });
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

  it('find that the default pools of one API process and three workers fit into 100 connections', () => {
    const environment = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x', SECRET_KEY: testSecret };
    const config = loadConfig(environment);
    assert.equal(connectionsWanted(config, { api: 1, worker: 3, all: 0 }), 98);
    assert.equal(config.database.poolSize, 20);
    const own = loadConfig({ ...environment, ROLE: 'worker' }).database;
    assert.deepEqual([own.poolSize, own.poolSizes], [4, config.database.poolSizes]);
  });

  it('report the lag of subscriptions, and how to end it', () => {
    const report = { position: 7n, parkedStreams: 0, failure: null, failedPosition: null };
    const usage = { ...report, name: 'usage', lagPositions: 3n, lagSeconds: 0.2 };
    const late = { ...report, name: 'jobs', lagPositions: 900n, lagSeconds: 75.4 };
    const found = ({ status, message, fix }: Check) => [status, message, fix];
    assert.deepEqual(found(checkLag([{ ...usage, lagPositions: 0n }], [])).slice(0, 2), [
      'ok',
      'no read model is behind',
    ]);
    assert.deepEqual(found(checkLag([usage], [])).slice(0, 2), ['ok', 'at most: usage is 3 positions (0 s) behind']);
    assert.deepEqual(found(checkLag([usage, late], [])), [
      ...['warning', 'jobs is 900 positions (75 s) behind', 'start a server: steno serve'],
    ]);
    assert.match(checkLag([late], ['a server']).fix ?? '', /^look for their names in the log/);
  });

  it('report whether the disk of the embedded database has space left', async () => {
    const withFree = async (freeMiB: number, of: number) => {
      const read = async () => ({ bavail: freeMiB * 256, blocks: of * 256, bsize: 4_096 });
      const { status, message } = await checkDisk('/data', read);
      return [status, message];
    };
    assert.deepEqual(await withFree(50_000, 100_000), ['ok', '48 GiB free (50 %) where /data is']);
    assert.equal((await withFree(30_000, 1_000_000))[0], 'ok');
    assert.equal((await withFree(9_000, 100_000))[0], 'warning');
    assert.equal((await withFree(1_000, 2_000))[0], 'warning');
    assert.deepEqual(await withFree(200, 100_000), ['failed', '200 MiB free (0 %) where /data is']);
    assert.equal((await checkDisk(import.meta.dirname)).name, 'disk');
  });

  it('ask the AI provider for its models, and say which setting is wrong', async () => {
    let answer: { status: number; body: unknown } = { status: 200, body: null };
    const provider = createServer((_, response) => {
      response.writeHead(answer.status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const { port } = provider.address() as AddressInfo;
    const found = async (baseUrl: string | null) => {
      const { ai } = loadConfig({
        ...{ DATABASE_URL: 'postgres://u@127.0.0.1:1/x', SECRET_KEY: testSecret },
        ...(baseUrl === null ? {} : { OPENAI_BASE_URL: baseUrl, AI_MODEL: 'small' }),
      });
      const { status, message, fix } = await checkAiProvider({ ai });
      return [status, message, fix];
    };
    const url = `http://127.0.0.1:${port}/v1`;
    const models = (...ids: string[]) => ({ data: ids.map((id) => ({ id })), object: 'list' });
    assert.equal((await found(null))[0], 'ok');
    answer = { status: 200, body: models('small', 'large') };
    assert.deepEqual(await found(url), ['ok', 'answers, and has the models', null]);
    answer = { status: 200, body: models('large') };
    assert.deepEqual(await found(url), ['warning', 'has no model small', 'set AI_MODEL to one that it has']);
    answer = { status: 404, body: {} };
    assert.deepEqual(await found(url), ['ok', 'answers, but lists no models', null]);
    answer = { status: 401, body: { error: { message: 'Wrong key sk-1' } } };
    assert.deepEqual(await found(url), ['warning', 'refuses the key (401)', 'set OPENAI_API_KEY to a valid key']);
    provider.close();
    provider.closeAllConnections();
    const [status, message, fix] = await found(url);
    assert.deepEqual([status, message], ['warning', 'cannot be reached: no connection']);
    assert.match(fix ?? '', /^check OPENAI_BASE_URL/);
  });

  it('report whether SECRET_KEY is that of the database, without adopting it', async () => {
    await using database = await testDatabase();
    const configOf = (secret: string) => loadConfig({ DATABASE_URL: database.url, SECRET_KEY: secret });
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

  it('fail when the platform does not answer, no worker is running, or a read model is of an older version', async () => {
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
    const place = { url: database.url, role: 'api', claims, keyIds: [], refusal: String } as const;
    await using _ = await registerProcess(place);
    const pool = postgresPool({ url: database.url, applicationName: 'test', max: 1 });
    await pool.query(`UPDATE es_projection SET version = 0 WHERE name = 'usage'`);
    await pool.end();
    assert.deepEqual(await statusOf('http://127.0.0.1:1'), ['failed', 'failed', 'failed']);
  });

  it('name the migrations that are missing, and say what to check where no database answers', async () => {
    await using database = await testDatabase();
    const found = async (url: string, wanted: string) => {
      const config = loadConfig({ DATABASE_URL: url, SECRET_KEY: testSecret });
      for await (const { name, ...check } of checkSetup(config, { logger: silentLogger })) {
        if (name === wanted) return check;
      }
      return null;
    };
    assert.equal((await found(database.url, 'migrations'))?.status, 'ok');
    const pool = postgresPool({ url: database.url, applicationName: 'test', max: 1 });
    await pool.query('DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)');
    await pool.end();
    const missing = await found(database.url, 'migrations');
    assert.match(missing?.message ?? '', /^1 not applied: 00\d\d_/);
    assert.deepEqual([missing?.status, missing?.fix], [...['warning', 'steno migrate (startup applies them too)']]);
    const away = await found(database.url.replace(/[^/]*$/, 'not_there'), 'database');
    assert.deepEqual([away?.status, away?.fix], ['failed', 'check DATABASE_URL']);
  });

  it('say how to replace a guessable secret, not to unset it', async () => {
    const config = loadConfig({ DATABASE_URL: 'postgres://u@127.0.0.1:1/x', SECRET_KEY: 'x'.repeat(40) });
    for await (const { message, fix } of checkSetup(config, { logger: silentLogger })) {
      if (!message.startsWith('SECRET_KEY is guessable')) continue;
      return assert.match(fix ?? '', /^generate one with: openssl rand.*SECRET_KEY_PREVIOUS/);
    }
    assert.fail('the secret was not looked at');
  });

  it('ask Redis whether it answers, counts and keeps what it counted', async () => {
    await using redis = await testRedis(() => Date.now());
    const found = async (redisUrl: string | null) => {
      const { status, message, fix } = await checkRedis({ redisUrl });
      return [status, message, fix];
    };
    assert.equal((await found(null))[0], 'ok');
    assert.deepEqual(await found(redis.url), ['ok', 'Redis 8.0.0 answers', null]);
    redis.info = 'redis_version:7.2.0\r\nmaxmemory:1000000\r\nmaxmemory_policy:noeviction\r\n';
    assert.deepEqual(await found(redis.url), ['ok', 'Redis 7.2.0 answers', null]);
    redis.info = 'maxmemory:1000000\r\nmaxmemory_policy:allkeys-lru\r\n';
    const [status, message, fix] = await found(redis.url);
    assert.equal(status, 'warning');
    assert.match(message ?? '', /maxmemory-policy is allkeys-lru/);
    assert.match(fix ?? '', /^redis-cli CONFIG SET maxmemory-policy noeviction/);
    redis.info = 'role:slave\r\n';
    assert.match((await found(redis.url))[1] ?? '', /is a replica/);
    await redis.stop();
    const away = await found(redis.url);
    assert.equal(away[0], 'warning');
    assert.match(away[1] ?? '', /^cannot be reached: .*ECONNREFUSED/);
  });

  it('sign in to a configured mail server, and name the setting where that fails', async () => {
    const look = (SMTP_URL: string) => {
      const shared = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY: testSecret };
      return checkMail(loadConfig({ ...shared, SMTP_URL, MAIL_FROM: 'a@b.example' }));
    };
    await using server = await startMailServer();
    assert.equal((await look(server.url)).status, 'ok');
    const { status, message, fix } = await look('smtp://127.0.0.1:1');
    assert.deepEqual([status, fix], ['warning', 'check SMTP_URL']);
    assert.match(message, /^the mail server cannot be used: E/);
  });
});

describe('an address', () => {
  it('holds an IPv6 host in brackets', () => {
    assert.deepEqual([urlAt('127.0.0.1', 3_000), urlAt('::1', 3_000)], ['http://127.0.0.1:3000', 'http://[::1]:3000']);
  });
});
