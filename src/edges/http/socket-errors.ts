import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Endpoint } from '../../contract/endpoint.ts';
import { newId } from '../../kernel/ids.ts';
import { invalidRequest, Refusal } from '../../kernel/refusal.ts';
import { lingeringClose } from './lingering-close.ts';
import { methodsOf } from './middleware/allowed-methods.ts';
import type { MiddlewareDeps } from './middleware/dependencies.ts';
import { errorBody, failureOf } from './middleware/error-response.ts';
import { countAddress } from './middleware/rate-limit.ts';
import { securityHeaders, strictTransport } from './middleware/request-limits.ts';
import type { HeaderFields } from './middleware/response.ts';
import { connectionOf, enqueue } from './pipelining.ts';

/** The error of Node's HTTP parser. */
type ParseError = Error & {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Bytes of the packet that were parsed. */
  readonly bytesParsed?: number;
};

/** `url`: the address whose methods are told. */
type Answer = { readonly status: number; readonly refusal: Refusal; readonly url?: string };

/**
 * Answers input that the HTTP parser refuses, in the Error shape, and closes the connection: the parser cannot find the
 * next request.
 */
export const answerSocketErrors = (deps: MiddlewareDeps, server: Server, endpoints: readonly Endpoint[]): void => {
  const refuse = (socket: Duplex, answer: Answer): void => {
    const connection = connectionOf(socket);
    // The request that the input belongs to is not begun.
    if (connection.waiting.at(-1)?.request?.complete === false) connection.waiting.pop();
    const write = (): void => void writeError(deps, socket, answer, endpoints);
    if (connection.isAnswering && connection.begun !== null && !willBeAnswered(connection.begun)) write();
    // A request that was answered before its end is not answered again.
    else enqueue(socket, () => (isUnread(connection.begun) ? lingeringClose(socket) : write()));
  };
  server.on('clientError', (error: ParseError, socket) => {
    const { isClosing, deadline } = connectionOf(socket);
    if (isClosing) return;
    // This server has paused the socket behind an unanswered request: the time-out is not the fault of the client.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && deadline !== null) return;
    // The caller closed the connection.
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, answerTo(error));
  });
  server.on('connect', ({ url = '' }, socket) => {
    // Node has removed its own listener: a reset would end the process.
    socket.on('error', () => undefined);
    refuse(socket, notAllowed('CONNECT', url));
  });
};

const isUnread = (begun: ServerResponse | null): boolean => begun?.req.complete === false;

/** Whether a request is answered before its end is read: the body of a GET is not awaited. */
const willBeAnswered = ({ req, headersSent }: ServerResponse): boolean =>
  req.complete || headersSent || req.method === 'GET' || req.method === 'HEAD';

const answerTo = (error: ParseError): Answer => {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return invalid(431, 'The headers of the request are too large.', 'headers', 'too_large');
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return invalid(408, 'The request did not arrive in time.', 'request', 'too_slow');
  }
  const isOtherMethod = error.code === 'HPE_INVALID_METHOD';
  const [, url] = (isOtherMethod && /^[A-Z]{1,20} (\/[^ ]*)/.exec(wrongLine(error))) || [];
  if (url !== undefined) return notAllowed('This method', url);
  return invalid(400, 'The request is malformed.', 'request', 'malformed');
};

const invalid = (status: number, message: string, path: string, code: string): Answer => ({
  status,
  refusal: invalidRequest(message, { path, code }),
});

const notAllowed = (method: string, url: string): Answer => ({
  status: 405,
  refusal: new Refusal('METHOD_NOT_ALLOWED', `${method} is not allowed here.`),
  url,
});

/** The line at which the parser stopped. */
const wrongLine = ({ rawPacket, bytesParsed = 0 }: ParseError): string => {
  const text = rawPacket?.toString('latin1', 0, bytesParsed + 9_000) ?? '';
  return text.slice(text.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1);
};

/** The methods of the path, for an `Allow` outside the router; those of any path when nothing is there. */
const allowedAt = (url: string, endpoints: readonly Endpoint[]): string => {
  const given = (url.split('?', 1)[0] ?? '').split('/');
  const here = endpoints.filter(({ path }) => {
    const wanted = path.split('/');
    return wanted.length === given.length && wanted.every((part, at) => part.startsWith(':') || part === given[at]);
  });
  return methodsOf(here.length === 0 ? endpoints : here).join(', ');
};

const writeError = async (
  deps: MiddlewareDeps,
  socket: Duplex,
  { status, refusal, url }: Answer,
  endpoints: readonly Endpoint[],
): Promise<void> => {
  connectionOf(socket).isClosing = true;
  const requestId = newId('req');
  const body = errorBody(failureOf(refusal, deps.isUnavailable), requestId);
  const headers: HeaderFields = {
    ...securityHeaders,
    'X-Request-ID': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  if (url !== undefined) headers['Allow'] = allowedAt(url, endpoints);
  if (deps.isHttps) headers['Strict-Transport-Security'] = strictTransport;
  const peer = 'remoteAddress' in socket ? String(socket.remoteAddress) : '';
  // It is answered in any case: the connection closes.
  await countAddress(deps, headers, peer, 'ip').catch(() => undefined);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  lingeringClose(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`);
};
