import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Receipt } from '../../commands.ts';

/** What a route gives back: everything that goes over the wire besides what every answer carries. */
export type Answer = {
  readonly status: number;
  /** Null with a null body. */
  readonly contentType: string | null;
  readonly body: Buffer | string | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the captions came from what is kept; null where none were read. */
  readonly isCacheHit: boolean | null;
  /** In place of a body: what is sent piece by piece, until it ends or the signal aborts. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string>;
};

const jsonType = 'application/json; charset=utf-8';

type More = {
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Answer['headers'];
  readonly isCacheHit?: boolean | null;
};

/** An answer of ready bytes, 200 and JSON unless said otherwise. */
export const bytes = (
  body: Buffer | string,
  { status = 200, contentType = jsonType, headers = {}, isCacheHit = null }: More = {},
): Answer => ({ status, contentType, body, headers, isCacheHit });

/** An answer in JSON. */
export const json = (value: unknown, more: More = {}): Answer => bytes(JSON.stringify(value), more);

/** Done, and there is nothing to say (204). */
export const noContent = (headers: Answer['headers'] = {}): Answer => ({
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

/** Writes an answer that comes in pieces, no faster than its reader takes them. */
export const sendStream = async (
  response: ServerResponse,
  { status, contentType, headers }: Answer,
  pieces: AsyncIterable<string>,
): Promise<void> => {
  response.writeHead(status, { 'Content-Type': contentType ?? 'text/plain', ...copied(headers) });
  response.flushHeaders();
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await once(response, 'drain').catch(() => {});
  }
  response.end();
};

const copied = (headers: Answer['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );

/** Writes an answer. Of a HEAD request Node leaves the body out and keeps its length. */
export const send = (
  response: ServerResponse,
  { status, contentType, body, headers }: Answer,
): void => {
  response.statusCode = status;
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  if (body === null || contentType === null) {
    response.end();
    return;
  }
  response.setHeader('Content-Type', contentType);
  response.setHeader(
    'Content-Length',
    typeof body === 'string' ? Buffer.byteLength(body) : body.length,
  );
  response.end(body);
};
