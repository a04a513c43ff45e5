import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '../../kernel/ids.ts';
import { invalidRequest, type RefusalCode, type RefusalDetails } from '../../kernel/refusal.ts';
import type { Endpoint } from './endpoint.ts';
import { lingeringClose } from './lingering-close.ts';
import { methodsOf } from './middleware/allowed-methods.ts';
import { countedAddress } from './middleware/client-address.ts';
import type { MiddlewareDeps } from './middleware/dependencies.ts';
import { errorBody, statusOf } from './middleware/error-response.ts';
import { rateLimitHeaders } from './middleware/rate-limit.ts';
import { securityHeaders, strictTransport } from './middleware/request-limits.ts';
import { discardInput, isAnsweredEarly, isDiscarding, responseUnderWay } from './pipelining.ts';

type SocketError = {
  readonly status: number;
  readonly code: RefusalCode;
  readonly message: string;
  readonly details: RefusalDetails | null;
  readonly allow?: string;
};

/** The error of Node's HTTP parser. */
type ParseError = Error & {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Bytes of the packet that were parsed. */
  readonly bytesParsed?: number;
};

/**
 * Answers input that the HTTP parser refuses, in the Error shape, and closes the connection: the parser cannot find the
 * next request.
 */
export const answerSocketErrors = (
  deps: MiddlewareDeps,
  server: Server,
  endpoints: readonly Endpoint[],
): void => {
  server.on('clientError', (error: ParseError, socket) => {
    if (isDiscarding(socket)) return;
    // The caller closed the connection.
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(deps, socket, socketErrorOf(error, endpoints));
  });
  server.on('connect', (request, socket) => {
    const allow = allowedAt(request.url ?? '', endpoints);
    refuse(deps, socket, { ...notAllowed('CONNECT'), allow });
  });
};

/** Stops reading from the socket. A response in progress is sent first. */
const refuse = (deps: MiddlewareDeps, socket: Duplex, error: SocketError): void => {
  discardInput(socket);
  const response = responseUnderWay(socket);
  if (response !== null && willBeAnswered(response)) {
    const stop = setTimeout(() => socket.destroy(), 2 * deps.timeLimitMs);
    response.once('close', () => {
      clearTimeout(stop);
      if (!socket.writable) return;
      if (response.req.complete) writeError(deps, socket, error);
      else lingeringClose(socket);
    });
  } else if (isAnsweredEarly(socket)) lingeringClose(socket);
  else writeError(deps, socket, error);
};

/** Whether a request is answered before its end is read: the body of a GET is not awaited. */
const willBeAnswered = ({ req, headersSent }: ServerResponse): boolean =>
  req.complete || headersSent || req.method === 'GET' || req.method === 'HEAD';

const notAllowed = (method: string): SocketError => ({
  status: statusOf.METHOD_NOT_ALLOWED,
  code: 'METHOD_NOT_ALLOWED',
  message: `${method} is not possible here.`,
  details: null,
});

const socketErrorOf = (error: ParseError, endpoints: readonly Endpoint[]): SocketError => {
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

/** The line at which the parser stopped. */
const wrongLine = ({ rawPacket, bytesParsed = 0 }: ParseError): string => {
  const text = rawPacket?.toString('latin1', 0, bytesParsed + 9_000) ?? '';
  return text.slice(text.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1);
};

const malformed = (): SocketError =>
  refused(400, 'The request is malformed.', 'request', 'malformed');

const refused = (status: number, wording: string, path: string, why: string): SocketError => {
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

const writeError = (
  deps: MiddlewareDeps,
  socket: Duplex,
  { allow, ...error }: SocketError,
): void => {
  const { status } = error;
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
  const body = errorBody({ ...error, retryAfterS: null, isFault: false }, requestId);
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
  lingeringClose(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`,
  );
};
