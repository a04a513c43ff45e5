import { setTimeout as pause } from 'node:timers/promises';
import { postgresIdempotency } from '../adapters/postgres/idempotency-store-postgres.ts';
import { postgresOAuthState } from '../adapters/postgres/oauth-state-postgres.ts';
import { postgresStatusHistory } from '../adapters/postgres/status-history-postgres.ts';
import { documentFetcher } from '../adapters/webhooks/document-http.ts';
import type { OAuthState } from '../authorizations/oauth-state.ts';
import type { Config } from '../config.ts';
import type { MetricsAccess } from '../edges/http/meta/metrics.ts';
import { workOf } from '../edges/http/meta/response-metrics.ts';
import type { AnsweredRequest } from '../edges/http/middleware/dependencies.ts';
import type { HttpDeps, HttpServer } from '../edges/http/server.ts';
import type { HttpSettings } from '../edges/http/settings.ts';
import { ConcurrencyError } from '../eventlog/commands/command-queue.ts';
import { isUnavailable } from '../eventlog/unavailable-error.ts';
import { NewerSchemaVersionError } from '../eventlog/upcasting.ts';
import type { LogFields } from '../kernel/logger.ts';
import type { ResponseClass } from '../kernel/metrics.ts';
import { throttled } from '../kernel/throttled.ts';
import { outboundCheck } from '../webhooks/webhook-url.ts';
import type { ApplicationCore, CoreParts } from './application-core.ts';
import { configuredUrl, listen } from './listening.ts';
import type { SecretKeys } from './secret-keys.ts';
import { lastAnswersMs, recordRegularly } from './shutdown.ts';

/** The platform is looked at this often, so that readiness knows of trouble before a caller does. */
const probeEveryMs = 120_000;
/** Sessions, captchas and counters that ran out are deleted this often, at most 5,000 of each kind a time. */
const sweepEveryMs = 60_000;
/** Of requests that cannot be served for lack of a database, one is logged this often, with their number. */
const outagesLoggedEveryMs = 10_000;
/** A request is answered within this time. */
const requestTimeLimitMs = 30_000;
/**
 * How long a proxy may keep an idle connection after the listener is closed: longer than `keepalive_timeout` of `infra/nginx.conf`.
 * If the process closed it first, a request could be on its way, and the proxy could not tell whether it was charged.
 */
const idleOfProxyMs = 3_000;

/** Serves callers until `stack` is disposed, and resolves to the URL. */
export const openHttp = async (
  stack: AsyncDisposableStack,
  config: Config,
  { commands, queries, clock, pool, secrets, cancellations }: ApplicationCore,
  parts: Pick<CoreParts, 'logger' | 'metrics' | 'baseUrl'> &
    Pick<HttpDeps, 'limiter' | 'tracer' | 'serviceRecords'> & {
      readonly access: MetricsAccess;
      readonly version: string;
    },
): Promise<string> => {
  const { limiter, tracer, serviceRecords, logger, metrics, baseUrl } = parts;
  const { createHttpServer } = await import('../edges/http/server.ts');
  const idempotency = stack.use(
    postgresIdempotency({
      pool,
      clock,
      answerKeys: secrets.ring('idempotent answers'),
      onFailure: (error) => logger.warn('idempotency keys were not kept up', { error }),
    }),
  );
  const oauthState = postgresOAuthState({ pool, clock });
  const outage = throttled<LogFields>(outagesLoggedEveryMs, (last, requests) =>
    logger.error('requests are refused with 503', { requests, ...last }),
  );
  const http = createHttpServer({
    ...{ commands, queries, clock, idempotency, limiter, tracer, cancellations, serviceRecords },
    isUnavailable: isForLater,
    onFault: ({ requestId, route, error, isOutage }) => {
      const about = { request_id: requestId, route, error };
      if (isOutage) outage(about);
      else logger.error('a request failed', about);
    },
    onAnswered: (answered) => {
      metrics.answered(answered, classOf(answered));
      logAnswered(logger, answered);
    },
    settings: {
      service: { name: 'steno', brand: 'Steno', version: parts.version },
      publicUrl: configuredUrl(config),
      trustedProxies: config.trustedProxies,
      mcpAllowedHosts: config.mcpAllowedHosts,
      timeLimitMs: requestTimeLimitMs,
      ...config.http,
      limitsPerMinute: limitsPerMinuteOf(config),
      plans: queries.plans().plans,
      anonymousCreditsPerDay: config.accounts.visitorCreditsPerDay,
      mail: { isSent: config.mail.smtpUrl !== null, supportContact: config.mail.supportContact },
      examples: config.examples,
      probeEveryMs,
      oauthRegistrationsPerHour: config.oauth.registrationsPerIpHour,
    },
    priceKeys: secrets.ring('agreed prices'),
    oauth: oauthOf(config, secrets, oauthState, baseUrl),
    statusHistory: postgresStatusHistory({ pool }),
    metrics: parts.access,
  });
  recordRegularly(stack, () => http.recordResponses());
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
    Promise.all([commands.sweepAccounts(), oauthState.sweep(clock())]).then(
      () => {},
      (error: unknown) => logger.warn('sessions, tokens and counters that ran out were not swept', { error }),
    );
  const sweeping = setInterval(() => void sweep(), sweepEveryMs);
  stack.defer(() => clearInterval(sweeping));
  return url;
};

/** What the authorization server stands on. Documents of applications are fetched by the rules of webhooks, by https alone. */
const oauthOf = (
  { webhooks, oauth }: Config,
  secrets: SecretKeys,
  state: OAuthState,
  baseUrl: () => Promise<string>,
): HttpDeps['oauth'] => ({
  state,
  fetchDocument: documentFetcher({ check: outboundCheck({ ...webhooks, isHttpAllowed: false }) }),
  cookieKeys: secrets.ring('oauth cookies').all.map(({ bytes }) => Buffer.from(bytes).toString('base64url')),
  accessTokenTtlMs: oauth.accessTokenTtlMs,
  baseUrl,
});

/** Not ready and no stream first, so that no new caller is sent here; then the answers under way; then the sockets. */
const drained = async (http: HttpServer, config: Config): Promise<void> => {
  http.drain();
  await pause(config.shutdownDrainMs);
  const idleMs = config.trustedProxies.length === 0 ? 0 : idleOfProxyMs;
  await http.close({ idleMs, limitMs: lastAnswersMs });
};

/** Liveness has its own route; a class of its own would say the same. */
const classOf = (answered: AnsweredRequest): ResponseClass => {
  const work = workOf(answered);
  return work === null || work === 'liveness' ? 'other' : work;
};

const logAnswered = (logger: CoreParts['logger'], answered: AnsweredRequest): void =>
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
export const openMetrics = async (
  stack: AsyncDisposableStack,
  { host, metrics: { port } }: Config,
  access: MetricsAccess,
  logger: CoreParts['logger'],
): Promise<string | null> => {
  if (port === null) return null;
  const { createMetricsServer } = await import('../edges/http/metrics-server.ts');
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
  isUnavailable(error) || error instanceof ConcurrencyError || error instanceof NewerSchemaVersionError;

/** One setting moves all that is counted by address; people who sign in need several requests for a page. */
const limitsPerMinuteOf = ({ limits }: Config): HttpSettings['limitsPerMinute'] => {
  const { unauthenticatedRequestsPerMinute: ip, anonymousRequestsPerMinute: visitor } = limits;
  return { ip, public: ip, session: 5 * ip, visitor };
};
