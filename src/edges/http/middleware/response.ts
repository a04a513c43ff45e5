import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Receipt } from '../../../commands.ts';
import { discardRest } from '../lingering-close.ts';
import type { RequestContext } from './request-context.ts';

/** Headers by name, as they are written. Nobody here spells one name in two ways. */
export type HeaderFields = Record<string, string | string[]>;

/** What a route gives back: everything that goes over the wire besides what every answer carries. */
export type HttpResponse = {
  readonly status: number;
  /** Null with a null body. */
  readonly contentType: string | null;
  readonly body: Buffer | string | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the captions came from what is kept; null where none were read. */
  readonly isCacheHit: boolean | null;
  /** In place of a body: what is sent piece by piece, until it ends or the signal aborts. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>;
};

const jsonType = 'application/json; charset=utf-8';

type More = {
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: HttpResponse['headers'];
  readonly isCacheHit?: boolean | null;
};

/** An answer of ready bytes, 200 and JSON unless said otherwise. */
export const bytes = (
  body: Buffer | string,
  { status = 200, contentType = jsonType, headers = {}, isCacheHit = null }: More = {},
): HttpResponse => ({ status, contentType, body, headers, isCacheHit });

/** An answer in JSON. */
export const json = (value: unknown, more: More = {}): HttpResponse =>
  bytes(JSON.stringify(value), more);

/** An answer that is sent piece by piece, 200 and JSON unless said otherwise. */
export const inPieces = (
  stream: NonNullable<HttpResponse['stream']>,
  { status = 200, contentType = jsonType, headers = {}, isCacheHit = null }: More = {},
): HttpResponse => ({ status, contentType, body: null, headers, isCacheHit, stream });

/** Done, and there is nothing to say (204). */
export const noContent = (headers: HttpResponse['headers'] = {}): HttpResponse => ({
  status: 204,
  contentType: null,
  body: null,
  headers,
  isCacheHit: null,
});

/** The headers with which an answer proves its charge. */
export const receiptHeaders = ({ creditsCharged, eventId }: Receipt): Record<string, string> =>
  eventId === null
    ? { 'X-Credits-Charged': String(creditsCharged) }
    : { 'X-Credits-Charged': String(creditsCharged), 'X-Credits-Event': eventId };

/**
 * Writes an answer that comes in pieces, no faster than its reader takes them, until it ends or `until` aborts; after
 * that it takes one more piece, with which a document ends. Throws what the pieces throw: the answer is not whole then.
 */
export const sendStream = async (
  response: ServerResponse,
  context: Pick<RequestContext, 'headers'>,
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
    // A reader that is gone takes nothing more, and no event of the response says so.
    if (!response.write(piece)) await once(response, 'drain', { signal: until }).catch(() => {});
    if (isLast) break;
    isLast = until.aborted;
  }
  response.end();
};

/** What every answer carries, then the answer's own, which win. */
const joined = (common: HeaderFields, own: HttpResponse['headers']): HeaderFields => {
  const all = { ...common };
  for (const name in own) {
    const value = own[name];
    if (value !== undefined) all[name] = typeof value === 'string' ? value : [...value];
  }
  return all;
};

/**
 * Writes all headers at once: set one by one, Node would keep each under two names and check it twice. One that it
 * refuses leaves the context as it was, so that the failure can still be answered.
 */
const writeHead = (
  response: ServerResponse,
  context: Pick<RequestContext, 'headers'>,
  status: number,
  headers: HeaderFields,
): void => {
  response.writeHead(status, STATUS_CODES[status], headers);
  context.headers = headers;
};

/** Writes an answer. Of a HEAD request Node leaves the body out and keeps its length, where it is known. */
export const send = (
  response: ServerResponse,
  context: Pick<RequestContext, 'headers'>,
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
  // Node may close the connection after an answer: its caller still sends, and would lose the answer by a reset.
  response.write(body);
  void discardRest(response.req).then(() => response.end());
};
