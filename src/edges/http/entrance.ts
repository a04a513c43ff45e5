import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction } from 'express';
import { elapsedMs } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { invalidRequest, Refusal } from '../../kernel/refusal.ts';
import type { HeaderFields } from './answer.ts';
import { clientAddress, isSecure } from './client-address.ts';
import type { Edge } from './edge.ts';
import { begin, type Exchange } from './exchange.ts';
import { encodeLinkInPath } from './links-in-path.ts';

const acceptedRequestId = /^[A-Za-z0-9._-]{1,64}$/;
const maxUrlLength = 8 * 1024;
/** After its time is up, work gets this long to notice before the answer is given without it. */
const graceMs = 5_000;

/** Headers that scripts of other origins may read. */
const exposed =
  'X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, ' +
  'Retry-After, X-Transcript-Language, X-Transcript-Source, X-Credits-Charged, X-Credits-Reserved, ' +
  'X-Credits-Event, Idempotent-Replayed, Deprecation, Sunset, Link, Location';

/**
 * The first station: gives the request its id and its time limit, sets what every answer carries, and
 * refuses what must not go further (an address that is too long, more work than this process takes).
 */
export const entrance = (edge: Edge) => {
  let inFlight = 0;
  return (
    request: IncomingMessage & { url: string },
    response: ServerResponse,
    next: NextFunction,
  ): void => {
    const exchange = beginExchange(edge, request, response);

    inFlight += 1;
    const stopClock = limitTime(edge, exchange, response, next);
    response.on('close', () => {
      inFlight -= 1;
      clearTimeout(stopClock);
      if (!response.writableFinished) exchange.abort.abort();
      report(edge, exchange, request, response);
    });

    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw invalidRequest('The request names no host.', { path: 'Host', code: 'missing' });
    }
    const repeated = repeatedOf(request.rawHeaders);
    if (repeated !== null) {
      const message = `The request has the header ${repeated} twice.`;
      throw invalidRequest(message, { path: repeated, code: 'duplicated' });
    }
    if (request.url.length > maxUrlLength) {
      const message = `The address of the request is longer than ${maxUrlLength} characters.`;
      const field = { path: 'url', code: 'too_long' };
      throw invalidRequest(message, field, { limit: maxUrlLength });
    }
    if (inFlight > edge.maxInFlight && !request.url.startsWith('/api/health')) {
      throw new Refusal('SERVICE_UNAVAILABLE', 'The service is busy. Please try again.', null, 1);
    }
    request.url = encodeLinkInPath(request.url);
    next();
  };
};

/** Node keeps the first of these and drops the others unseen; a proxy before us may have read another. */
const single = ['Host', 'Authorization', 'Content-Type'] as const;

/** A header that a request may have once and has more often; names and values take turns in `raw`. */
const repeatedOf = (raw: readonly string[]): string | null => {
  let seen = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    for (let index = 0; index < single.length; index += 1) {
      const one = single[index] ?? '';
      if (name.length !== one.length || name.toLowerCase() !== one.toLowerCase()) continue;
      if ((seen & (1 << index)) !== 0) return one;
      seen |= 1 << index;
    }
  }
  return null;
};

const beginExchange = (
  edge: Edge,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange => {
  const claimed = request.headers['x-request-id'];
  const isAccepted = typeof claimed === 'string' && acceptedRequestId.test(claimed);
  const ownId = newId('req');
  const requestId = isAccepted ? claimed : ownId;
  const exchange = {
    requestId,
    ownId,
    startedMs: elapsedMs(),
    address: clientAddress(request, edge.proxies),
    abort: new AbortController(),
    headers: commonHeaders(edge, request, requestId),
    endpoint: null,
    call: null,
    code: null,
    isCacheHit: null,
    isTimeUp: false,
  };
  begin(response, exchange);
  return exchange;
};

const commonHeaders = (edge: Edge, request: IncomingMessage, requestId: string): HeaderFields => {
  const headers: HeaderFields = { 'X-Request-ID': requestId, ...securityHeaders };
  if (edge.isHttps || isSecure(request, edge.proxies)) {
    headers['Strict-Transport-Security'] = strictTransport;
  }
  if (request.url?.startsWith('/v1/')) {
    headers['Access-Control-Allow-Origin'] = '*';
    headers['Access-Control-Expose-Headers'] = exposed;
  }
  return headers;
};

/** What browsers are told of a service that is reached by https. */
export const strictTransport = 'max-age=31536000; includeSubDomains';

/** On every answer of this edge; a page of the website replaces the policy by its own. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

const limitTime = (
  edge: Edge,
  exchange: Exchange,
  response: ServerResponse,
  fail: (error: Refusal) => void,
): NodeJS.Timeout => {
  const timer = setTimeout(() => {
    exchange.isTimeUp = true;
    exchange.abort.abort();
    const grace = setTimeout(() => {
      if (!response.headersSent) fail(timeIsUp());
    }, graceMs);
    response.once('close', () => clearTimeout(grace));
  }, edge.timeLimitMs);
  return timer;
};

/** The answer to a request whose work took too long. */
export const timeIsUp = (): Refusal =>
  new Refusal('SERVICE_UNAVAILABLE', 'The request took too long. Please try again.', null, 5);

const report = (
  edge: Edge,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const charged = exchange.headers['X-Credits-Charged'];
  edge.onAnswered({
    requestId: exchange.requestId,
    ownId: exchange.ownId,
    method: request.method ?? '',
    route: exchange.endpoint?.path ?? null,
    status: response.statusCode,
    code: exchange.code,
    accountId: exchange.call?.accountId ?? null,
    creditsCharged: charged === undefined ? null : Number(charged),
    isCacheHit: exchange.isCacheHit,
    ms: elapsedMs() - exchange.startedMs,
    isAborted: !response.writableFinished,
  });
};
