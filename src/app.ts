import { readFileSync } from 'node:fs';
import { postgresServiceRecords } from './adapters/postgres/service-records-postgres.ts';
import type { ApplicationCore } from './app/application-core.ts';
import { connectTimeoutOfCommandMs } from './app/command-pool.ts';
import { openBaseUrl } from './app/listening.ts';
import { metricsSource } from './app/metrics-source.ts';
import { openCore } from './app/open-core.ts';
import { openDatabase, takePlace } from './app/open-database.ts';
import { openHttp, openMetrics } from './app/open-http.ts';
import { openLimits } from './app/open-limits.ts';
import { operatorActionsOn } from './app/operator-actions.ts';
import { provedCommands } from './app/proved-books.ts';
import { boundedSockets, endedTogether, recordRegularly } from './app/shutdown.ts';
import { tlogActions } from './app/tlog-actions.ts';
import type { Config } from './config.ts';
import type { OperatorInterface } from './edges/cli/operator-interface.ts';
import { isUnavailable } from './eventlog/unavailable-error.ts';
import type { Logger } from './kernel/logger.ts';
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
export const { version }: { readonly version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));

/** Starts everything that the role of this process asks for. `isLocal`: see `takePlace`. */
export const startApp = async (
  config: Config,
  { logger, isLocal = false }: { readonly logger: Logger; readonly isLocal?: boolean },
): Promise<App> => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { logger }));
  const ending = boundedSockets(config);
  const { sockets } = ending;
  const { processId } = stack.use(await takePlace(config, database, { logger, sockets, isLocal }));
  const { limiter, ready: redis } = await openLimits(stack, config, logger);
  const { baseUrl, listening } = openBaseUrl(config);
  const tracer = await openTracer(stack, config, logger);
  const { prometheusMetrics } = await import('./adapters/telemetry/prometheus.ts');
  const metrics = prometheusMetrics({ version, role: config.role });
  const core = await openCore(stack, config, database, {
    ...{ logger, sockets, limiter, redis, baseUrl, metrics, tracer, processId },
    isFolding: true,
  });
  const serviceRecords = postgresServiceRecords({ pool: core.pool, clock: core.clock });
  recordRegularly(stack, () => serviceRecords.recordExtraction(core.queries.extractionHealth()));
  const pools = new Map([
    ['main', core.pool],
    ['locks', core.sessions],
  ]);
  const read = metricsSource({ ...core, metrics, pools });
  const access = { token: config.metrics.token, read };
  const working = new AsyncDisposableStack();
  const serving = new AsyncDisposableStack();
  stack.defer(ending.workEnded);
  // Side by side: the worker takes nothing more from the first moment on, while answers under way are still given.
  stack.defer(() => endedTogether(working, serving));
  // The queue's library and the HTTP edge are loaded by those who need them: a command needs neither.
  if (config.role !== 'api') {
    const { openWorker } = await import('./app/open-worker.ts');
    const options = { url: database.directUrl, sockets, logger, metrics, pools, tracer };
    await openWorker(working, config, options, core);
  }
  const isServing = config.role !== 'worker';
  const parts = { limiter, serviceRecords, logger, metrics, access, tracer, version, baseUrl };
  const url = isServing ? await openHttp(serving, config, core, parts) : null;
  const metricsUrl = isServing ? null : await openMetrics(serving, config, access, logger);
  if (url !== null) listening(url);
  if (url !== null || config.publicUrl !== null || config.tlog.origin !== null) await core.transparency.begin();
  stack.defer(ending.shutdownStarted);
  const opened = stack.move();
  return { url, metricsUrl, core, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};

/** A rebuild uses three at a time, beside a question. */
const connectionsOfCommand = 4;

/** Opens the application without a server: what a command of an operator needs, beside a running server too. */
export const openApplication = async (given: Config, { logger }: { logger: Logger }): Promise<OperatorInterface> => {
  const poolSize = Math.max(given.database.poolSize, connectionsOfCommand);
  const config = { ...given, database: { ...given.database, poolSize } };
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config, { logger }));
  const core = await openCore(stack, config, database, {
    // `steno verify` and `steno log adopt` are for a log that the server refuses.
    ...{ logger, isFolding: false, mustAgree: false, queryTimeoutMs: null },
    connectTimeoutMs: connectTimeoutOfCommandMs,
  });
  const parts = stack.move();
  return {
    commands: { ...core.commands, ...provedCommands(core) },
    queries: core.queries,
    actions: { ...operatorActionsOn(core), ...tlogActions(core) },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** Null: tracing is off. Its library is loaded where it is on. */
const openTracer = async (
  stack: AsyncDisposableStack,
  { tracing, serviceName, role }: Config,
  logger: Pick<Logger, 'warn'>,
): Promise<Tracer | null> => {
  if (tracing === null) return null;
  const { openTelemetryTracer } = await import('./adapters/telemetry/opentelemetry.ts');
  const onFailure = (error: unknown): void => logger.warn('traces could not be sent', { error });
  return stack.use(openTelemetryTracer({ ...tracing, serviceName, version, role, onFailure }));
};
