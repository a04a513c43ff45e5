import { Client } from 'pg';
import { inspectMigrations, readMigrations } from '../adapters/migrations.ts';
import { listProcesses } from '../adapters/processes.ts';
import type { Config } from '../config.ts';
import type { Check } from '../edges/cli/doors.ts';
import type { Logger } from '../kernel/logger.ts';
import { openDatabase } from './open-database.ts';

/** Connections that Postgres and its operators need beside ours. */
const spareConnections = 10;

/** The looks of `steno doctor`, one after the other; a look that fails does not end them. */
export async function* checkSetup(
  config: Config,
  { logger }: { logger: Logger },
): AsyncGenerator<Check> {
  yield ok('node', `${process.version} on ${process.platform} ${process.arch}`);
  if (config.warnings.length === 0) yield ok('settings', 'every threshold is strict');
  for (const warning of config.warnings) {
    yield { name: 'settings', status: 'warning', message: warning, fix: 'unset it in production' };
  }
  if (config.redisUrl === null) {
    yield ok('redis', 'not configured: limits are counted in the one API process');
  }
  yield* checkDatabase(config, logger);
}

async function* checkDatabase(config: Config, logger: Logger): AsyncGenerator<Check> {
  try {
    await using database = await openDatabase(config, { logger, withMigrations: false });
    const client = new Client({ connectionString: database.directUrl });
    client.on('error', () => {});
    await client.connect();
    try {
      yield await checkServer(config, client);
      yield await checkMigrations(client);
      yield await checkConnections(config, client);
      yield await checkProcesses(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    yield {
      name: 'database',
      status: 'failed',
      message: error instanceof Error ? error.message : String(error),
      fix: config.database.url === null ? 'see postgres.log in DATA_DIR' : 'check DATABASE_URL',
    };
  }
}

const ok = (name: string, message: string): Check => ({ name, status: 'ok', message, fix: null });

const checkServer = async (config: Config, client: Client): Promise<Check> => {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, getdatabaseencoding() AS encoding`,
  );
  const { version, encoding } = rows[0] ?? {};
  const where = config.database.url === null ? `embedded, in ${config.dataDir}` : 'as configured';
  if (encoding === 'UTF8') return ok('database', `Postgres ${version}, ${where}`);
  return {
    name: 'database',
    status: 'failed',
    message: `its encoding is ${encoding}; captions need UTF8`,
    fix: `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  };
};

const checkMigrations = async (client: Client): Promise<Check> => {
  const name = 'migrations';
  try {
    const { applied, pending } = await inspectMigrations(client, await readMigrations());
    if (pending.length === 0) return ok(name, `${applied.length} applied`);
    const message = `${pending.length} not applied: ${pending.map((one) => one.name).join(', ')}`;
    return { name, status: 'warning', message, fix: 'steno migrate (a start applies them too)' };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, status: 'failed', message, fix: 'start the version that the message names' };
  }
};

const checkConnections = async (config: Config, client: Client): Promise<Check> => {
  const name = 'connections';
  const { rows } = await client.query(`SELECT current_setting('max_connections')::int AS most`);
  const most = Number(rows[0]?.most);
  const wanted = config.database.poolSize + config.worker.poolSize + spareConnections;
  const message = `${wanted} wanted by one process of each role and its spare, the server gives ${most}`;
  if (wanted <= most) return ok(name, message);
  return {
    name,
    status: 'failed',
    message,
    fix: 'lower DATABASE_POOL_SIZE or WORKER_POOL_SIZE, or raise max_connections',
  };
};

const checkProcesses = async (client: Client): Promise<Check> => {
  const { rows } = await client.query(`SELECT to_regclass('processes') IS NOT NULL AS exists`);
  const processes = rows[0]?.exists === true ? await listProcesses(client) : [];
  const names = processes.map(({ role, host, osPid }) => `${role} (process ${osPid} on ${host})`);
  return ok('processes', names.length === 0 ? 'none runs' : names.join(', '));
};
