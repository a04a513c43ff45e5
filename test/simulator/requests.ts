import type { IncomingMessage } from 'node:http';
import { type Client, clientOf } from './clients.ts';
import { placeOf } from './continuations.ts';
import type { Endpoint, SimulatedRequest } from './faults.ts';

/** A received request with its parsed properties. */
export type SeenRequest = SimulatedRequest & {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** The host the client addressed: `X-Forwarded-Host`, or else `Host`. */
  readonly host: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; null if there is none. */
  readonly body: unknown;
  readonly visitorData: string | null;
  /** Milliseconds since the simulator started. */
  readonly atMs: number;
};

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/youtubei/v1/player': 'player',
  '/youtubei/v1/reel/reel_item_watch': 'reel',
  '/youtubei/v1/browse': 'browse',
  '/youtubei/v1/navigation/resolve_url': 'resolve_url',
  '/youtubei/v1/visitor_id': 'visitor_id',
  '/api/timedtext': 'timedtext',
  '/videoplayback': 'videoplayback',
  '/feeds/videos.xml': 'feed',
  '/watch': 'page',
  '/': 'page',
};

const maxBodyBytes = 256 * 1024;

/** Reads and parses the body; null if it is empty, not JSON, or over 256 KiB. */
export const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= maxBodyBytes) chunks.push(bytes);
  }
  if (size === 0 || size > maxBodyBytes) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The video id of a body in either of its two shapes. */
export const videoIdOf = (body: unknown): string | null =>
  text(field(body, 'videoId')) ?? text(field(field(body, 'playerRequest'), 'videoId'));

export const textField = (body: unknown, name: string): string | null => text(field(body, name));

const listIdOf = (body: unknown): string | null => {
  const token = textField(body, 'continuation');
  const browseId = token === null ? textField(body, 'browseId') : placeOf(token)?.browseId;
  return browseId?.replace(/^VL/, '') ?? null;
};

/** Parses a request into endpoint, video and client. */
export const understand = (
  request: IncomingMessage,
  url: URL,
  body: unknown,
  stamp: { readonly number: number; readonly atMs: number },
): SeenRequest & { readonly speaker: Client | undefined } => {
  const speaker = clientOf(body);
  const forwarded = request.headers['x-forwarded-host'];
  const query = Object.fromEntries([...url.searchParams.entries()].reverse());
  return {
    ...stamp,
    endpoint: endpoints[url.pathname] ?? 'unknown',
    videoId: videoIdOf(body) ?? url.searchParams.get('v') ?? url.searchParams.get('id'),
    listId: listIdOf(body),
    client: speaker?.name ?? null,
    isTranslation: url.searchParams.has('tlang'),
    method: request.method ?? 'GET',
    path: url.pathname,
    host: (Array.isArray(forwarded) ? forwarded[0] : forwarded) ?? request.headers.host ?? '',
    query,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body,
    visitorData: text(field(field(field(body, 'context'), 'client'), 'visitorData')),
    speaker,
  };
};
