import { inspectMigrations } from '../adapters/migrations.ts';
import { listProcesses } from '../adapters/processes.ts';
import { readServerFacts, type ServerFacts } from '../adapters/server-facts.ts';
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
    const url = database.directUrl;
    const facts = await readServerFacts(url);
    yield checkServer(config, facts);
    yield await checkMigrations(url);
    yield checkConnections(config, facts);
    yield await checkProcesses(url);
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

const checkServer = (config: Config, { version, encoding }: ServerFacts): Check => {
  const where = config.database.url === null ? `embedded, in ${config.dataDir}` : 'as configured';
  if (encoding === 'UTF8') return ok('database', `Postgres ${version}, ${where}`);
  return {
    name: 'database',
    status: 'failed',
    message: `its encoding is ${encoding}; captions need UTF8`,
    fix: `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  };
};

const checkMigrations = async (url: string): Promise<Check> => {
  const name = 'migrations';
  try {
    const { applied, pending } = await inspectMigrations({ url });
    if (pending.length === 0) return ok(name, `${applied.length} applied`);
    const message = `${pending.length} not applied: ${pending.map((one) => one.name).join(', ')}`;
    return { name, status: 'warning', message, fix: 'steno migrate (a start applies them too)' };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      name,
      status: 'failed',
      message,
      fix: 'do what the message says; nothing was changed',
    };
  }
};

const checkConnections = (config: Config, { maxConnections: most }: ServerFacts): Check => {
  const name = 'connections';
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

const checkProcesses = async (url: string): Promise<Check> => {
  const processes = await listProcesses(url);
  const names = processes.map(({ role, host, osPid }) => `${role} (process ${osPid} on ${host})`);
  return ok('processes', names.length === 0 ? 'none runs' : names.join(', '));
};
