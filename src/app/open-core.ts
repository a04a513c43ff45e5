import type { Pool } from 'pg';
import type { Sql } from 'postgres';
import { accountEventsOf } from '#projections/accounts.ts';
import { headPosition } from '#projections/ledger-entries.ts';
import { memoryLimiter } from '../adapters/memory/limiter-memory.ts';
import { postgresAuthorizations } from '../adapters/postgres/authorizations-postgres.ts';
import { credentialVersion } from '../adapters/postgres/credential-version.ts';
import { keyCredentials } from '../adapters/postgres/key-credentials-postgres.ts';
import { postgresExportSource } from '../adapters/postgres/ledger-export-postgres.ts';
import { postgresPaidCaptions } from '../adapters/postgres/paid-captions-postgres.ts';
import { readable, withPersonalTexts } from '../adapters/postgres/personal-text-store.ts';
import { postgresPool, type Sockets } from '../adapters/postgres/pool.ts';
import { listProcesses } from '../adapters/postgres/process-registry.ts';
import { readConnections, readingConnections } from '../adapters/postgres/read-connections.ts';
import { postgresTranscriptCache } from '../adapters/postgres/transcript-cache-postgres.ts';
import { o200k } from '../adapters/tokenizer/o200k.ts';
import { manageAuthorizations } from '../authorizations/manage-authorizations.ts';
import { wireCommands } from '../commands.ts';
import type { Config } from '../config.ts';
import type { Freshness } from '../credits/ledger/ledger-service.ts';
import { personalTextFields } from '../events.ts';
import { aiStatusOf, insightCommands } from '../insights/insight-commands.ts';
import { chunker } from '../insights/read-chunks.ts';
import { type Call, callWithoutRequest } from '../kernel/call.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Limiter } from '../kernel/limiter.ts';
import type { Logger } from '../kernel/logger.ts';
import { noMetrics } from '../kernel/metrics.ts';
import { currentTraceparent } from '../kernel/tracing.ts';
import { type KeyCreated, streamOf } from '../keys/key.ts';
import { manageKeys } from '../keys/manage-keys.ts';
import { longReads } from '../queries/long-reads.ts';
import { isScope, type KeyView, type Queries, wireQueries } from '../queries.ts';
import { wordCounter } from '../transcripts/tokens.ts';
import { announceEvent } from './announce-event.ts';
import type { ApplicationCore, CoreParts } from './application-core.ts';
import { configuredUrl } from './listening.ts';
import { openAccounts } from './open-accounts.ts';
import { openAdmission } from './open-admission.ts';
import type { OpenDatabase } from './open-database.ts';
import { openEngine } from './open-engine.ts';
import { openFollows } from './open-follows.ts';
import { openInsights } from './open-insights.ts';
import { openJobs } from './open-jobs.ts';
import { openLedger } from './open-ledger.ts';
import { openLibrary } from './open-library.ts';
import { type OpenLog, openLog } from './open-log.ts';
import { openMail } from './open-mail.ts';
import { openReceipts } from './open-receipts.ts';
import { openSpeech } from './open-speech.ts';
import { openTransparencyLog } from './open-transparency-log.ts';
import { describedPlans } from './plans-file.ts';
import { looksOf } from './readiness.ts';
import { openSecretKeys } from './secret-keys.ts';

/** `baseUrl` unset: as configured; `tracer` unset: tracing is off. */
type CoreOptions = Partial<Pick<CoreParts, 'clock' | 'baseUrl' | 'metrics' | 'tracer'>> & {
  readonly logger: Logger;
  readonly isFolding: boolean;
  /** See `openLog`; true unless said otherwise. */
  readonly mustAgree?: boolean;
  /** Statement timeout of queries; null (none) for exports. */
  readonly queryTimeoutMs?: number | null;
  /** Unset: this process counts alone. */
  readonly limiter?: Limiter;
  /** Timeout of a connection to the database; unset: the short one of a server, whose callers try again. */
  readonly connectTimeoutMs?: number;
  /** Creates the sockets of connections that wait long or without a timeout; by default the driver does. */
  readonly sockets?: Sockets;
  readonly redis?: (() => Promise<boolean>) | null;
  /** The registration of this process; null: it has none. */
  readonly processId?: string | null;
};

