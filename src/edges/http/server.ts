import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type Request, type Response, Router } from 'express';
import type { StatusReport } from '../../contract/meta.ts';
import type { Queries, ServiceRecordStore, StatusHistory } from '../../queries.ts';
import { type GracefulClose, gracefulCloseOf } from './graceful-close.ts';
import { memoizeFor } from './meta/memoize.ts';
import { responseMetrics } from './meta/response-metrics.ts';
import { statusReport } from './meta/status.ts';
import { hasHead, otherMethods } from './middleware/allowed-methods.ts';
import { isSecure, trustedProxies } from './middleware/client-address.ts';
import type { MiddlewareDeps } from './middleware/dependencies.ts';
import { errorMiddleware, notFound } from './middleware/error-handler.ts';
import { eventStreams } from './middleware/event-streams.ts';
import { jobEventStreams } from './middleware/job-event-streams.ts';
import { requestLimits } from './middleware/request-limits.ts';
import type { Route } from './middleware/route.ts';
import { routeHandler } from './middleware/route-handler.ts';
import { authorizationServer } from './oauth/authorization-server.ts';
import { oneAtATime, readInPieces } from './pipelining.ts';
import { type RouteDeps, routesOf } from './routes.ts';
import type { HttpSettings } from './settings.ts';
import { answerSocketErrors } from './socket-errors.ts';
import { buildAssets } from './website/assets.ts';
import { errorPageOf } from './website/website.ts';

export type HttpDeps = Pick<
  MiddlewareDeps,
  'limiter' | 'idempotency' | 'clock' | 'isUnavailable' | 'tracer' | 'onFault' | 'onAnswered'
> &
  Pick<RouteDeps, 'commands' | 'queries' | 'cancellations' | 'metrics' | 'priceKeys'> & {
    readonly settings: HttpSettings;
    readonly statusHistory: StatusHistory;
    readonly serviceRecords: Pick<ServiceRecordStore, 'recordResponses' | 'read'>;
    readonly oauth: Omit<Parameters<typeof authorizationServer>[0], 'commands' | 'clock'>;
  };

export type HttpServer = {
  readonly server: Server;
  /** Adds the present status to its history. */
  recordStatus(): Promise<void>;
  /** Stores what was counted of responses since the last time. */
  recordResponses(): Promise<void>;
  /** From now on readiness fails and streams end. */
  drain(): void;
  readonly close: GracefulClose;
};

/**
 * The HTTP server, before it listens. Middleware in order: `requestLimits` (request id, headers, limits)
 * → route (404, 405) → `route-handler.ts` (key, rate, scope, body, schema, Idempotency-Key, command) → `error-handler.ts`.
 */
export const createHttpServer = (deps: HttpDeps): HttpServer => {
  const { settings } = deps;
  const measured = responseMetrics(deps);
  const draining = new AbortController();
  const middleware: MiddlewareDeps = {
    ...deps,
    ...settings,
    limits: settings.limitsPerMinute,
    proxies: trustedProxies(settings.trustedProxies),
    isHttps: settings.publicUrl.startsWith('https:'),
    draining: draining.signal,
    errorPage: errorPageOf({ assets: buildAssets, publicUrl: settings.publicUrl }),
    onAnswered(answered) {
      measured.record(answered);
      deps.onAnswered(answered);
    },
  };
  const queries = memoizedQueries(deps);
  const readStatus = memoizedStatus(deps, queries);
  const streams = eventStreams();
  const routes = routesOf({
    ...deps,
    ...settings,
    ...{ queries, readStatus, assets: buildAssets },
    isSecure: (request) => middleware.isHttps || isSecure(request, middleware.proxies),
    isDraining: () => draining.signal.aborted,
    eventStream: jobEventStreams(deps, streams),
    streams,
    authorizationServer: authorizationServer({ ...deps, ...deps.oauth }),
  });

  // Not an application of Express, which would first exchange the prototypes of request and response for its own, of which
  // nothing here uses a member. V8 then knows their shapes no more: a tenth of the processor time of a cached read.
  const router = Router({ caseSensitive: true });
  const endpoints = routes.map(({ endpoint }) => endpoint);
  router.use(requestLimits(middleware, endpoints));
  addRoutes(router, middleware, routes);
  const serverOptions = otherMethods(middleware, endpoints);
  // `OPTIONS *` asks what the server can do, wherever.
  router.use((request, response: ServerResponse, next) =>
    request.method === 'OPTIONS' && request.url === '*' ? serverOptions(request, response) : next(),
  );
  router.use(notFound);
  router.use(errorMiddleware(middleware));

  const listener = listenerOf(middleware, router);
  const server = createServer(socketBounds(deps.settings), oneAtATime(listener));
  // An unknown `Expect` header is ignored. By default Node would answer 417 without the headers of this server.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    server.emit('request', request, response);
  });
  readInPieces(server, silenceMs(deps.settings));
  server.maxConnections = deps.settings.maxConnections;
  server.timeout = silenceMs(deps.settings);
  answerSocketErrors(middleware, server, endpoints);
  return {
    server,
    async recordStatus() {
      const { status, active_alerts } = await readStatus();
      await deps.statusHistory.record({ at: deps.clock(), state: status, alerts: active_alerts });
    },
    recordResponses: () => measured.store(),
    drain: () => draining.abort(),
    close: gracefulCloseOf(server),
  };
};

