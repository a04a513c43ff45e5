import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresIdempotency } from './adapters/idempotency.ts';
import { memoryLimiter } from './adapters/limiter-memory.ts';
import { socketsUntil } from './adapters/postgres/sockets.ts';
import { postgresServiceRecords } from './adapters/service-records.ts';
import { postgresStatusHistory } from './adapters/status-history.ts';
import { type ApplicationCore, openCore } from './app/application-core.ts';
import { configuredUrl, openBaseUrl, urlAt } from './app/base-url.ts';
import { metricsSource } from './app/metrics-source.ts';
import { subkey } from './app/open-accounts.ts';
import { openDatabase, takePlace } from './app/open-database.ts';
import { operationsOn } from './app/operations.ts';
import type { Config } from './config.ts';
import { plans } from './credits/plans.ts';
import type { OperatorInterface } from './edges/cli/operator-interface.ts';
import type { MetricsAccess } from './edges/http/meta/metrics.ts';
import { workOf } from './edges/http/meta/response-metrics.ts';
import type { Answered } from './edges/http/middleware/dependencies.ts';
import type { HttpServer } from './edges/http/server.ts';
import type { HttpSettings } from './edges/http/settings.ts';
import { ConcurrencyError } from './eventlog/commands/command-queue.ts';
import { isUnavailable } from './eventlog/unavailable-error.ts';
import { NewerSchemaVersionError } from './eventlog/upcasting.ts';
import { systemClock } from './kernel/clock.ts';
import type { Limiter } from './kernel/limiter.ts';
import type { Logger } from './kernel/logger.ts';
import type { Metrics, ResponseClass } from './kernel/metrics.ts';
import type { ServiceRecordStore } from './kernel/service-records.ts';
import { shutdownTimeoutMs } from './kernel/task-payload.ts';
import type { Tracer } from './kernel/tracing.ts';

export { isUnavailable };

/**
 * The running program. Disposing it says "not ready" and takes no more work from the queue, drains, closes and frees
 * everything, in that order.
 */
export type App = {
  /** Null: this role listens nowhere. */
  readonly url: string | null;
  /** Where a worker serves its metrics; null: nowhere, or at `url`. */
  readonly metricsUrl: string | null;
  readonly core: ApplicationCore;
  [Symbol.asyncDispose](): Promise<void>;
};

const packageFile = new URL('../package.json', import.meta.url);
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(packageFile, 'utf8'),
);
/** API processes that a limit is divided among while Redis is away; more would let callers exceed it. */
const expectedProcesses = 2;
/** The platform is looked at this often, so that readiness knows of trouble before a caller does. */
const probeEveryMs = 120_000;
/** What a process counted is stored this often: a crash loses no more. */
const recordEveryMs = 60_000;
/** A database that has not taken the last counts of a process by then gets none. */
const lastRecordMs = 1_000;
/** Sessions, captchas and counters that ran out are deleted this often, at most 5,000 of each kind a time. */
const sweepEveryMs = 60_000;
/** A request is answered within this time. */
const requestTimeLimitMs = 30_000;
/** How long answers under way may take after the listener is closed. */
const lastAnswersMs = 15_000;
/**
 * So long after the last answers and the last work the database may take to hear of them; one that has not answered by then
 * is silent, and nobody waits for it any more. The process ends at 25 s in any case.
 */
const lastWordsMs = 4_000;
const latestSilenceMs = 22_000;
/**
 * How long a proxy may keep an idle connection after the listener is closed: longer than `keepalive_timeout` of `infra/nginx.conf`.
 * If the process closed it first, a request could be on its way, and the proxy could not tell whether it was charged.
 */
const idleOfProxyMs = 3_000;

/** Starts everything that the role of this process asks for. `isLocal`: see `takePlace`. */
export const startApp = async (
  config: Config,
  { logger, isLocal = false }: { readonly logger: Logger; readonly isLocal?: boolean },
): Promise<App> => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { logger }));
  const silent = new AbortController();
  const sockets = socketsUntil(silent.signal);
  const waitNoLongerThan = (ms: number): void => {
    setTimeout(() => silent.abort(), ms).unref();
  };
  stack.use(await takePlace(config, database, { logger, sockets, isLocal }));
  const limits = await limitsOn(stack, config, logger);
  const { baseUrl, listening } = openBaseUrl(config);
  const tracer = await openTracer(stack, config, logger);
  const { prometheusMetrics } = await import('./adapters/prometheus.ts');
  const metrics = prometheusMetrics({ version, role: config.role });
  const core = await openCore(stack, config, database, {
    logger,
    isFolding: true,
    sockets,
    redis: limits.ready,
    baseUrl,
    metrics,
    tracer,
  });
  const records = postgresServiceRecords({ pool: core.pool, clock: core.clock });
  repeat(stack, recordEveryMs, () => records.recordExtraction(core.queries.extractionHealth()));
  const pools = new Map([
    ['main', core.pool],
    ['locks', core.sessions],
  ]);
  const read = metricsSource({ ...core, metrics, pools });
  const access = { token: config.metrics.token, read };
  const working = new AsyncDisposableStack();
  const serving = new AsyncDisposableStack();
  stack.defer(() => waitNoLongerThan(lastWordsMs));
  // Side by side: the worker takes nothing more from the first moment on, while answers under way are still given.
  stack.defer(() => endedTogether(working, serving));
  // The queue's library and the HTTP edge are loaded by those who need them: a command needs neither.
  if (config.role !== 'api') {
    const { openWorker } = await import('./app/open-worker.ts');
    const options = { url: database.directUrl, sockets, logger, metrics, pools, tracer };
    await openWorker(working, config, options, core);
  }
  const isServing = config.role !== 'worker';
  const { limiter } = limits;
  const parts = { limiter, records, logger, metrics, access, tracer };
  const url = isServing ? await serve(serving, config, core, parts) : null;
  const metricsUrl = isServing ? null : await serveMetrics(serving, config, access, logger);
  if (url !== null) listening(url);
  stack.defer(() => waitNoLongerThan(shutdownTimeoutOf(config)));
  const opened = stack.move();
  return { url, metricsUrl, core, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};

