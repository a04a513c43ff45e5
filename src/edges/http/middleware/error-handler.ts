import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ErrorRequestHandler } from 'express';
import type { UsageKind } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { Fault, MiddlewareDeps } from './dependencies.ts';
import { errorBody, type Failure, failureOf } from './error-response.ts';
import { countAddress } from './rate-limit.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { timeIsUp } from './request-limits.ts';
import { bytes, type HeaderFields, type HttpResponse, send } from './response.ts';

/** The longest time that a response waits for its failure to be recorded. */
const recordWaitMs = 500;

/** Refuses an address at which there is nothing: no route matches it, or its route finds nothing. */
export const notFound = (): never => {
  throw new Refusal('NOT_FOUND', 'There is nothing at this address.');
};

/** Express error middleware: answers errors that were thrown outside a route. */
export const errorMiddleware = (deps: MiddlewareDeps): ErrorRequestHandler => {
  const fail = errorHandlerOf(deps);
  return (error: unknown, _request, response, _next) => fail(response, error);
};

/** Answers every error: the one place that writes error responses. */
export const errorHandlerOf =
  (deps: MiddlewareDeps) =>
  async (response: ServerResponse, error: unknown): Promise<void> => {
    const context = contextOf(response);
    // The client is gone, or the timeout has answered. A streamed response is aborted elsewhere.
    if (response.headersSent || response.destroyed) return;

    const asked = context.isTimeUp && !(error instanceof Refusal) ? timeIsUp() : error;
    const { requestId, call, endpoint } = context;
    const reported = reportFailure(deps, asked, { requestId, route: endpoint?.path ?? null });
    const failure = await counted(deps, context, reported);
    context.code = failure.code;
    if (call !== null && endpoint?.access === 'key' && endpoint.operation !== undefined) {
      await recordFailure(deps, call, endpoint.operation, failure.code);
    }
    const page = await deps.errorPage(response.req, failure, requestId).catch(() => null);
    if (response.headersSent || response.destroyed) return;
    write(response, context, failure, page);
  };

/** Destroys the connection of a response that failed while it was sent: the client must not take it for complete. */
export const abortResponse = (deps: MiddlewareDeps, response: ServerResponse, error: unknown): void => {
  const { abort, requestId, endpoint } = contextOf(response);
  const isAwaited = !response.destroyed && !abort.signal.aborted;
  response.destroy();
  if (isAwaited) reportFailure(deps, error, { requestId, route: endpoint?.path ?? null });
};

/** What an error is to a caller, reported where it is a fault or an outage. */
export const reportFailure = (
  { isUnavailable, onFault }: Pick<MiddlewareDeps, 'isUnavailable' | 'onFault'>,
  error: unknown,
  of: Pick<Fault, 'requestId' | 'route'>,
): Failure => {
  const failure = failureOf(error, isUnavailable);
  const { isFault, isOutage } = failure;
  if (isFault || isOutage) onFault({ ...of, error, isOutage });
  return failure;
};

/**
 * Counts an error that no rate limit has counted by address; 429 above the limit. Errors that the caller did not cause
 * are not counted: without the database no key can be verified, and every request gets 503.
 */
const counted = async (
  deps: MiddlewareDeps,
  { address, endpoint, headers }: RequestContext,
  failure: Failure,
): Promise<Failure> => {
  if ('X-RateLimit-Limit' in headers) return failure;
  const isOpen = endpoint !== null && endpoint.access !== 'key';
  const rateLimit = isOpen ? endpoint.rateLimit : 'ip';
  try {
    await countAddress(deps, headers, address, failure.status >= 500 ? 'none' : rateLimit);
    return failure;
  } catch (limited) {
    return failureOf(limited, deps.isUnavailable);
  }
};

/** Refusals before a command begins; usage does not count them. */
const uncounted: ReadonlySet<string> = new Set(['RATE_LIMITED', 'METHOD_NOT_ALLOWED', 'IDEMPOTENCY_IN_PROGRESS']);

/** Usage counts an authenticated request that failed. What goes wrong with that changes no answer. */
export const recordFailure = async (
  { commands }: Pick<MiddlewareDeps, 'commands'>,
  call: Call,
  operation: UsageKind,
  code: Failure['code'],
): Promise<void> => {
  if (uncounted.has(code)) return;
  await Promise.race([
    commands.recordFailure(call, { operation, code }).catch(() => undefined),
    pause(recordWaitMs, undefined, { ref: false }),
  ]);
};

const write = (
  response: ServerResponse,
  context: RequestContext,
  failure: Failure,
  page: HttpResponse | null,
): void => {
  const { requestId, call } = context;
  const { status, retryAfterS } = failure;
  const headers: HeaderFields = {};
  if (retryAfterS !== null) headers['Retry-After'] = String(retryAfterS);
  headers['Cache-Control'] = 'no-store';
  if (call !== null) headers['X-Credits-Charged'] = '0';
  if (status === 413 && !response.req.complete) headers['Connection'] = 'close';
  if (page !== null) {
    send(response, context, { ...page, headers: { ...page.headers, ...headers } });
    return;
  }
  send(response, context, bytes(errorBody(failure, requestId), { status, headers }));
};
