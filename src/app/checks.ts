import type { Pool } from 'pg';
import { type IdleTransaction, idleTransactions } from '../adapters/idle-transactions.ts';
import { inspectMigrations } from '../adapters/migrations.ts';
import { postgresPool } from '../adapters/postgres.ts';
import { type LiveProcess, listProcesses } from '../adapters/processes.ts';
import { fingerprintIn } from '../adapters/secret-fingerprint.ts';
import { readServerInfo, type ServerInfo } from '../adapters/server-info.ts';
import { usualPace } from '../adapters/work-queue/pools.ts';
import { failedWork, hasQueue, queueState } from '../adapters/work-queue.ts';
import type { Config } from '../config.ts';
import type { Check } from '../edges/cli/operator-interface.ts';
import { subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { checkConnections } from './check-connections.ts';
import { checkMail } from './check-mail.ts';
import { checkLag, checkParked, checkReadModels } from './check-read-models.ts';
import { checkAiProvider, checkDisk, checkRedis } from './check-surroundings.ts';
import { secretFingerprint } from './open-accounts.ts';
import { openDatabase } from './open-database.ts';
import { openEngine } from './open-engine.ts';

/** Clock skew from which times of requests, leases and rows contradict each other. */
const clocksMayDifferMs = 1_000;

/** The checks of `steno doctor`, one after the other; a failing check does not stop the others. */
export async function* checkSetup(
  config: Config,
  { logger, clock = systemClock }: { readonly logger: Logger; readonly clock?: Clock },
): AsyncGenerator<Check> {
  yield ok('node', `${process.version} on ${process.platform} ${process.arch}`);
  if (config.warnings.length === 0) yield ok('settings', 'every threshold is strict');
  for (const warning of config.warnings) {
    yield { name: 'settings', status: 'warning', message: warning, fix: fixOf(warning) };
  }
  yield await checkRedis(config);
  yield await checkAiProvider(config);
  yield await checkMail(config);
  yield* checkDatabase(config, { logger, clock });
}

/** The remedy by the setting that a warning begins with. */
const fixes: Readonly<Record<string, string>> = {
  SECRET_KEY:
    'before the first start, set one made by: openssl rand -base64 48; a database that has one keeps it, see docs/operations.md, Backups',
  PUBLIC_URL: 'set PUBLIC_URL to the https address under which callers reach the service',
  TRUSTED_PROXIES: 'name the networks of the load balancers only',
};

const fixOf = (warning: string): string =>
  / is no setting;/.test(warning)
    ? 'rename it or take it away; docs/settings.md lists every setting'
    : fixOfSetting(warning);

const fixOfSetting = (warning: string): string =>
  fixes[warning.slice(0, warning.indexOf(' '))] ?? 'unset it in production';

async function* checkDatabase(
  config: Config,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): AsyncGenerator<Check> {
  try {
    await using database = await openDatabase(config, { logger, withMigrations: false });
    const url = database.directUrl;
    const facts = await readServerInfo(url, clock);
    yield ok('database', `Postgres ${facts.version}, ${database.place}`);
    if (database.folder !== null) yield await checkDisk(database.folder);
    yield checkClocks(facts);
    const migrated = await checkMigrations(url);
    yield migrated;
    const processes = await listProcesses(url);
    yield checkConnections(config, facts, processes);
    yield checkProcesses(processes);
    const isMigrated = migrated.status === 'ok';
    yield* checkWithin(config, { url, processes, isMigrated, logger, clock });
  } catch (error) {
    yield {
      name: 'database',
      status: 'failed',
      message: error instanceof Error ? error.message : String(error),
      fix:
        config.database.url === null
          ? 'see postgres.log in the folder of the database: DATA_DIR, or as root perhaps /var/lib/steno'
          : 'check DATABASE_URL',
    };
  }
}

const ok = (name: string, message: string): Check => ({ name, status: 'ok', message, fix: null });

const checkClocks = ({ clockAheadMs: ms }: ServerInfo): Check => {
  const name = 'clocks';
  if (Math.abs(ms) <= clocksMayDifferMs) return ok(name, 'database and process tell the same time');
  return {
    name,
    status: 'warning',
    message: `the clock of the database is ${Math.abs(ms) / 1000} s ${ms > 0 ? 'ahead of' : 'behind'} that of this machine`,
    fix: 'let both machines follow one source of time (NTP)',
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

type Within = {
  readonly url: string;
  readonly processes: readonly LiveProcess[];
  readonly isMigrated: boolean;
  readonly logger: Logger;
  readonly clock: Clock;
};

async function* checkWithin(config: Config, within: Within): AsyncGenerator<Check> {
  const { url, processes, isMigrated } = within;
  const pool = postgresPool({ url, applicationName: 'steno doctor', max: 1 });
  try {
    yield await checkSecret(config, pool);
    yield await checkTransactions(config, pool);
    if (await hasQueue(pool)) yield checkWork(await failedWork(pool));
    if (isMigrated) {
      yield await checkWorker(pool, processes);
      yield await checkReadModels(pool);
      yield checkLag(await subscriptionReports(pool), processes);
      yield await checkParked(pool);
    }
    yield await checkPlatform(config, pool, within);
  } finally {
    await pool.end();
  }
}

/** Without a worker, tasks wait; before the first start that is no fault. */
const checkWorker = async (pool: Pool, processes: readonly LiveProcess[]): Promise<Check> => {
  const name = 'worker';
  const state = await queueState(pool, usualPace);
  if (state === 'ok') return ok(name, 'a worker lives');
  const status = processes.length === 0 ? 'warning' : 'failed';
  if (state === 'no_worker') {
    const message = 'none lives: jobs and webhooks wait';
    return { name, status, message, fix: 'start one: steno worker, or ROLE=all' };
  }
  const message = 'a worker lives, and the queue has no tables';
  return { name, status: 'failed', message, fix: 'restart the workers: a start makes them' };
};

const checkPlatform = async (
  config: Config,
  pool: Pool,
  { logger, clock }: Pick<Within, 'logger' | 'clock'>,
): Promise<Check> => {
  const name = 'platform';
  await using engine = openEngine(config, { pool, clock, logger, recognizeSpeech: null });
  const { ok: isUp, status, reason, latencyMs } = await engine.probe();
  if (isUp) return ok(name, `answers within ${Math.round(latencyMs)} ms`);
  const message = `does not answer as it should: ${reason ?? `HTTP ${status}`}`;
  const fix = 'check that this machine may reach it: PLATFORM_PROXIES, PLATFORM_ORIGIN, firewall';
  return { name, status: 'failed', message, fix };
};

const checkSecret = async (config: Config, pool: Pool): Promise<Check> => {
  const name = 'secret';
  const kept = await fingerprintIn(pool);
  if (kept === null) return ok(name, 'the first start keeps which SECRET_KEY it had');
  if (kept === secretFingerprint(config)) return ok(name, 'SECRET_KEY fits the database');
  return {
    name,
    status: 'failed',
    message: 'SECRET_KEY is not the one that this database was begun with',
    fix: secretFix(config),
  };
};

/** A SECRET_KEY in the environment overrides the one in DATA_DIR. */
const secretFix = ({ database, dataDir }: Config): string =>
  database.url === null
    ? `unset SECRET_KEY: the one of this database is in ${dataDir}/secret-key, unless another was set at its first start; where it is lost: steno secret adopt (docs/operations.md, Backups)`
    : 'set the one of the other processes; where it is lost: steno secret adopt (docs/operations.md, Backups)';

const checkTransactions = async ({ database }: Config, pool: Pool): Promise<Check> => {
  const name = 'transactions';
  const { idleTransactionAlarmMs: ms } = database;
  const idle = await idleTransactions(pool, ms);
  if (idle.length === 0) return ok(name, `none stands idle for more than ${ms / 1_000} s`);
  return {
    name,
    status: 'warning',
    message: idle.map(describe).join('; '),
    fix: 'end who forgot it: SELECT pg_terminate_backend(…); idle_in_transaction_session_timeout does so by itself',
  };
};

const describe = ({ pid, application, user, since }: IdleTransaction): string =>
  `backend ${pid} (${application === '' ? 'unnamed' : application}, user ${user}) stands idle in a transaction since ${since}`;

const checkWork = (failed: Awaited<ReturnType<typeof failedWork>>): Check => {
  const name = 'work';
  if (failed.length === 0) return ok(name, 'nothing in the queue has failed for good');
  return {
    name,
    status: 'warning',
    message: `failed for good: ${failed.map(({ task, pieces }) => `${pieces} of ${task}`).join(', ')}`,
    fix: 'SELECT task_identifier, key, last_error FROM graphile_worker.jobs WHERE attempts >= max_attempts',
  };
};

const checkProcesses = (processes: readonly LiveProcess[]): Check => {
  const names = processes.map(({ role, host, osPid }) => `${role} (process ${osPid} on ${host})`);
  return ok('processes', names.length === 0 ? 'none runs' : names.join(', '));
};
