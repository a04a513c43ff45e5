import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { parseTraceparent } from '../../../kernel/tracing.ts';
import { type KeyEndpoint, keyRoute, type RequestInfo, type Route } from '../endpoint.ts';
import { defaultBodyLimit, readJson } from '../middleware/body.ts';
import { timeIsUp } from '../middleware/request-limits.ts';
import { bytes, type HttpResponse, inPieces } from '../middleware/response.ts';
import type { RouteDeps } from '../routes.ts';
import { hostCheck } from './allowed-hosts.ts';
import { mcpPath } from './call-tool.ts';
import {
  errorText,
  hasParamsByName,
  listMethods,
  metaOf,
  namingMember,
  RpcError,
  type RpcRequest,
  readMessage,
  rpcCodes,
} from './json-rpc.ts';
import { joined, type Pieces, piecesOf } from './ready-json.ts';
import { type Era, eraOf, statelessResult } from './revisions.ts';
import { type Caller, runningCalls } from './running-calls.ts';
import type { McpDeps, McpServer } from './sdk-server.ts';
import type { Exchange } from './transport.ts';

const endpoint = {
  access: 'key',
  scope: null,
  challenge: 'Bearer realm="mcp", error="invalid_token"',
  id: 'mcp',
  method: 'POST',
  path: mcpPath,
  tag: 'MCP',
  summary: 'The Model Context Protocol',
  // JSON-RPC has errors of its own for a body that cannot be read.
  answers: {},
} satisfies KeyEndpoint;

/**
 * The endpoint of the Model Context Protocol: Streamable HTTP without sessions. The middleware does what it does for
 * every route under a key; here a message becomes one request of the SDK server.
 */
export const mcp = (deps: RouteDeps): Route[] => {
  const { publicUrl, settings, service } = deps;
  const checkHost = hostCheck(publicUrl, settings.mcpAllowedHosts);
  const serverInfo = {
    name: service.name,
    title: service.brand,
    version: service.version,
    // A server that the system gives a port has no address to tell.
    ...(new URL(publicUrl).port === '0' ? {} : { websiteUrl: publicUrl }),
  };
  const { queries, commands, middleware } = deps;
  const server = onFirstUse({ ...middleware, queries, toolCommands: commands, serverInfo });
  const running = runningCalls(deps.cancellations);

  return [
    keyRoute(endpoint, async ({ requestInfo, call }) => {
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
          if (message.kind === 'notification')
            await running.obey(callerOf(call, requestInfo), message);
          return accepted;
        }
        if (era === 'stateless' && removed.has(message.method)) throw unknownMethod();
        const { transport, lists } = await server();
        const list = lists[era].get(message.method);
        if (list !== undefined) return bytes(withResult(message.id, list));
        const exchange = transport.open(message, callOf(call, message), requestInfo);
        running.add(callerOf(call, requestInfo), exchange);
        return await responseOf(exchange, era, serverInfo);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        return bytes(errorText(id, error), { status: error.status });
      }
    }),
  ];
};

const callerOf = ({ actor }: Call, { address }: RequestInfo): Caller => ({
  keyId: actor.id,
  address,
});

/** Methods that revision 2026-07-28 has no more. */
const removed: ReadonlySet<string> = new Set(['initialize', 'ping']);

const unknownMethod = (): RpcError =>
  new RpcError(rpcCodes.methodNotFound, 'Method not found', { status: 404 });

/** The SDK is loaded by the first client that comes: most processes never see one. */
const onFirstUse = (deps: McpDeps): (() => Promise<McpServer>) => {
  let started: Promise<McpServer> | undefined;
  return () => (started ??= import('./sdk-server.ts').then((sdk) => sdk.startMcpServer(deps)));
};

const accepted: HttpResponse = {
  status: 202,
  contentType: null,
  body: null,
  headers: {},
  isCacheHit: null,
};

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
  const member = namingMember(method);
  if (member !== undefined && typeof params[member] !== 'string') {
    throw bad(`params.${member} must be a string`);
  }
  const { arguments: given } = params;
  if (
    given !== undefined &&
    (given === null || typeof given !== 'object' || Array.isArray(given))
  ) {
    throw bad('params.arguments must be an object');
  }
  if (params['task'] !== undefined) throw bad('Tasks are not supported.');
};

/** The same call as of any route, told apart by its channel. */
const callOf = (call: Call, { params }: RpcRequest): Call => {
  const { traceparent } = metaOf(params);
  return {
    ...call,
    channel: 'mcp',
    traceparent: call.traceparent ?? parseTraceparent(traceparent),
  };
};

/** One JSON object; a stream of events only once there is something to tell before the response. */
const responseOf = async (
  exchange: Exchange,
  era: Era,
  serverInfo: object,
): Promise<HttpResponse> => {
  const accept = String(exchange.requestInfo.request.headers.accept ?? '');
  if (accept.includes('text/event-stream')) {
    await Promise.race([exchange.response, exchange.notified()]);
    const early = exchange.takeNotifications();
    if (early.length > 0) return eventsOf(exchange, era, serverInfo, early);
  }
  const message = await exchange.response;
  if (message === null) return accepted;
  const { headers, isCacheHit } = exchange;
  const { body, status } = written(exchange, message, era, serverInfo);
  return bytes(body, { status, headers, isCacheHit });
};

/** The response to a request, around its result. */
const withResult = (id: RpcRequest['id'], result: Pieces): Buffer =>
  joined([`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, ...result, '}']);

type Message = NonNullable<Awaited<Exchange['response']>>;

const written = (
  { request }: Exchange,
  message: Message,
  era: Era,
  serverInfo: object,
): { readonly body: Buffer | string; readonly status: number } => {
  if ('result' in message) {
    const { result } = message;
    const whole =
      era === 'negotiated' ? result : statelessResult(request.method, result, serverInfo);
    return { body: withResult(request.id, piecesOf(whole)), status: 200 };
  }
  if (era === 'negotiated') return { body: JSON.stringify(message), status: 200 };
  const isUnknown = 'error' in message && message.error.code === rpcCodes.methodNotFound;
  return { body: JSON.stringify(message), status: isUnknown ? 404 : 200 };
};

/** The response of a stream whose time is up: without one a client would wait for its own time limit. */
const outOfTime = ({ request }: Exchange): Message => {
  const { code, message } = timeIsUp();
  const error = { code: rpcCodes.internalError, message: `${code}: ${message}` };
  return { jsonrpc: '2.0', id: request.id, error };
};

const eventsOf = (
  exchange: Exchange,
  era: Era,
  serverInfo: object,
  early: readonly Message[],
): HttpResponse => {
  const event = (text: string): string => `event: message\ndata: ${text}\n\n`;
  const all = (messages: readonly Message[]): string =>
    messages.map((one) => event(JSON.stringify(one))).join('');
  return inPieces(
    async function* (signal) {
      yield all(early);
      let isOver = false;
      const response = exchange.response
        .catch(() => outOfTime(exchange))
        .finally(() => {
          isOver = true;
        });
      while (!isOver) {
        // Who drains takes one more piece: that is the response.
        await (signal.aborted ? response : Promise.race([response, exchange.notified()]));
        const more = exchange.takeNotifications();
        if (!isOver && !signal.aborted && more.length > 0) yield all(more);
      }
      const message = await response;
      if (message !== null)
        yield event(written(exchange, message, era, serverInfo).body.toString());
    },
    {
      contentType: 'text/event-stream',
      headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
    },
  );
};
