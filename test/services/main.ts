import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Services, startContainers } from './containers.ts';

/**
 * `npm run test:services`: the tests of what sends SQL and counts in Redis, against real servers. Those of
 * TEST_POSTGRES_URLS (separated by commas) and TEST_REDIS_URL; without these settings, containers of every supported
 * Postgres and of Redis where a Docker engine answers; else the servers at the usual ports of this machine. The tests of the
 * relay run against the KurrentDB of TEST_EVENTSTORE_URL, where it names one. It prints what it used, and fails where it
 * found no Postgres or no Redis.
 */
const main = async (): Promise<void> => {
  await using services = await findServices();
  console.log(`Services: ${services.source}`);
  if (eventStoreUrl === '') console.log('KurrentDB: not run, TEST_EVENTSTORE_URL names none');
  const redisVersion = await versionOfRedis(services.redisUrl);
  const failed: string[] = [];
  for (const url of services.postgresUrls) {
    const about = `Postgres ${await versionOfPostgres(url)} and Redis ${redisVersion}`;
    console.log(`\n== ${about}`);
    const code = await runTests(url, services.redisUrl);
    if (code !== 0) failed.push(about);
  }
  for (const about of failed) console.error(`failed: ${about}`);
  if (failed.length > 0) process.exitCode = 1;
};

const usual = { postgresUrls: ['postgres://postgres@127.0.0.1:5432/postgres'], redisUrl: 'redis://127.0.0.1:6379' };

const findServices = async (): Promise<Services> => {
  const given = listOf(process.env['TEST_POSTGRES_URLS'] ?? process.env['TEST_DATABASE_URL']);
  const redis = process.env['TEST_REDIS_URL'] ?? '';
  if (given.length > 0 || redis !== '') {
    return servers('settings', given.length > 0 ? given : usual.postgresUrls, redis || usual.redisUrl);
  }
  return (await startContainers()) ?? servers('this machine', usual.postgresUrls, usual.redisUrl);
};

const servers = (source: string, postgresUrls: readonly string[], redisUrl: string): Services => ({
  source,
  postgresUrls,
  redisUrl,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));

const howTo = 'Set TEST_POSTGRES_URLS and TEST_REDIS_URL, or start a Docker engine. `npm test` needs neither.';

const versionOfPostgres = async (url: string): Promise<string> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? '';
  } catch (error) {
    throw new Error(`No Postgres answers at ${hostOf(url)}. ${howTo}`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
};

const versionOfRedis = async (url: string): Promise<string> => {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? '';
  } catch (error) {
    throw new Error(`No Redis answers at ${hostOf(url)}. ${howTo}`, { cause: error });
  } finally {
    client.disconnect();
  }
};

/** Without a password. */
const hostOf = (url: string): string => new URL(url).host;

const eventStoreUrl = process.env['TEST_EVENTSTORE_URL'] ?? '';

/** What sends SQL, what counts in Redis, and what appends to a KurrentDB where one is given. */
const tested = [
  'test/services/redis.ts',
  ...(eventStoreUrl === '' ? [] : ['test/services/kurrentdb.ts']),
  'test/eventlog',
  'test/projections',
  'test/adapters',
  'test/keys',
  'test/credits',
  'test/webhooks',
  'test/journeys/jobs.test.ts',
  'test/journeys/ledger.test.ts',
  'test/journeys/two-processes.soak.test.ts',
];

const runTests = async (postgresUrl: string, redisUrl: string): Promise<number> => {
  const env = { ...process.env, TEST_DATABASE_URL: postgresUrl, TEST_REDIS_URL: redisUrl };
  // Two: a server of the usual size has a hundred connections.
  const args = ['test/run.ts', '--processes=2', ...tested];
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code ?? 1;
};

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
