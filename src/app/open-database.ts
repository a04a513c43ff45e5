import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedPostgres } from '../adapters/embedded-postgres/embedded-postgres.ts';
import { inspectMigrations, migrate } from '../adapters/postgres/migrations.ts';
import type { Sockets } from '../adapters/postgres/pool.ts';
import { type Registration, registerProcess } from '../adapters/postgres/process-registry.ts';
import { readServerInfo, type ServerInfo } from '../adapters/postgres/server-info.ts';
import type { Config } from '../config.ts';
import { codeOf, isUnavailable } from '../eventlog/unavailable-error.ts';
import { elapsedMs, systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { keyIdsOf } from './secret-keys.ts';

/** The database of this process, reachable and migrated. Disposing it stops an embedded server that no other process uses. */
export type OpenDatabase = {
  readonly url: string;
  /** For LISTEN, the worker and session advisory locks. */
  readonly directUrl: string;
  /** For queries that may be stale: the read replica, if configured. */
  readonly readUrl: string;
  /** A description for operators; of an embedded database its actual folder. */
  readonly place: string;
  /** The folder of an embedded database; null for any other. */
  readonly folder: string | null;
  [Symbol.asyncDispose](): Promise<void>;
};

/** How long to wait for a database that starts at the same time (compose, a reboot). */
const connectTimeoutMs = 15_000;
const oldestVersion = 150_000;

/** Connects to the configured database or starts the embedded one, and applies the migrations unless told not to. */
export const openDatabase = async (
  config: Config,
  options: { readonly logger: Logger; readonly withMigrations?: boolean },
): Promise<OpenDatabase> => {
  const { logger, withMigrations = true } = options;
  const database = await connect(config, logger);
  try {
    if (withMigrations) {
      const onApplied = (name: string) => logger.info('migration applied', { name });
      await directly(database, (url) => migrate({ url, onApplied, onNotice: logger.warn }));
    }
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
};

const connect = async (config: Config, logger: Logger): Promise<OpenDatabase> => {
  const { url, directUrl, readUrl } = config.database;
  if (url === null || directUrl === null || readUrl === null) {
    const embedded = await openEmbeddedPostgres({
      dataDir: config.dataDir,
      onNotice: (message) => logger.info(message),
    });
    const own = embedded.url;
    return {
      url: own,
      directUrl: own,
      readUrl: own,
      place: `embedded, in ${embedded.folder}`,
      folder: embedded.folder,
      [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
    };
  }
  await waitFor('DATABASE_URL', url, { logger, isWritten: true });
  if (directUrl !== url) {
    await waitFor('DATABASE_DIRECT_URL', directUrl, { logger, isWritten: true });
  }
  if (readUrl !== url) await waitFor('DATABASE_READ_URL', readUrl, { logger, isWritten: false });
  return { url, directUrl, readUrl, place: 'as configured', folder: null, [Symbol.asyncDispose]: async () => {} };
};

const waitFor = async (
  name: string,
  url: string,
  { logger, isWritten }: { readonly logger: Logger; readonly isWritten: boolean },
): Promise<void> => {
  const deadline = elapsedMs() + connectTimeoutMs;
  for (;;) {
    try {
      const flaw = flawOf(await readServerInfo(url, systemClock), isWritten);
      if (flaw === null) return;
      throw new Error(flaw);
    } catch (error) {
      const isPassing = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|57P03|timeout/.test(reasonOf(error));
      if (!isPassing || elapsedMs() > deadline) throw unusable(name, url, error);
      logger.warn('waiting for the database', { variable: name, reason: reasonOf(error) });
      await pause(1_000);
    }
  }
};

/** Why the server cannot be used; null if it can. */
const flawOf = ({ version, versionNumber, encoding, isReadOnly }: ServerInfo, isWritten: boolean): string | null => {
  if (versionNumber < oldestVersion) return `it is Postgres ${version}; 15 to 18 are supported`;
  if (encoding !== 'UTF8') {
    return `its encoding is ${encoding}, and captions need UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`;
  }
  return isReadOnly && isWritten ? 'it accepts no writes: is it a standby?' : null;
};

const unusable = (name: string, url: string, error: unknown, advice = ''): Error => {
  const { host, pathname } = new URL(url);
  return new Error(`${name} (${host}${pathname}) cannot be used: ${reasonOf(error)}${advice}`, { cause: error });
};

/** A connection that tries several addresses fails with an AggregateError without a message. */
const reasonOf = (error: unknown): string => {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  return 'code' in first && !first.message.includes(String(first.code))
    ? `${first.message} (${first.code})`
    : first.message;
};

/** SQLSTATE insufficient_privilege. */
const notAllowed = '42501';

/** Runs `work` on the direct connection; an error names the setting of that connection. */
const directly = async <Result>(
  { url, directUrl }: Pick<OpenDatabase, 'url' | 'directUrl'>,
  work: (url: string) => Promise<Result>,
): Promise<Result> => {
  try {
    return await work(directUrl);
  } catch (error) {
    const isForbidden = codeOf(error) === notAllowed;
    if (!isForbidden && !isUnavailable(error)) throw error;
    const name = directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
    throw unusable(name, directUrl, error, isForbidden ? '; its role has to make tables' : '');
  }
};

/** Applies missing migrations, or with `isDryRun` only returns their names. */
export const migrateDatabase = async (
  config: Config,
  { logger }: { readonly logger: Logger },
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<readonly string[]> => {
  await using database = await openDatabase(config, { logger, withMigrations: false });
  if (!isDryRun) return await directly(database, (url) => migrate({ url, onNotice: logger.warn }));

  const { pending } = await directly(database, (url) => inspectMigrations({ url }));
  return pending.map(({ name }) => name);
};

/**
 * Registers this process on its database. Refuses if a limit would be weakened:
 * without Redis every API process counts limits for itself, and one data folder has one server. Processes that serve
 * only the owner of a data folder (`isLocal`) may share it.
 */
export const takePlace = (
  config: Config,
  database: OpenDatabase,
  {
    logger,
    sockets,
    isLocal = false,
  }: { readonly logger: Logger; readonly sockets: Sockets; readonly isLocal?: boolean },
): Promise<Registration> => {
  const { role, dataDir } = config;
  const isEmbedded = config.database.url === null;
  const kinds = role === 'all' ? (['api', 'worker'] as const) : ([role] as const);
  return registerProcess({
    url: database.directUrl,
    sockets,
    role,
    keyIds: keyIdsOf(config),
    claims: kinds.map((what) => ({
      what,
      isShared: isEmbedded ? isLocal : what === 'worker' || config.redisUrl !== null,
    })),
    refusal: (who) =>
      isEmbedded
        ? `DATA_DIR ${dataDir} is in use by ${who}; ${isLocal ? 'name its address with --url' : 'stop it'}, or give this one a DATA_DIR of its own`
        : `${who} runs on this database, and each would count rate limits for itself; set REDIS_URL for all of them`,
    onNotice: (message, cause) => logger.warn(message, { error: cause }),
  });
};
