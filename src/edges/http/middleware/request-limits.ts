import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction } from 'express';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { requestIdForm } from '../../../contract/schemas.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { parseTraceparent, type Tracer, withTraceparent } from '../../../kernel/tracing.ts';
import { clientAddress, isSecure } from './client-address.ts';
import { exposedHeaders, isCrossOrigin } from './cross-origin.ts';
import type { MiddlewareDeps } from './dependencies.ts';
import { normalizeTarget } from './normalize-target.ts';
import { begin, type RequestContext } from './request-context.ts';
import type { HeaderFields } from './response.ts';
import type { RoutedRequest } from './route.ts';

const maxUrlLength = 8 * 1024;
/** Grace period (ms) for work to end after its timeout, before the timeout is answered. */
const graceMs = 5_000;

/**
 * The first middleware: attaches the request context with its id and time limit, sets the headers of every answer, and
 * refuses a request whose URL is too long or that exceeds the requests in flight.
 */
export const requestLimits = (middleware: MiddlewareDeps, endpoints: readonly Endpoint[]) => {
  const deps = { ...middleware, exposed: exposedHeaders(endpoints) };
  let inFlight = 0;
  return (request: IncomingMessage & { url: string }, response: ServerResponse, next: NextFunction): void => {
    const context = contextOfRequest(deps, request, response);

    inFlight += 1;
    const stopClock = limitTime(deps, context, response, next);
    response.on('close', () => {
      inFlight -= 1;
      clearTimeout(stopClock);
      if (!response.writableFinished) context.abort.abort();
      inSpanOf(context, () => report(deps, context, request, response));
    });

    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw invalidRequest('The request names no host.', { path: 'Host', code: 'missing' });
    }
    const { headersDistinct: sent } = request;
    const repeated = single.find((name) => (sent[name.toLowerCase()]?.length ?? 0) > 1);
    if (repeated !== undefined) {
      const message = `The request has the header ${repeated} twice.`;
      throw invalidRequest(message, { path: repeated, code: 'duplicated' });
    }
    if (request.url.length > maxUrlLength) {
      const message = `The address of the request is longer than ${maxUrlLength} characters.`;
      const field = { path: 'url', code: 'too_long' };
      throw invalidRequest(message, field, { limit: maxUrlLength });
    }
    if (inFlight > deps.maxInFlight && !request.url.startsWith('/api/health')) {
      throw new Refusal('SERVICE_UNAVAILABLE', 'The service is busy. Please try again.', null, 1);
    }
    request.url = normalizeTarget(request.url);
    inSpanOf(context, next);
  };
};

/** Of these Node keeps the first and silently drops repetitions; a proxy may have used another one. */
const single = ['Host', 'Authorization', 'Content-Type'] as const;

/** `exposed`: the value of `Access-Control-Expose-Headers`. */
type ContextDeps = MiddlewareDeps & { readonly exposed: string };

const contextOfRequest = (deps: ContextDeps, request: RoutedRequest, response: ServerResponse): RequestContext => {
  const claimed = request.headers['x-request-id'];
  const isAccepted = typeof claimed === 'string' && requestIdForm.test(claimed);
  const ownId = newId('req');
  const requestId = isAccepted ? claimed : ownId;
  const abort = new AbortController();
  const context = {
    request,
    requestId,
    ownId,
    startedMs: elapsedMs(),
    address: clientAddress(request, deps.proxies),
    abort,
    signal: abort.signal,
    headers: commonHeaders(deps, request, requestId),
    endpoint: null,
    call: null,
    scopes: [],
    code: null,
    isCacheHit: null,
    isTimeUp: false,
    span: deps.tracer === null || isProbe(request.url) ? null : spanOf(deps.tracer, request),
  };
  begin(response, context);
  return context;
};

/** Load balancers and Prometheus ask so often that their traces would bury the others. */
const isProbe = (url = ''): boolean => /^\/(metrics|api\/health)(?![\w-])/.test(url);

const spanOf = (tracer: Tracer, { method = '', headers }: IncomingMessage) =>
  tracer.start(method, {
    kind: 'server',
    parent: parseTraceparent(headers['traceparent']),
    attributes: { 'http.request.method': method },
  });

const inSpanOf = ({ span }: Pick<RequestContext, 'span'>, work: () => void): void => {
  if (span === null) work();
  else withTraceparent(span.traceparent, work);
};

const commonHeaders = (deps: ContextDeps, request: IncomingMessage, requestId: string): HeaderFields => {
  const headers: HeaderFields = { 'X-Request-ID': requestId, ...securityHeaders };
  if (deps.isHttps || isSecure(request, deps.proxies)) {
    headers['Strict-Transport-Security'] = strictTransport;
  }
  if (isCrossOrigin(request.url ?? '')) {
    headers['Access-Control-Allow-Origin'] = '*';
    headers['Access-Control-Expose-Headers'] = deps.exposed;
  }
  return headers;
};

/** `Strict-Transport-Security` of a service that is reached by https. */
export const strictTransport = 'max-age=31536000; includeSubDomains';

/** Headers of every response; pages of the website replace the policy by their own. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

const limitTime = (
  deps: MiddlewareDeps,
  context: RequestContext,
  response: ServerResponse,
  fail: (error: Refusal) => void,
): NodeJS.Timeout =>
  setTimeout(() => {
    if (context.endpoint?.isLong === true && response.headersSent) return;
    context.isTimeUp = true;
    // As of `AbortSignal.timeout`: the caller has not left.
    context.abort.abort(new DOMException('The time is up.', 'TimeoutError'));
    const grace = setTimeout(() => {
      if (!response.headersSent) fail(timeIsUp());
    }, graceMs);
    response.once('close', () => clearTimeout(grace));
  }, deps.timeLimitMs);

/** The refusal of a request that timed out. */
export const timeIsUp = (): Refusal =>
  new Refusal('SERVICE_UNAVAILABLE', 'The request took too long. Please try again.', null, 5);

const report = (
  deps: MiddlewareDeps,
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const charged = context.headers['X-Credits-Charged'];
  const route = context.endpoint?.path ?? null;
  context.span?.end({
    ...(route === null ? {} : { name: `${request.method} ${route}` }),
    attributes: {
      'http.response.status_code': response.statusCode,
      'steno.request_id': context.ownId,
      ...(route === null ? {} : { 'http.route': route }),
    },
    error: response.statusCode >= 500 ? (context.code ?? String(response.statusCode)) : null,
  });
  deps.onAnswered({
    requestId: context.requestId,
    ownId: context.ownId,
    method: request.method ?? '',
    route,
    status: response.statusCode,
    code: context.code,
    accountId: context.call?.accountId ?? null,
    creditsCharged: charged === undefined ? null : Number(charged),
    isCacheHit: context.isCacheHit,
    ms: elapsedMs() - context.startedMs,
    isAborted: !response.writableFinished,
  });
};
