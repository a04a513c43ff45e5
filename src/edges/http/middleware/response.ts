import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Receipt } from '../../../commands.ts';
import type { RefusalCode } from '../../../kernel/refusal.ts';
import { discardRest } from '../lingering-close.ts';

/** Headers by name, as they are written; each name has one spelling in this code. */
export type HeaderFields = Record<string, string | string[]>;

/** Holds the headers of the response, whatever it is. */
type ResponseHeaders = { headers: HeaderFields };

/** The response of a route, without the headers that every response has. */
export type HttpResponse = {
  readonly status: number;
  /** Null with a null body. */
  readonly contentType: string | null;
  readonly body: Buffer | string | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the captions came from the cache; null where none were read. */
  readonly isCacheHit: boolean | null;
  /** In place of `body`: chunks, until they end or the signal aborts. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>;
  /** Of a refusal that a page shows in its form. */
  readonly code?: RefusalCode;
};

const jsonType = 'application/json; charset=utf-8';

type More = {
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: HttpResponse['headers'];
  readonly isCacheHit?: boolean | null;
};

/** A response with this body; 200 and JSON by default. */
export const bytes = (
  body: Buffer | string,
  { status = 200, contentType = jsonType, headers = {}, isCacheHit = null }: More = {},
): HttpResponse => ({ status, contentType, body, headers, isCacheHit });

/** A response in JSON. */
export const json = (value: unknown, more: More = {}): HttpResponse => bytes(JSON.stringify(value), more);

/** A response that is sent in chunks; 200 and JSON by default. */
export const inPieces = (
  stream: NonNullable<HttpResponse['stream']>,
  { status = 200, contentType = jsonType, headers = {}, isCacheHit = null }: More = {},
): HttpResponse => ({ status, contentType, body: null, headers, isCacheHit, stream });

/** A file: its bytes as they are, and compressed; null: that would not make it smaller. */
export type StaticFile = {
  readonly contentType: string;
  readonly body: Buffer;
  readonly brotli: Buffer | null;
  readonly gzip: Buffer | null;
};

/** Whether the client accepts a body in this content coding. */
export const acceptsCoding = ({ headers }: IncomingMessage, coding: 'br' | 'gzip'): boolean =>
  new RegExp(`\\b${coding}\\b`).test(String(headers['accept-encoding'] ?? ''));

/** A file in the coding that the client takes. */
export const fileAnswer = (request: IncomingMessage, { contentType, body, brotli, gzip }: StaticFile): HttpResponse => {
  const [coding, sent] =
    brotli !== null && acceptsCoding(request, 'br')
      ? ['br', brotli]
      : gzip !== null && acceptsCoding(request, 'gzip')
        ? ['gzip', gzip]
        : [null, body];
  const encoding = coding === null ? {} : { 'Content-Encoding': coding };
  return bytes(sent, { contentType, headers: { Vary: 'Accept-Encoding', ...encoding } });
};

/** 204 No Content. */
export const noContent = (headers: HttpResponse['headers'] = {}): HttpResponse => ({
  status: 204,
  contentType: null,
  body: null,
  headers,
  isCacheHit: null,
});

/** Where the receipt of a charge is. */
export const receiptPath = (eventId: string): string => `/v1/receipts/${eventId}`;

/** The headers that state the charge of a response. */
export const receiptHeaders = ({ creditsCharged, eventId }: Receipt): Record<string, string> =>
  eventId === null
    ? { 'X-Credits-Charged': String(creditsCharged) }
    : {
        'X-Credits-Charged': String(creditsCharged),
        'X-Credits-Event': eventId,
        ...(creditsCharged > 0 ? { Link: `<${receiptPath(eventId)}>; rel="receipt"` } : {}),
      };

/**
 * Writes a response in chunks, with backpressure, until the stream ends or `until` aborts; after an abort one more chunk is
 * written, the end of the document. Throws what the stream throws; the response is incomplete then.
 */
export const sendStream = async (
  response: ServerResponse,
  context: ResponseHeaders,
  { status, contentType, headers }: HttpResponse,
  stream: NonNullable<HttpResponse['stream']>,
  until: AbortSignal,
): Promise<void> => {
  const all = joined(context.headers, headers);
  all['Content-Type'] = contentType ?? 'text/plain';
  writeHead(response, context, status, all);
  response.flushHeaders();
  let isLast = false;
  for await (const piece of stream(until)) {
    if (response.destroyed) return;
    // When the client is gone there is no `drain` event: the wait ends with `until`.
    if (!response.write(piece)) await once(response, 'drain', { signal: until }).catch(() => {});
    if (isLast) break;
    isLast = until.aborted;
  }
  response.end();
};

/** The headers of every response, overridden by those of this one. */
const joined = (common: HeaderFields, own: HttpResponse['headers']): HeaderFields => {
  const all = { ...common };
  for (const name in own) {
    const value = own[name];
    if (value !== undefined) all[name] = typeof value === 'string' ? value : [...value];
  }
  return all;
};

/**
 * Writes all headers at once: Node stores and checks each one twice when they are set one by one. If Node refuses a header,
 * the context is unchanged, so that the failure can still be answered.
 */
const writeHead = (response: ServerResponse, context: ResponseHeaders, status: number, headers: HeaderFields): void => {
  response.writeHead(status, STATUS_CODES[status], headers);
  context.headers = headers;
};

/** Writes a response. To HEAD, Node omits the body and keeps `Content-Length`. */
export const send = (
  response: ServerResponse,
  context: ResponseHeaders,
  { status, contentType, body, headers }: HttpResponse,
): void => {
  const all = joined(context.headers, headers);
  if (contentType !== null) all['Content-Type'] = contentType;
  if (body === null) {
    writeHead(response, context, status, all);
    response.end();
    return;
  }
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  all['Content-Length'] = String(length);
  writeHead(response, context, status, all);
  if (response.req.complete) {
    response.end(body);
    return;
  }
  // The client still sends. If Node closed the connection now, a reset could destroy the response on its way.
  response.write(body);
  void discardRest(response.req).then(() => response.end());
};
