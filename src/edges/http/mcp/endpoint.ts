import { setTimeout as pause } from 'node:timers/promises';
import type { KeyEndpoint } from '../../../contract/endpoint.ts';
import type { KeyScope } from '../../../contract/key-scopes.ts';
import { mcpPath, oauthScopes } from '../../../contract/oauth.ts';
import type { Call } from '../../../kernel/call.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
import { once } from '../../../kernel/memoize.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { parseTraceparent } from '../../../kernel/tracing.ts';
import type { AuthorizationServer } from '../middleware/authorization-server.ts';
import { defaultBodyLimit, readJson } from '../middleware/body.ts';
import { timeIsUp } from '../middleware/request-limits.ts';
import { bytes, type HttpResponse, inPieces } from '../middleware/response.ts';
import { keyRoute, type RequestInfo, type Route, type TakesTokens } from '../middleware/route.ts';
import type { HttpSettings } from '../settings.ts';
import { hostCheck } from './allowed-hosts.ts';
import type { CallCancellations } from './call-cancellations.ts';
import {
  errorText,
  hasParamsByName,
  listMethods,
  metaOf,
  namingMembers,
  RpcError,
  type RpcRequest,
  readMessage,
  rpcCodes,
  taskMethods,
} from './json-rpc.ts';
import { type Era, eraOf, resultIn } from './revisions.ts';
import { type Caller, runningCalls } from './running-calls.ts';
import type { McpDeps } from './sdk-server.ts';
import { requireTasks } from './tasks.ts';
import { type AnswerParts, type Exchange, textMark, wantsProgress } from './transport.ts';

const endpoint = {
  access: 'key',
  scope: null,
  id: 'mcp',
  method: 'POST',
  path: mcpPath,
  tag: 'MCP',
  summary: 'The Model Context Protocol',
  hasDryRun: true,
  // Without `body`: JSON-RPC has errors of its own for one that cannot be read.
  answers: {},
} satisfies KeyEndpoint;

type McpEndpointDeps = Omit<McpDeps, 'serverInfo'> &
  Pick<HttpSettings, 'publicUrl' | 'mcpAllowedHosts' | 'service'> & {
    /** For calls whose callers cancel them by a request of its own. */
    readonly cancellations: CallCancellations;
    readonly authorizationServer: AuthorizationServer;
  };

/**
 * The endpoint of the Model Context Protocol: Streamable HTTP without sessions. The middleware does what it does for
 * every route under a key; here a message becomes one request of the SDK server.
 */
export const mcp = (deps: McpEndpointDeps): Route[] => {
  const { publicUrl, mcpAllowedHosts, service, authorizationServer } = deps;
  const checkHost = hostCheck(publicUrl, mcpAllowedHosts);
  const serverInfo = {
    name: service.name,
    title: service.brand,
    version: service.version,
    // A server that the system gives a port has no address to tell.
    ...(new URL(publicUrl).port === '0' ? {} : { websiteUrl: publicUrl }),
  };
  // The SDK is loaded by the first client that comes: most processes never see one.
  const server = once(async () => (await import('./sdk-server.ts')).startMcpServer({ ...deps, serverInfo }));
  const running = runningCalls(deps.cancellations);

  const tokens: TakesTokens = {
    resource: () => authorizationServer.resource(),
    challenge: (isSent) => authorizationServer.challenge(isSent ? 'invalid_token' : null, oauthScopes),
  };

  const route = keyRoute(endpoint, async ({ requestInfo, call }) => {
    checkHost(requestInfo.request.headers);
    let id: RpcRequest['id'] | null = null;
    try {
      const body = await bodyOf(requestInfo);
      const message = readMessage(body);
      if (message.kind === 'request') {
        ({ id } = message);
        checkParams(message, body);
      }
      const era = eraOf(message, requestInfo.request.headers);
      if (message.kind !== 'request') {
        if (message.kind === 'notification') await running.obey(callerOf(call, requestInfo), message);
        return accepted;
      }
      if (era === 'stateless' && removed.has(message.method)) throw unknownMethod();
      if (taskMethods.has(message.method)) requireTasks(era, message.params);
      const { transport, lists, scopeOf } = await server();
      const needed = call.actor.type === 'authorization' ? scopeOf(message) : null;
      if (needed !== null && !requestInfo.scopes.includes(needed)) {
        return await withoutScope(authorizationServer, id, needed, requestInfo.scopes);
      }
      const list = lists[era].get(message.method);
      if (list !== undefined) {
        return bytes(
          Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), list, brace]),
        );
      }
      const exchange = transport.open(message, callOf(call, message), requestInfo);
      running.add(callerOf(call, requestInfo), exchange);
      return await responseOf(exchange, era, serverInfo);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return bytes(errorText(id, error), { status: error.status });
    }
  });
  return [{ ...route, tokens }];
};

/** 403 with the scopes that an application has to ask its user for: those of its token, and the one that is missing. */
const withoutScope = async (
  server: AuthorizationServer,
  id: RpcRequest['id'] | null,
  needed: KeyScope,
  granted: readonly KeyScope[],
): Promise<HttpResponse> => {
  const error = new RpcError(rpcCodes.invalidRequest, `The token has no scope "${needed}".`);
  const challenge = await server.challenge('insufficient_scope', [...granted, needed]);
  return bytes(errorText(id, error), { status: 403, headers: { 'WWW-Authenticate': challenge } });
};

const callerOf = ({ actor }: Call, { address }: RequestInfo): Caller => ({ keyId: actor.id, address });

/** Methods that revision 2026-07-28 has no more. */
const removed: ReadonlySet<string> = new Set(['initialize', 'ping']);

