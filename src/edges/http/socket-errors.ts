import { type Server, ServerResponse, STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '../../kernel/ids.ts';
import { invalidRequest, type RefusalCode, type RefusalDetails } from '../../kernel/refusal.ts';
import type { Endpoint } from './endpoint.ts';
import { discardInput, isAnswered, isDiscarding, linger } from './lingering-close.ts';
import { methodsOf } from './middleware/allowed-methods.ts';
import { countedAddress } from './middleware/client-address.ts';
import type { MiddlewareDeps } from './middleware/dependencies.ts';
import { errorBody, statusOf } from './middleware/error-response.ts';
import { rateLimitHeaders } from './middleware/rate-limit.ts';
import { securityHeaders, strictTransport } from './middleware/request-limits.ts';

type Told = {
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
  readonly details: RefusalDetails | null;
  readonly allow?: string;
};

/** What Node says of bytes that are no request. */
type ParseError = Error & {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Up to where the packet was understood. */
  readonly bytesParsed?: number;
};

/**
 * Answers what the HTTP parser refuses, in the same shape as everything else, and closes the socket: what
 * follows on it cannot be understood.
 */
export const answerSocketErrors = (
  deps: MiddlewareDeps,
  server: Server,
  endpoints: readonly Endpoint[],
): void => {
  server.on('clientError', (error: ParseError, socket) => {
    if (isDiscarding(socket)) return;
    // The caller closed the connection.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    refuse(deps, socket, toldOf(error, endpoints));
  });
  /** By connection, answers that wait for the ones before them. */
  const queued = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener('request', (request, response) => {
    if (response.socket !== null) return;
    const here = queued.get(request.socket) ?? new Set();
    queued.set(request.socket, here.add(response));
    response.once('close', () => here.delete(response));
  });
  server.on('connect', (request, socket) => {
    // Node forgets them with a CONNECT: nobody would tell them that their connection is gone.
    socket.once('close', () => {
      for (const response of queued.get(socket) ?? []) response.emit('close');
    });
    const allow = allowedAt(request.url ?? '', endpoints);
    refuse(deps, socket, { ...notAllowed('CONNECT'), allow });
  });
};

/** Takes nothing more from the socket. What was asked on it before is answered first. */
const refuse = (deps: MiddlewareDeps, socket: Duplex, told: Told): void => {
  if (!socket.writable) return;
  discardInput(socket);
  const response = underWay(socket);
  if (response !== null && isOnItsWay(response)) {
    // Who does not read what it asked for must not keep it, and its place among the requests under way, for ever.
    const stop = setTimeout(() => socket.destroy(), 2 * deps.timeLimitMs);
    socket.once('close', () => clearTimeout(stop));
    response.once('finish', () => {
      clearTimeout(stop);
      refuse(deps, socket, told);
    });
  } else if (isAnswered(socket)) linger(socket);
  else end(deps, socket, told);
};

/** Whether a request will be answered although nothing more of it comes: nobody waits for the body of a GET. */
const isOnItsWay = ({ req, headersSent }: ServerResponse): boolean =>
  req.complete || headersSent || req.method === 'GET' || req.method === 'HEAD';

/** Node keeps the response under way on the socket. */
const underWay = (socket: Duplex): ServerResponse | null =>
  '_httpMessage' in socket && socket._httpMessage instanceof ServerResponse
    ? socket._httpMessage
    : null;

const notAllowed = (method: string): Told => ({
  status: statusOf.METHOD_NOT_ALLOWED,
  code: 'METHOD_NOT_ALLOWED',
  message: `${method} is not possible here.`,
  details: null,
});

const toldOf = (error: ParseError, endpoints: readonly Endpoint[]): Told => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return refused(431, 'The headers of the request are too large.', 'headers', 'too_large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refused(408, 'The request did not arrive in time.', 'request', 'too_slow');
    case 'HPE_INVALID_METHOD': {
      const [method = '', url = ''] = wrongLine(error).split(' ', 2);
      const allow = allowedAt(url, endpoints);
      if (/^[A-Z]{1,20}$/.test(method) && url.startsWith('/')) {
        return { ...notAllowed('This method'), allow };
      }
      return malformed();
    }
    default:
      return malformed();
  }
};

/** The line in which the parser stopped; requests that it understood may stand before it. */
const wrongLine = ({ rawPacket, bytesParsed = 0 }: ParseError): string => {
  const text = rawPacket?.toString('latin1', 0, bytesParsed + 9_000) ?? '';
  return text.slice(text.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1);
};

const malformed = (): Told => refused(400, 'The request is malformed.', 'request', 'malformed');

const refused = (status: number, wording: string, path: string, why: string): Told => {
  const { code, message, details } = invalidRequest(wording, { path, code: why });
  return { status, code, message, details };
};

/** The methods of the path, for an `Allow` outside the router; those of any path when nothing is there. */
const allowedAt = (url: string, endpoints: readonly Endpoint[]): string => {
  const path = url.split('?', 1)[0] ?? '';
  const here = endpoints.filter((endpoint) => matches(endpoint.path, path));
  return methodsOf(here.length === 0 ? endpoints : here).join(', ');
};

const matches = (template: string, path: string): boolean => {
  const wanted = template.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part.startsWith(':') || part === given[at])
  );
};

const end = (deps: MiddlewareDeps, socket: Duplex, { allow, ...told }: Told): void => {
  const { status } = told;
  const requestId = newId('req');
  const peer =
    'remoteAddress' in socket && typeof socket.remoteAddress === 'string'
      ? socket.remoteAddress
      : '';
  const window = {
    key: `ip:${isIP(peer) === 0 ? peer : countedAddress(peer)}`,
    limit: deps.limits.ip,
    windowS: 60,
  };
  const counted = deps.limiter.consume(window);
  const verdict = counted instanceof Promise ? deps.limiter.peek(window) : counted;
  const body = errorBody({ ...told, retryAfterS: null, isFault: false }, requestId);
  const headers: Record<string, string> = {
    ...securityHeaders,
    ...rateLimitHeaders('ip', verdict),
    'X-Request-ID': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  if (allow !== undefined) headers['Allow'] = allow;
  if (deps.isHttps) headers['Strict-Transport-Security'] = strictTransport;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  linger(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`);
};
