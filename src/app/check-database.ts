import type { Pool } from 'pg';
import { projections } from '#projections/index.ts';
import { usualPace } from '../adapters/graphile-worker/pools.ts';
import { failedWork, hasQueue, queueState } from '../adapters/graphile-worker/work-queue.ts';
import { type IdleTransaction, idleTransactions } from '../adapters/postgres/idle-transactions.ts';
import { inspectMigrations } from '../adapters/postgres/migrations.ts';
import { type LiveProcess, listProcesses } from '../adapters/postgres/process-registry.ts';
import { readingConnections } from '../adapters/postgres/read-connections.ts';
import { formerRows } from '../adapters/postgres/secret-keys/replace-keys.ts';
import { keyIdOf, secretStateIn } from '../adapters/postgres/secret-keys/secret-state.ts';
import { readServerInfo, type ServerInfo } from '../adapters/postgres/server-info.ts';
import { postgresTranscriptCache } from '../adapters/postgres/transcript-cache-postgres.ts';
import { probeWrites } from '../adapters/postgres/write-probe.ts';
import type { Config } from '../config.ts';
import { lateAfterS } from '../contract/meta.ts';
import type { Check } from '../edges/cli/operator-interface.ts';
import { projectionStates } from '../eventlog/projections/projection.ts';
import { isAnyStopped, type SubscriptionReport, subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import { parkedReport } from '../eventlog/subscriptions/parked-streams.ts';
import type { TranscriptCache } from '../extraction/transcript-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { RelayReport } from '../queries.ts';
import { checkDisk, messageOf, outcomesOf } from './check-surroundings.ts';
import { commandPool } from './command-pool.ts';
import { openDatabase } from './open-database.ts';
import { openEngine } from './open-engine.ts';
import { ofReadModels, relayReport } from './open-relay.ts';
import { fingerprintOf } from './secret-keys.ts';

/** Clock skew from which times of requests, leases and rows contradict each other. */
const clocksMayDifferMs = 1_000;

/** The checks of the database, and of what is known through it. */
export async function* checkDatabase(
  config: Config,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): AsyncGenerator<Check> {
  const { ok, failed } = outcomesOf('database');
  try {
    await using database = await openDatabase(config, { logger, withMigrations: false });
    const url = database.directUrl;
    const facts = await readServerInfo(url, clock);
    yield ok(`Postgres ${facts.version}, ${database.place}`);
    if (database.folder !== null) yield await checkDisk(database.folder);
    yield checkClocks(facts);
    const migrated = await checkMigrations(url);
    yield migrated;
    const processes = await listProcesses(url);
    yield checkConnections(config, facts, processes);
    yield checkProcesses(processes);
    await using stack = new AsyncDisposableStack();
    const pool = commandPool(url, 'steno doctor');
    stack.defer(() => pool.end());
    yield await checkSecret(config, pool, processes);
    yield await checkTransactions(config, pool);
    if (await hasQueue(pool)) yield checkWork(await failedWork(pool));
    if (migrated.status === 'ok') {
      yield await checkWrites(pool);
      yield await checkWorker(pool, processes);
      yield await checkReadModels(pool);
      yield checkLag(ofReadModels(await subscriptionReports(pool)), processes);
      yield checkRelay(await relayReport(config, pool));
      yield await checkParked(pool);
    }
    yield await checkPlatform(config, postgresTranscriptCache({ pool }), { logger, clock });
  } catch (error) {
    yield failed(
      messageOf(error),
      config.database.url === null
        ? 'see postgres.log in the database folder: DATA_DIR, or possibly /var/lib/steno if started by root'
        : 'check DATABASE_URL',
    );
  }
}

const checkClocks = ({ clockAheadMs: ms }: ServerInfo): Check => {
  const { ok, warning } = outcomesOf('clocks');
  if (Math.abs(ms) <= clocksMayDifferMs) return ok('the clocks of the database and this machine agree');
  const difference = `${Math.abs(ms) / 1000} s ${ms > 0 ? 'ahead of' : 'behind'}`;
  return warning(
    `the clock of the database is ${difference} that of this machine`,
    'synchronize both machines with NTP',
  );
};

const checkMigrations = async (url: string): Promise<Check> => {
  const { ok, warning, failed } = outcomesOf('migrations');
  try {
    const { applied, pending } = await inspectMigrations({ url });
    if (pending.length === 0) return ok(`${applied.length} applied`);
    const message = `${pending.length} not applied: ${pending.map((one) => one.name).join(', ')}`;
    return warning(message, 'steno migrate (startup applies them too)');
  } catch (error) {
    return failed(messageOf(error), 'follow the message; nothing was changed');
  }
};

const checkWrites = async (pool: Pool): Promise<Check> => {
  const { ok, failed } = outcomesOf('writes');
  try {
    await probeWrites(pool);
    return ok('the database accepts writes');
  } catch (error) {
    const fix = 'free disk space, or point DATABASE_URL to the primary: infra/runbooks/WritesRefused.md';
    return failed(messageOf(error), fix);
  }
};

/** Without a worker, tasks wait; before the first start that is no fault. */
const checkWorker = async (pool: Pool, processes: readonly LiveProcess[]): Promise<Check> => {
  const { ok, warning, failed } = outcomesOf('worker');
  const state = await queueState(pool, usualPace);
  if (state === 'ok') return ok('a worker is running');
  if (state === 'no_worker') {
    const problem = processes.length === 0 ? warning : failed;
    return problem('none is running: jobs and webhooks wait', 'start one: steno worker, or ROLE=all');
  }
  return failed('a worker is running, but the queue has no tables', 'restart the workers: startup creates them');
};

/** Asks the platform one small question. */
export const checkPlatform = async (
  config: Pick<Config, 'platform'>,
  cache: TranscriptCache,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): Promise<Check> => {
  const { ok, failed } = outcomesOf('platform');
  await using engine = openEngine(config, { cache, clock, logger, recognizeSpeech: null });
  const { ok: isUp, status, reason, latencyMs } = await engine.probe();
  if (isUp) return ok(`answers within ${Math.round(latencyMs)} ms`);
  const message = `probe failed: ${reason ?? `HTTP ${status}`}`;
  return failed(message, 'check that this machine can reach it: PLATFORM_PROXIES, PLATFORM_ORIGIN, firewall');
};

const checkSecret = async (config: Config, pool: Pool, processes: readonly LiveProcess[]): Promise<Check> => {
  const { ok, warning, failed } = outcomesOf('secret');
  const kept = await secretStateIn(pool);
  if (kept === null) return ok('the first start will record which SECRET_KEY is used');
  const { fingerprint, previous } = kept;
  const own = fingerprintOf(config.secretKey);
  const other = config.previousSecretKey === null ? null : fingerprintOf(config.previousSecretKey);
  if (previous !== null && [own, other].includes(fingerprint) && [own, other].includes(previous)) {
    const { accounts, secrets, answers } = await formerRows(pool, keyIdOf(fingerprint));
    const held = processes.find(({ keyIds }) => keyIds[0] !== keyIdOf(fingerprint));
    const holder = held === undefined ? '' : `; process ${held.osPid} on ${held.host} has it as SECRET_KEY`;
    return warning(
      `SECRET_KEY is being replaced; still on the former key: accounts ${accounts}, signing secrets ${secrets}, stored responses ${answers}${holder}`,
      'keep SECRET_KEY_PREVIOUS until a worker has finished; restart processes that have the former key as SECRET_KEY with the new one',
    );
  }
  if (previous === null && own === fingerprint) {
    const end = '; all rows use it, and SECRET_KEY_PREVIOUS can be removed';
    return ok(`SECRET_KEY matches the database${other === null ? '' : end}`);
  }
  if (previous === null && other === fingerprint) {
    const message = 'SECRET_KEY_PREVIOUS is the key of the database: the next start replaces it';
    return warning(message, 'start the server: steno serve');
  }
  return failed(
    previous !== null && [fingerprint, previous].some((one) => [own, other].includes(one))
      ? 'SECRET_KEY is being replaced, but the former or the new key is not set (SECRET_KEY_PREVIOUS)'
      : 'SECRET_KEY is not the one that this database was created with',
    secretFix(config),
  );
};

/** A SECRET_KEY in the environment overrides the one in DATA_DIR. */
const secretFix = ({ database, dataDir }: Config): string =>
  database.url === null
    ? `unset SECRET_KEY: the one of this database is in ${dataDir}/secret-key, unless another was set at its first start; if it is lost: steno secret adopt (docs/backup.md, When SECRET_KEY is lost)`
    : 'set the one of the other processes; if it is lost: steno secret adopt (docs/backup.md, When SECRET_KEY is lost)';

const checkTransactions = async ({ database }: Config, pool: Pool): Promise<Check> => {
  const { ok, warning } = outcomesOf('transactions');
  const { idleTransactionAlarmMs: ms } = database;
  const idle = await idleTransactions(pool, ms);
  if (idle.length === 0) return ok(`none has been idle for more than ${ms / 1_000} s`);
  return warning(
    idle.map(describe).join('; '),
    'end the backend: SELECT pg_terminate_backend(…); idle_in_transaction_session_timeout does so automatically',
  );
};

const describe = ({ pid, application, user, since }: IdleTransaction): string =>
  `backend ${pid} (${application === '' ? 'unnamed' : application}, user ${user}) has been idle in a transaction since ${since}`;

const checkWork = (failed: Awaited<ReturnType<typeof failedWork>>): Check => {
  const { ok, warning } = outcomesOf('work');
  if (failed.length === 0) return ok('no task in the queue has failed permanently');
  return warning(
    `failed permanently: ${failed.map(({ task, pieces }) => `${pieces} of ${task}`).join(', ')}`,
    'SELECT task_identifier, key, last_error FROM graphile_worker.jobs WHERE attempts >= max_attempts',
  );
};

const checkProcesses = (processes: readonly LiveProcess[]): Check => {
  const names = processes.map(({ role, host, osPid }) => `${role} (process ${osPid} on ${host})`);
  return outcomesOf('processes').ok(names.length === 0 ? 'none is running' : names.join(', '));
};

/** Connections of a process besides its pools: those for queries, one for LISTEN, one for heartbeats, and two that hold advisory locks. */
const connectionsBesidePools = readingConnections + 4;
/** Connections reserved for Postgres and its operators. */
const spareConnections = 10;

type Processes = Readonly<Record<LiveProcess['role'], number>>;

/** The maximum number of connections of these processes, with a margin. */
export const connectionsWanted = (
  { database: { poolSizes }, worker }: Pick<Config, 'database' | 'worker'>,
  { api, worker: workers, all }: Processes,
): number =>
  api * (poolSizes.api + connectionsBesidePools) +
  workers * (poolSizes.worker + connectionsBesidePools + worker.poolSize) +
  all * (poolSizes.api + connectionsBesidePools + worker.poolSize) +
  spareConnections;

/**
 * Counts every running process, and one for each role without a process; if nothing runs, one process for
 * both roles. Each is assumed to have the pools of this configuration.
 */
const checkConnections = (
  config: Config,
  { maxConnections: most }: ServerInfo,
  running: readonly LiveProcess[],
): Check => {
  const { ok, failed } = outcomesOf('connections');
  const count = (role: LiveProcess['role']): number => running.filter((one) => one.role === role).length;
  const all = running.length === 0 ? 1 : count('all');
  const api = all === 0 ? Math.max(1, count('api')) : count('api');
  const worker = all === 0 ? Math.max(1, count('worker')) : count('worker');
  const wanted = connectionsWanted(config, { api, worker, all });
  const message = `${wanted} wanted (API ${api + all}, worker ${worker + all}, ${spareConnections} to spare), the server gives ${most}`;
  if (wanted <= most) return ok(message);
  return failed(message, 'lower DATABASE_POOL_SIZE or WORKER_POOL_SIZE, or raise max_connections');
};

/** Checks that every read model exists in the version of this program. */
const checkReadModels = async (pool: Pool): Promise<Check> => {
  const { ok, warning, failed } = outcomesOf('read models');
  const states = await projectionStates(pool, projections);
  const namesOf = (wanted: string): readonly string[] =>
    [...states].flatMap(([projection, state]) => (state === wanted ? [projection] : []));
  if (await isAnyStopped(pool, [...states.keys()])) {
    const message = 'one has stopped at an event that it cannot fold; see /api/status';
    return failed(message, 'see docs/operations.md, Read models');
  }
  const [older, newer] = [namesOf('older'), namesOf('newer')];
  if (older.length > 0) {
    return failed(`of an older version and not updated: ${older.join(', ')}`, 'steno projections rebuild');
  }
  if (newer.length === 0) return ok('all are of this version');
  return warning(`of a newer version: ${newer.join(', ')}`, 'install the version that the servers run');
};

/** Checks the lag of each subscription; while no process runs, lag is expected. */
export const checkLag = (reports: readonly SubscriptionReport[], processes: readonly unknown[]): Check => {
  const { ok, warning } = outcomesOf('lag');
  const describe = (report: SubscriptionReport): string =>
    `${report.name} is ${report.lagPositions} positions (${Math.round(report.lagSeconds)} s) behind`;
  const late = reports.filter(({ lagSeconds }) => lagSeconds > lateAfterS);
  if (late.length > 0) {
    const fix =
      processes.length === 0
        ? 'start a server: steno serve'
        : 'look for their names in the log of the servers; if one has stopped, see docs/operations.md, Read models';
    return warning(late.map(describe).join('; '), fix);
  }
  const [worst] = reports.toSorted((a, b) => b.lagSeconds - a.lagSeconds);
  if (worst === undefined || worst.lagPositions === 0n) return ok('no read model is behind');
  return ok(`at most: ${describe(worst)}`);
};

/** Checks that events reach the KurrentDB. */
const checkRelay = ({ state, lagPositions, lagSeconds, failure }: RelayReport): Check => {
  const { ok, warning } = outcomesOf('relay');
  if (state === 'not_configured') return ok('not configured: events are not relayed');
  if (state === 'not_started') return ok('no worker has relayed yet');
  const behind = `${lagPositions} positions (${lagSeconds} s) behind`;
  if (state === 'ok') return ok(behind);
  const message = failure === null ? behind : `${behind}: ${failure}`;
  return warning(message, 'see docs/operations.md, Relay to KurrentDB');
};

/** Checks that no stream waits for a fault to be mended. */
const checkParked = async (pool: Pool): Promise<Check> => {
  const { ok, warning } = outcomesOf('parked streams');
  const report = await parkedReport(pool);
  if (report === null) return ok('none');
  const { subscription, stream, eventId, failure } = report.oldest;
  return warning(
    `${report.streams}; the oldest: ${stream}, which ${subscription} parked at event ${eventId}: ${failure}`,
    'remove the cause or deploy the fix; workers retry them at startup and every 30 s',
  );
};