const unknownMethod = (): RpcError => new RpcError(rpcCodes.methodNotFound, 'Method not found', { status: 404 });

const brace = Buffer.from('}');

const accepted: HttpResponse = { status: 202, contentType: null, body: null, headers: {}, isCacheHit: null };

const bodyOf = async ({ request }: RequestInfo): Promise<unknown> => {
  try {
    return await readJson(request, { limit: defaultBodyLimit, isOptional: false });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    throw new RpcError(rpcCodes.parseError, `Parse error: ${error.message}`, { status: 400 });
  }
};

/** Refuses parameters that the SDK would take for a fault of the server. */
const checkParams = ({ method, params }: RpcRequest, body: unknown): void => {
  const bad = (message: string): RpcError => new RpcError(rpcCodes.invalidParams, message);
  if (!hasParamsByName(body)) throw bad('params must be an object');
  if (listMethods.has(method) && params['cursor'] !== undefined) {
    throw bad('Unknown cursor: every list is one page.');
  }
  const member = namingMembers.get(method);
  if (member !== undefined && typeof params[member] !== 'string') {
    throw bad(`params.${member} must be a string`);
  }
  const { arguments: given } = params;
  if (given !== undefined && (given === null || typeof given !== 'object' || Array.isArray(given))) {
    throw bad('params.arguments must be an object');
  }
};

/** The same call as of any route, told apart by its channel. */
const callOf = (call: Call, { params }: RpcRequest): Call => {
  const { traceparent } = metaOf(params);
  return { ...call, channel: 'mcp', traceparent: call.traceparent ?? parseTraceparent(traceparent) };
};

/** A call that is answered within this time is answered without progress, in plain JSON. */
const firstProgressMs = 250;
const progressEveryMs = 1_000;

/** One JSON object; a stream of events where the client asked for progress, and there is some before the response. */
const responseOf = async (exchange: Exchange, era: Era, serverInfo: object) => {
  const { response } = exchange;
  const written = response.then((message) => message && answerTo(exchange, message, era, serverInfo));
  if (wantsProgress(exchange)) {
    const soon = pause(firstProgressMs, 'late' as const, { ref: false });
    if ((await Promise.race([written, soon])) === 'late') {
      return eventsOf(exchange, written);
    }
  }
  const answered = await written;
  if (answered === null) return accepted;
  const { headers, isCacheHit } = exchange.parts;
  return bytes(answered.body, { status: answered.status, headers, isCacheHit });
};

type Message = NonNullable<Awaited<Exchange['response']>>;
type RpcResponse = { readonly body: Buffer | string; readonly status: number };

const answerTo = (exchange: Exchange, message: Message, era: Era, serverInfo: object): RpcResponse => {
  if ('result' in message) {
    const { request } = exchange;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":`;
    const result = JSON.stringify(resultIn(era, request, message.result, serverInfo));
    return { body: joined(exchange.parts, head, result), status: 200 };
  }
  const isUnknown = 'error' in message && message.error.code === rpcCodes.methodNotFound;
  const status = era === 'stateless' && isUnknown ? 404 : 200;
  return { body: JSON.stringify(message), status };
};

/** An answer with what was written before: long texts are neither copied nor encoded again as strings. */
const joined = ({ keptText, structuredContent }: AnswerParts, head: string, result: string): Buffer | string => {
  if (keptText === null && structuredContent === null) return `${head}${result}}`;
  const mark = JSON.stringify(textMark);
  // The first one: only names and texts of callers come after the content, and only they could have it too.
  const [before, after] = keptText === null ? ['', 0] : [result.slice(0, result.indexOf(mark)), mark.length];
  const pieces = [
    `${head}${before}`,
    keptText ?? '',
    result.slice(before.length + after, -1),
    ...(structuredContent === null ? [] : [',"structuredContent":', structuredContent]),
    '}}',
  ];
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
};

const progressText = (params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });

/** The response of a stream whose time is up: without one a client would wait for its own time limit. */
const outOfTime = ({ id }: RpcRequest): RpcResponse => {
  const { code, message } = timeIsUp();
  const error = new RpcError(rpcCodes.internalError, `${code}: ${message}`);
  return { body: errorText(id, error), status: 200 };
};

/**
 * Tells a client every second that its call is still worked on, then the response: clients give up after 60 s without a
 * word. The progress is what the work says of itself, as often as it rises; else the time in seconds, because how long a
 * platform or a model takes is not known.
 */
const eventsOf = (exchange: Exchange, written: Promise<RpcResponse | null>): HttpResponse => {
  const { request } = exchange;
  const { progressToken } = metaOf(request.params);
  const event = (text: string): string => `event: message\ndata: ${text}\n\n`;
  const startedMs = elapsedMs() - firstProgressMs;
  let isOver = false;
  let told: Exchange['progress'] = null;
  /** What is to be told now; null: nothing new. */
  const news = () => {
    const progress = Math.round(elapsedMs() - startedMs) / 1000;
    if (exchange.progress === null) return { progress, message: 'working' };
    if (told !== null && told.progress >= exchange.progress.progress) return null;
    told = exchange.progress;
    return told;
  };
  const response = written
    .catch(() => outOfTime(request))
    .finally(() => {
      isOver = true;
    });
  return inPieces(
    async function* (signal) {
      // Who drains takes one more piece: that is the response.
      while (!isOver && !signal.aborted) {
        const params = news();
        if (params !== null) yield event(progressText({ progressToken, ...params }));
        await Promise.race([response, pause(progressEveryMs, undefined, { ref: false })]);
      }
      const last = await response;
      if (last !== null) yield event(last.body.toString());
    },
    {
      contentType: 'text/event-stream',
      headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
    },
  );
};