/** The last callback is reached only when the error handler itself fails. */
const listenerOf =
  (middleware: MiddlewareDeps, router: Router): RequestListener =>
  (request, response) => {
    request.url = inOriginForm(request.url ?? '');
    router(request as Request, response as Response, (error: unknown) => {
      middleware.onFault({ requestId: 'unknown', route: null, error, isOutage: false });
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };

/**
 * Turns the absolute form of a request target (`http://host/path`) into its path. For a target without a path the router
 * would end before the first middleware.
 */
const inOriginForm = (target: string): string => {
  if (target.startsWith('/') || target === '*') return target;
  const path = target.replace(/^[^:/?#]*:\/\/[^/?#]*/, '');
  return path.startsWith('/') ? path : `/${path}`;
};

/**
 * A socket without traffic for this long is destroyed. A client that does not read would otherwise keep its response, and
 * its share of `maxInFlight`, for ever. The longest work with its grace period takes less.
 */
const silenceMs = ({ timeLimitMs, headersTimeoutMs }: HttpSettings): number => 2 * timeLimitMs + headersTimeoutMs;

/** Slow requests are cut; idle keep-alive connections stay longer than the 60 s after which proxies usually close them. */
const socketBounds = ({ headersTimeoutMs, requestTimeoutMs }: HttpSettings): ServerOptions => ({
  headersTimeout: headersTimeoutMs,
  requestTimeout: requestTimeoutMs,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
  // `requestLimits` refuses a request without `Host`, with the headers of every response.
  requireHostHeader: false,
});

const recordsSharedMs = 5_000;

/** Health and status have no rate limit, so their results are cached for a second or two. */
const memoizedQueries = ({ queries }: HttpDeps): Queries => ({
  ...queries,
  readiness: memoizeFor(1_000, () => queries.readiness()),
  idleTransactionSince: memoizeFor(2_000, () => queries.idleTransactionSince()),
  lags: memoizeFor(2_000, () => queries.lags()),
  auditState: memoizeFor(2_000, () => queries.auditState()),
  relay: memoizeFor(2_000, () => queries.relay()),
});

/** The present state each time; what is recorded may be some seconds old. */
const memoizedStatus = (deps: HttpDeps, queries: Queries): (() => Promise<StatusReport>) => {
  const { statusHistory, serviceRecords } = deps;
  const history = { read: memoizeFor(recordsSharedMs, () => statusHistory.read()) };
  const records = { read: memoizeFor(recordsSharedMs, () => serviceRecords.read()) };
  return () => statusReport({ ...deps, queries, statusHistory: history, serviceRecords: records });
};

const addRoutes = (router: Router, middleware: MiddlewareDeps, routes: readonly Route[]): void => {
  for (const [path, here] of Map.groupBy(routes, ({ endpoint }) => endpoint.path)) {
    const others = otherMethods(
      middleware,
      here.map(({ endpoint }) => endpoint),
    );
    const place = router.route(path);
    // Express would answer HEAD by GET.
    if (!here.some(({ endpoint }) => hasHead(endpoint))) place.head(others);
    for (const route of here) {
      const { method } = route.endpoint;
      place[method.toLowerCase() as Lowercase<typeof method>](routeHandler(middleware, route));
    }
    place.all(others);
  }
};
