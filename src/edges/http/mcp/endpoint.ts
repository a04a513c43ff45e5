import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from '../../../kernel/call.ts';
import { elapsedMs } from '../../../kernel/clock.ts';
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
  type RpcId,
  type RpcRequest,
  readMessage,
  rpcCodes,
} from './json-rpc.ts';
import { type McpResult, methodsOf } from './methods.ts';
import { eraOf } from './revisions.ts';
import { runningCalls } from './running-calls.ts';

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
 * every route under a key; here a message becomes the call of a method.
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
  let methods: ReturnType<typeof methodsOf> | undefined;
  const running = runningCalls(deps.cancellations);

  return [
    keyRoute(endpoint, async ({ requestInfo, call }) => {
      checkHost(requestInfo.request.headers);
      const caller = { keyId: call.actor.id, address: requestInfo.address };
      let id: RpcRequest['id'] | null = null;
      try {
        const body = await bodyOf(requestInfo);
        const request = readMessage(body);
        if (request.kind === 'request') {
          ({ id } = request);
          checkParams(request, body);
        }
        const era = eraOf(request, requestInfo.request.headers);
        if (request.kind !== 'request') {
          if (request.kind === 'notification') await running.obey(caller, request);
          return accepted;
        }
        // Most processes never see a client, so that the schemas of the tools are made for the first one.
        methods ??= methodsOf({ ...middleware, queries, toolCommands: commands, serverInfo });
        const perform = methods;
        const response = running.run({ caller, id: request.id }, call.signal, (signal) =>
          perform({ request, era, call: { ...callOf(call, request), signal }, requestInfo }),
        );
        return await responseOf({ request, requestInfo, response });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        return bytes(errorText(id, error), { status: error.status });
      }
    }),
  ];
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

/** A call under way; its response is null when the client cancels it. */
type Exchange = {
  readonly request: RpcRequest;
  readonly requestInfo: RequestInfo;
  readonly response: Promise<McpResult | null>;
};

/** A call that is answered within this time is answered without progress, in plain JSON. */
const firstProgressMs = 250;
const progressEveryMs = 1_000;

/** One JSON object; a stream of events where the client asked for progress, and there is some before the response. */
const responseOf = async (exchange: Exchange): Promise<HttpResponse> => {
  const { request, requestInfo, response } = exchange;
  const { progressToken } = metaOf(request.params);
  const isToken = typeof progressToken === 'string' || typeof progressToken === 'number';
  const accept = String(requestInfo.request.headers.accept ?? '');
  if (isToken && accept.includes('text/event-stream')) {
    const soon = pause(firstProgressMs, 'late' as const, { ref: false });
    if ((await Promise.race([response, soon])) === 'late') return eventsOf(exchange, progressToken);
  }
  const answered = await response;
  if (answered === null) return accepted;
  const { result, ...more } = answered;
  return bytes(withResult(request.id, result), more);
};

const withResult = (id: RpcRequest['id'], result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

/** What a stream tells in place of a result; without a response a client would wait for its own time limit. */
const errorIn = ({ request, requestInfo }: Exchange, error: unknown): string => {
  if (error instanceof RpcError) return errorText(request.id, error);
  if (!requestInfo.signal.aborted) throw error;
  const { code, message } = timeIsUp();
  return errorText(request.id, new RpcError(rpcCodes.internalError, `${code}: ${message}`));
};

/**
 * Tells a client every second that its call is still worked on, then the response: clients give up after 60 s without a
 * word. The progress is the time in seconds; how long a platform or a model takes is not known.
 */
const eventsOf = (exchange: Exchange, progressToken: RpcId): HttpResponse => {
  const event = (text: string): string => `event: message\ndata: ${text}\n\n`;
  const startedMs = elapsedMs() - firstProgressMs;
  return inPieces(
    async function* (signal) {
      let isOver = false;
      const response = exchange.response
        .then((answered) => answered && withResult(exchange.request.id, answered.result))
        .catch((error: unknown) => errorIn(exchange, error))
        .finally(() => {
          isOver = true;
        });
      // Who drains takes one more piece: that is the response.
      while (!isOver && !signal.aborted) {
        const progress = Math.round(elapsedMs() - startedMs) / 1000;
        const params = { progressToken, progress, message: 'working' };
        yield event(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
        await Promise.race([response, pause(progressEveryMs, undefined, { ref: false })]);
      }
      const last = await response;
      if (last !== null) yield event(last);
    },
    {
      contentType: 'text/event-stream',
      headers: { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' },
    },
  );
};