/** Opens the modules on a database; what was opened closes with `stack`. `isFolding`: see `openLog`. */
export const openCore = async (
  stack: AsyncDisposableStack,
  config: Config,
  database: OpenDatabase,
  options: CoreOptions,
): Promise<ApplicationCore> => {
  const { logger, isFolding, mustAgree = true, clock = systemClock, redis = null } = options;
  const { queryTimeoutMs: timeoutMs, sockets, metrics = noMetrics, tracer = null } = options;
  const { baseUrl = async () => configuredUrl(config), connectTimeoutMs } = options;
  const { processId = null, limiter = memoryLimiter({ clock }) } = options;
  const plans = describedPlans(config);
  const pool = openPool(stack, database.url, config.database.poolSize, options);
  const others = async () => (await listProcesses(database.directUrl)).filter((one) => one.processId !== processId);
  const secrets = await openSecretKeys(pool, config, others);
  const sql = await readConnections({ url: database.readUrl, timeoutMs, connectTimeoutMs });
  stack.defer(() => sql.end({ timeout: 1 }));

  const { url, directUrl: announceUrl } = database;
  const from = { pool, announceUrl, isDirect: announceUrl === url, sockets, onConflict: metrics.appendConflicted };
  const opened = await openLog(stack, { ...from, logger, isFolding, mustAgree, connectTimeoutMs });
  const { caughtUp } = opened;
  const ledger = stack.use(openLedger(opened.log, clock, metrics.creditsCharged));
  const words = { pool, personalTextFields, key: secrets.ring('words of owners').current.bytes };
  const log = withPersonalTexts(opened.log, words);
  const version = credentialVersion(pool);
  const credentials = stack.use(keyCredentials({ pool, clock, version }));
  const keys = manageKeys({ log, credentials, clock, maxKeys: config.limits.keysPerAccount });
  const authorizationStore = postgresAuthorizations({ pool, clock });
  const authorizations = manageAuthorizations({ log, store: authorizationStore, clock });
  const recognizeSpeech = await openSpeech(config, logger);
  const cache = postgresTranscriptCache({ pool });
  const engine = stack.use(openEngine(config, { cache, clock, logger, tracer, metrics, recognizeSpeech }));
  const accounts = await openAccounts(config, {
    ...{ pool, log, keys, authorizations, clock, baseUrl, secrets },
    endJobs: (accountId) => jobs.endJobs(accountId),
  });

  const transparency = openTransparencyLog(config, { pool, secrets, clock, baseUrl, logger });
  const onFailure = (error: unknown) => logger.warn('it was not noted what captions were paid for', { error });
  const paid = stack.use(postgresPaidCaptions({ pool, onFailure }));
  const insights = await openInsights(config, { pool, logger });
  const balanceOf = (accountId: string, wanted: Freshness) => ledger.balance({ accountId }, wanted);
  const { keeper, libraryWith, mergeLibraries } = openLibrary({
    ...{ pool, isDirect: from.isDirect, version, log, clock, ledger, insights, balanceOf, logger, systemCall },
  });
  const { admit, ...bounds } = openAdmission(config, { pool, secrets, clock, limiter });
  const tokens = wordCounter(o200k);
  const longRead = longReads({ connections: readingConnections });
  const shared = { pool, secrets, log, sql, longRead, clock, ledger, engine, insights, caughtUp, systemCall, baseUrl };
  const jobs = openJobs(config, { ...shared, ...bounds, paid, keeper, tokens, tracer, metrics, logger });

  const follows = openFollows(config, { ...shared, jobs, accounts, authorizationStore, ...bounds });
  const queries = wireQueries({
    ...{ sql, longRead, clock, engine, credentials, balanceOf, caughtUp },
    aiStatus: () => aiStatusOf(insights, recognizeSpeech !== null),
    ...{ authorizations: authorizationStore, jobs: jobs.queries, follows: follows.queries },
    accountEvents: accountHistory(sql, opened, words),
    ...looksOf(config, { ...opened, pool, redis, logger }),
    ...{ isBillingConfigured: config.isBillingConfigured, plans, maxKeys: config.limits.keysPerAccount },
    ...{ transparencyLog: transparency.log, exportSource: openExports(stack, database.url, options) },
    ...{ receipts: openReceipts(config, { pool, secrets }), upcast: opened.log.upcast },
  });
  const operations = insightCommands({ ...insights, engine, ledger, admit, keeper });
  const commands = wireCommands({
    ...{ accounts, jobs: jobs.commands, follows: follows.commands, insights: operations },
    ...libraryWith({ ...operations, admit }),
    ...{ engine, admit, ledger, keys, authorizations, paid, keeper, tokens, clock, newOperatorCall },
    chunksOf: chunker({ engine, tokens }),
    witness: transparency.witness,
    viewKey: viewKeyWith(log),
    onFault: (error) => logger.error('reading one video of a batch failed', { error }),
  });
  const mail = openMail(config, { pool, secrets, clock, logger, baseUrl, queries, authorizationStore, balanceOf });
  const announcing = { announceEvent: announceEvent({ log, baseUrl, webhooks: jobs.webhooks }) };
  const work = { ...jobs.work, ...follows.work, ...announcing, ...mail };
  const core = { pool, sql, clock, secrets, ...opened, log, ledger, engine, transparency };
  return { ...core, commands, queries, work, mergeLibraries, keepCharged: keeper.keepCharged };
};