/** How long the database is waited for at most once the process is to end. */
const shutdownTimeoutOf = ({ role, shutdownDrainMs }: Config): number => {
  const underWayMs = role === 'worker' ? shutdownTimeoutMs : shutdownDrainMs + lastAnswersMs;
  return Math.min(underWayMs + lastWordsMs, latestSilenceMs);
};

/** A rebuild uses three at a time, beside a question. */
const connectionsOfCommand = 4;

/** Opens the application without a server: what a command of an operator needs, beside a running server too. */
export const openApplication = async (
  given: Config,
  { logger }: { logger: Logger },
): Promise<OperatorInterface> => {
  const poolSize = Math.max(given.database.poolSize, connectionsOfCommand);
  const config = { ...given, database: { ...given.database, poolSize } };
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { logger }));
  // `steno verify` and `steno log adopt` are for a log that the server refuses.
  const folding = { logger, isFolding: false, mustAgree: false, queryTimeoutMs: null };
  const core = await openCore(stack, config, database, folding);
  const parts = stack.move();
  return {
    commands: core.commands,
    operations: operationsOn(core),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** Ends all of them at the same time, and waits for each also when another one fails. */
const endedTogether = async (...parts: readonly AsyncDisposable[]): Promise<void> => {
  const ends = await Promise.allSettled(parts.map((part) => part[Symbol.asyncDispose]()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};

const serve = async (
  stack: AsyncDisposableStack,
  config: Config,
  { commands, queries, clock, pool, cancellations }: ApplicationCore,
  {
    limiter,
    records,
    logger,
    metrics,
    access,
    tracer,
  }: {
    readonly limiter: Limiter;
    readonly records: ServiceRecordStore;
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly access: MetricsAccess;
    readonly tracer: Tracer | null;
  },
): Promise<string> => {
  const { createHttpServer } = await import('./edges/http/server.ts');
  const idempotency = stack.use(
    postgresIdempotency({
      pool,
      clock,
      answerKey: subkey(config.secretKey, 'idempotent answers'),
      onFailure: (error) => logger.warn('idempotency keys were not kept up', { error }),
    }),
  );
  const http = createHttpServer({
    commands,
    queries,
    clock,
    idempotency,
    limiter,
    isUnavailable: isForLater,
    tracer,
    onFault: ({ requestId, route, error }) =>
      logger.error('a request failed', { request_id: requestId, route, error }),
    onAnswered: (answered) => {
      metrics.answered(answered, classOf(answered));
      logAnswered(logger, answered);
    },
    settings: {
      service: { name: 'steno', brand: 'Steno', version },
      publicUrl: configuredUrl(config),
      trustedProxies: config.trustedProxies,
      mcpAllowedHosts: config.mcpAllowedHosts,
      timeLimitMs: requestTimeLimitMs,
      ...config.http,
      limitsPerMinute: limitsPerMinuteOf(config),
      plans,
      anonymousCreditsPerDay: config.limits.anonymousCreditsPerDay,
      mail: {
        isSent: config.mail.smtpUrl !== null,
        supportContact: config.mail.supportContact,
      },
      examples: config.examples,
      probeEveryMs,
    },
    mounts: [],
    cancellations,
    statusHistory: postgresStatusHistory({ pool }),
    serviceRecords: records,
    metrics: access,
  });
  repeat(stack, recordEveryMs, () => http.recordResponses());
  const url = await listen(http.server, { ...config, setting: 'PORT' });
  stack.defer(() => drained(http, config));
  // What a probe finds is kept by the engine, for readiness and status; a failed one is found, not thrown.
  const look = async (): Promise<void> => {
    await queries.probe().catch(() => {});
    // A status that could not be stored is stored with the next one.
    await http.recordStatus().catch(() => {});
  };
  const probing = setInterval(() => void look(), probeEveryMs);
  stack.defer(() => clearInterval(probing));
  // What has run out is refused anyway; sweeping only keeps the tables small.
  const sweep = (): Promise<void> =>
    commands.sweepAccounts().catch((error: unknown) => {
      logger.warn('sessions and counters that ran out were not swept', { error });
    });
  const sweeping = setInterval(() => void sweep(), sweepEveryMs);
  stack.defer(() => clearInterval(sweeping));
  return url;
};

/** Repeats work until `stack` is disposed, and once more then, as far as that goes in time. What fails is done with the next time. */
const repeat = (stack: AsyncDisposableStack, everyMs: number, work: () => Promise<void>): void => {
  const attempt = (): Promise<void> => work().catch(() => {});
  const timer = setInterval(() => void attempt(), everyMs);
  stack.defer(() => {
    clearInterval(timer);
    return Promise.race([attempt(), pause(lastRecordMs, undefined, { ref: false })]);
  });
};

/** Liveness has its own route; a class of its own would say the same. */
const classOf = (answered: Answered): ResponseClass => {
  const work = workOf(answered);
  return work === null || work === 'liveness' ? 'other' : work;
};

const logAnswered = (logger: Pick<Logger, 'debug'>, answered: Answered): void =>
  logger.debug('answered', {
    request_id: answered.requestId,
    ...(answered.ownId === answered.requestId ? {} : { own_request_id: answered.ownId }),
    account_id: answered.accountId,
    method: answered.method,
    route: answered.route,
    status: answered.status,
    code: answered.code,
    credits: answered.creditsCharged,
    ms: Math.round(answered.ms),
  });

/** The metrics of a worker, on a port of their own. */
const serveMetrics = async (
  stack: AsyncDisposableStack,
  { host, metrics: { port } }: Config,
  access: MetricsAccess,
  logger: Pick<Logger, 'info'>,
): Promise<string | null> => {
  if (port === null) return null;
  const { createMetricsServer } = await import('./edges/http/metrics-server.ts');
  const server = createMetricsServer(access);
  const url = await listen(server, { host, port, setting: 'METRICS_PORT' });
  stack.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  logger.info('metrics are served', { url: `${url}/metrics` });
  return url;
};

/** Not now, or not by this process: during a deployment another one may be of the version that can. */
const isForLater = (error: unknown): boolean =>
  isUnavailable(error) ||
  error instanceof ConcurrencyError ||
  error instanceof NewerSchemaVersionError;

/** One setting moves all that is counted by address; people who sign in need several requests for a page. */
const limitsPerMinuteOf = ({ limits }: Config): HttpSettings['limitsPerMinute'] => {
  const { unauthenticatedRequestsPerMinute: ip, anonymousRequestsPerMinute: visitor } = limits;
  return { ip, public: ip, session: 5 * ip, visitor };
};

/** Null: tracing is off. Its library is loaded where it is on. */
const openTracer = async (
  stack: AsyncDisposableStack,
  { tracing, role }: Config,
  logger: Pick<Logger, 'warn'>,
): Promise<Tracer | null> => {
  if (tracing === null) return null;
  const { openTelemetryTracer } = await import('./adapters/opentelemetry.ts');
  const onFailure = (error: unknown): void => logger.warn('traces could not be sent', { error });
  return stack.use(openTelemetryTracer({ ...tracing, version, role, onFailure }));
};

/** Redis where it is configured, this process alone elsewhere and while Redis is away. */
const limitsOn = async (
  stack: AsyncDisposableStack,
  { redisUrl, role }: Config,
  logger: Logger,
): Promise<{ readonly limiter: Limiter; readonly ready: (() => Promise<boolean>) | null }> => {
  const clock = systemClock;
  const insurance = memoryLimiter({ clock });
  if (redisUrl === null || role === 'worker') return { limiter: insurance, ready: null };
  // Only those load the client who have a Redis.
  const { redisLimiter } = await import('./adapters/limiter-redis.ts');
  const limiter = stack.use(
    redisLimiter({
      url: redisUrl,
      clock,
      insurance,
      nodes: expectedProcesses,
      onFailure: (error) => logger.warn('rate limits are counted without Redis', { error }),
    }),
  );
  return { limiter, ready: () => limiter.ready().then(() => true) };
};

/** Not ready and no stream first, so that no new caller is sent here; then the answers under way; then the sockets. */
const drained = async (http: HttpServer, config: Config): Promise<void> => {
  http.drain();
  await pause(config.shutdownDrainMs);
  const idleMs = config.trustedProxies.length === 0 ? 0 : idleOfProxyMs;
  await http.close({ idleMs, limitMs: lastAnswersMs });
};

const listen = (
  server: Server,
  {
    host,
    port,
    setting,
  }: { readonly host: string; readonly port: number; readonly setting: string },
): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = 'code' in error && error.code === 'EADDRINUSE';
      reject(
        isTaken
          ? new Error(
              `${setting} ${port} on ${host} is in use by another program; stop it or set ${setting}`,
            )
          : new Error(`HOST ${host} and ${setting} ${port} cannot be listened on`, {
              cause: error,
            }),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      const real = typeof address === 'object' && address !== null ? address.port : port;
      resolve(urlAt(host, real));
    });
  });
