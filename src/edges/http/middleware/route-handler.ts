import type { ServerResponse } from 'node:http';
import type { Endpoint, KeyEndpoint, OpenEndpoint } from '../../../contract/endpoint.ts';
import { validationMessage } from '../../../contract/validation-messages.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { requireScope, secretOf } from './authentication.ts';
import { defaultBodyLimit, readJson } from './body.ts';
import { callOfKey, callOfToken } from './build-call.ts';
import { withCostTag } from './cost-tag.ts';
import type { MiddlewareDeps } from './dependencies.ts';
import { isDryRun, requireDryRun } from './dry-run.ts';
import { abortResponse, errorHandlerOf } from './error-handler.ts';
import { answerOnce, fingerprintsOf, idempotencyKeyOf } from './idempotency.ts';
import { queryOf } from './query-string.ts';
import { countAddress, countKey } from './rate-limit.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { type HttpResponse, send, sendStream } from './response.ts';
import type { Authenticate, RequestInfo, Route, RoutedRequest, TakesTokens } from './route.ts';

/**
 * Handles a request of one route: authentication → rate limit → scope → body → validation → idempotency key →
 * command or query → answer. Errors are answered here: Express would match the URL with every later route before it
 * reached the error middleware.
 */
export const routeHandler = (deps: MiddlewareDeps, route: Route) => {
  const fail = errorHandlerOf(deps);
  return async (request: RoutedRequest, response: ServerResponse): Promise<void> => {
    try {
      await answerOn(deps, route, request, response);
    } catch (error) {
      await fail(response, error);
    }
  };
};

const answerOn = async (
  deps: MiddlewareDeps,
  route: Route,
  request: RoutedRequest,
  response: ServerResponse,
): Promise<void> => {
  const { endpoint } = route;
  const context = contextOf(response);
  context.endpoint = endpoint;

  const call =
    endpoint.access === 'key'
      ? await authenticateKey(deps, endpoint, route.tokens, context)
      : await authenticateOpen(deps, endpoint, route.authenticate, context);
  const query = request.url.includes('?') ? queryOf(request.url, endpoint.query) : noInput;
  const sent = endpoint.body === undefined ? undefined : await bodyOf(request, endpoint);
  const input = {
    params: endpoint.params?.parse(request.params, inWords),
    query: endpoint.query?.parse(query, inWords),
    body: endpoint.body?.parse(sent, inWords),
    requestInfo: context,
  };
  requireDryRun(endpoint, request.headers);
  const tagged = call === null ? null : withCostTag(call, request.headers, input.body);
  const answer = await perform(deps, route, { ...input, call: tagged }, sent);

  // The time limit may have answered already.
  if (response.headersSent) return;
  context.isCacheHit = answer.isCacheHit;
  context.code = answer.code ?? null;
  if (answer.stream === undefined || request.method === 'HEAD') {
    return send(response, context, answer);
  }
  const until = AbortSignal.any([context.abort.signal, deps.draining]);
  await sendStream(response, context, answer, answer.stream, until).catch((error: unknown) =>
    abortResponse(deps, response, error),
  );
};

/** 401 before 429 before 403: who is not known is counted by address, who is known by key. */
const authenticateKey = async (
  deps: MiddlewareDeps,
  { scope }: KeyEndpoint,
  tokens: TakesTokens | undefined,
  context: RequestContext,
): Promise<Call> => {
  const { headers } = context;
  const secret = secretOf(context.request.headers);
  const found = secret === null ? null : await findHolder(deps, tokens, context, secret);
  if (found === null) {
    headers['WWW-Authenticate'] = (await tokens?.challenge(secret !== null)) ?? 'Bearer realm="api"';
    const message = 'The API key is missing or not valid. Send it as "Authorization: Bearer <key>".';
    throw new Refusal('INVALID_API_KEY', message);
  }
  const { call, holder } = found;
  context.call = call;
  context.scopes = holder.scopes;
  headers['X-Credits-Charged'] = '0';
  headers['Cache-Control'] = 'private, no-store';
  await countKey(deps.limiter, headers, { id: call.actor.id, limitPerMinute: holder.limitPerMinute });
  if (scope !== null) requireScope(context, scope);
  return call;
};

/** Who a secret belongs to: a key, or where the route takes them, an access token for its resource. */
const findHolder = async (
  { queries, commands }: Pick<MiddlewareDeps, 'queries' | 'commands'>,
  tokens: TakesTokens | undefined,
  requestInfo: RequestInfo,
  secret: string,
) => {
  const key = await queries.findKeyHolder(secret);
  if (key !== null) return { holder: key, call: callOfKey(requestInfo, key) };
  const token = tokens === undefined ? null : await queries.findTokenHolder(secret);
  if (token === null || token.audience !== (await tokens?.resource())) return null;
  const { authorizationId } = token;
  const call = callOfToken(requestInfo, token, () => commands.requireAuthorization(authorizationId));
  return { holder: token, call };
};

const authenticateOpen = async (
  deps: MiddlewareDeps,
  { rateLimit, cacheControl }: OpenEndpoint,
  authenticate: Authenticate | undefined,
  context: RequestContext,
): Promise<Call | null> => {
  const { headers, address } = context;
  headers['Cache-Control'] = cacheControl;
  await countAddress(deps, headers, address, rateLimit);
  return authenticate === undefined ? null : await authenticate(context, headers);
};

const noInput: Readonly<Record<string, string>> = {};
const inWords = { error: validationMessage };

const bodyOf = (request: RoutedRequest, endpoint: Endpoint): Promise<unknown> =>
  readJson(request, { limit: endpoint.bodyLimit ?? defaultBodyLimit, isOptional: endpoint.isBodyOptional ?? false });

/** Does the work; under an `Idempotency-Key`, once for all requests that carry it. */
const perform = (
  deps: MiddlewareDeps,
  route: Route,
  input: Parameters<Route['answer']>[0],
  sent: unknown,
): Promise<HttpResponse> => {
  const { endpoint, reread } = route;
  const { requestInfo, call } = input;
  const { headers, url } = requestInfo.request;
  if (call === null || endpoint.isIdempotent !== true) return route.answer(input);
  if (endpoint.hasDryRun === true && isDryRun(headers)) return route.answer(input);
  const key = idempotencyKeyOf(headers['idempotency-key']);
  if (key === null) return route.answer(input);
  const scope = { accountId: call.accountId, route: `${endpoint.method} ${endpoint.path}`, key };
  const fingerprints = fingerprintsOf(endpoint.method, url, sent);
  return answerOnce(
    deps,
    {
      scope,
      fingerprints,
      call,
      requestId: requestInfo.requestId,
      reread: reread === undefined ? null : () => reread(input),
    },
    (once) => route.answer({ ...input, call: once }),
  );
};