/** Exports read by COPY, a part at a time: a few connections are enough for all of them. */
const openExports = (
  stack: AsyncDisposableStack,
  url: string,
  { sockets }: Pick<CoreOptions, 'sockets'>,
): ReturnType<typeof postgresExportSource> => {
  const pool = postgresPool({ url, applicationName: 'steno exports', max: 2, sockets, isPipelined: false });
  stack.defer(() => pool.end());
  return postgresExportSource({ pool });
};

const openPool = (
  stack: AsyncDisposableStack,
  url: string,
  max: number,
  { logger, sockets, connectTimeoutMs: acquireTimeoutMs }: CoreOptions,
): Pool => {
  const onLost = (error: Error) => logger.warn('a database connection was lost', { error });
  const pool = postgresPool({ url, applicationName: 'steno', max, acquireTimeoutMs, sockets, onLost });
  stack.defer(() => pool.end());
  return pool;
};

/** The history of an account, with its owner's texts in place of references. */
const accountHistory =
  (sql: Sql, { log, caughtUp }: OpenLog, words: Parameters<typeof withPersonalTexts>[1]): Queries['accountEvents'] =>
  async (accountId, page) => {
    await caughtUp('account_events', await headPosition(sql));
    const { rows, nextBefore } = await accountEventsOf(sql, accountId, page);
    const today = rows.map(({ schemaVersion, ...event }) => ({
      ...event,
      data: log.upcast(event.type, schemaVersion, event.data),
    }));
    return { events: await readable(words.pool, words, today), nextBefore };
  };

/**
 * A new key as its owner sees it. Its secret is in the same response and is shown once, so the response
 * does not wait for the read model.
 */
const viewKeyWith =
  (log: Pick<OpenLog['log'], 'read'>) =>
  async (keyId: string): Promise<KeyView> => {
    const [created] = await log.read<KeyCreated>(streamOf(keyId), { limit: 1 });
    if (created === undefined) throw new Error(`${keyId} was made and is not in the log`);
    const { name, prefix, scopes, capCredits, expiresAt, at } = created.data;
    return {
      keyId,
      name,
      prefix,
      scopes: scopes.filter(isScope),
      capCredits,
      capPeriod: created.data.capPeriod ?? 'period',
      warnAt: created.data.warnAt ?? [],
      capUsed: capCredits === null ? null : 0,
      expiresAt,
      rolledTo: null,
      createdAt: at,
      lastUsedAt: null,
      revokedAt: null,
      creditsUsed: 0,
    };
  };

const newOperatorCall = (accountId: string): Call => ({
  ...systemCall(accountId),
  actor: { type: 'operator', id: 'cli' },
  channel: 'cli',
});

/** A call made by the system itself. */
export const systemCall = (accountId: string): Call =>
  callWithoutRequest({
    accountId,
    actor: { type: 'system', id: 'steno' },
    channel: 'system',
    traceparent: currentTraceparent(),
    signal: new AbortController().signal,
  });
