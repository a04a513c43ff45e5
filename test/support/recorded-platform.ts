import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { isObject } from '#src/extraction/json-path.ts';
import { recording, recordings } from '#test/support/recordings.ts';

export type RecordedRequest = {
  /** `player`, `reel/reel_item_watch`, `browse`, `navigation/resolve_url`, `timedtext` … */
  readonly endpoint: string;
  readonly client: string | null;
  readonly videoId: string | null;
  readonly host: string | null;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
};

export type RecordedAnswer = {
  readonly status?: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Replaces recorded answers; undefined falls back to the recording. */
export type Instead = (request: RecordedRequest) => RecordedAnswer | undefined;

export type RecordedPlatform = AsyncDisposable & {
  /** For `PLATFORM_ORIGIN`. */
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  /** Takes effect at once; the last one wins. */
  answerWith(instead: Instead): void;
};

/** Names for recorded player answers whose source does not name the video. */
const named: Readonly<Record<string, string>> = {
  'player-errors/bot-check.android.2025-06': 'bot-check-x',
  'player-errors/deleted.android.2025-06': 'deleted-xxx',
  'player-errors/unknown-status.edited': 'new-status1',
};

/** Answers that are specific to one client and not used for clients without a recording. */
const oddities = /wrong-video|po-token|unplayable|tv-embedded/;

type Recording = {
  readonly name: string;
  readonly videoId: string;
  readonly client: string;
  readonly isReel: boolean;
  readonly body: string;
};

type ListRecording = { readonly key: string; readonly status: number; readonly body: string };

type Meta = {
  readonly id?: string | null;
  readonly client?: string | null;
  readonly bodyFile: string;
  readonly request?: { readonly url?: string | null; readonly body?: unknown };
  readonly response?: { readonly status?: number };
};

const metasIn = (folder: string): { readonly name: string; readonly meta: Meta }[] =>
  readdirSync(resolve(recordings, folder))
    .filter((file) => file.endsWith('.meta.json'))
    .map((file) => ({
      name: `${folder}/${file.replace('.meta.json', '')}`,
      meta: JSON.parse(readFileSync(resolve(recordings, folder, file), 'utf8')) as Meta,
    }));

const bodyOf = (folder: string, file: string): string => readFileSync(resolve(recordings, folder, file), 'utf8');

const playerRecordings = (): Recording[] =>
  ['player', 'player-errors'].flatMap((folder) =>
    metasIn(folder)
      // Answers to metadata-only requests do not mention captions.
      .filter(({ name }) => !name.includes('.web-metadata.'))
      .map(({ name, meta }) => ({
        name,
        videoId: named[name] ?? meta.id ?? name,
        client: (meta.client ?? '').split(' ')[0] ?? '',
        isReel: meta.request?.url?.includes('/reel/') ?? false,
        body: bodyOf(folder, meta.bodyFile),
      }))
      .sort((a, b) => Number(oddities.test(a.name)) - Number(oddities.test(b.name))),
  );

const listRecordings = (): ListRecording[] =>
  ['playlist', 'channel', 'resolve-url'].flatMap((folder) =>
    metasIn(folder).map(({ meta }) => ({
      key: keyOf(isObject(meta.request?.body) ? meta.request.body : {}),
      status: meta.response?.status ?? 200,
      body: bodyOf(folder, meta.bodyFile),
    })),
  );

const keyOf = (body: Readonly<Record<string, unknown>>): string =>
  String(body['continuation'] ?? body['url'] ?? body['browseId'] ?? '');

/**
 * Serves the recordings of the video platform over HTTP on loopback: player answers by video and client (from another
 * client if that one was not recorded), lists by request, and constructed caption documents.
 * Tests may replace answers.
 */
export const startRecordedPlatform = async (): Promise<RecordedPlatform> => {
  const players = playerRecordings();
  const lists = new Map(listRecordings().map((list) => [list.key, list]));
  const requests: RecordedRequest[] = [];
  let instead: Instead = () => undefined;

  const server = createServer(async (request, response) => {
    const seen = await understand(request);
    requests.push(seen);
    const answer = instead(seen) ?? recorded(seen, players, lists);
    const { status = 200, body, headers = {} } = answer;
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    answerWith(next) {
      instead = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
};

const understand = async (request: IncomingMessage): Promise<RecordedRequest> => {
  const url = new URL(request.url ?? '/', 'http://platform');
  let text = '';
  for await (const chunk of request) text += chunk;
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  const context = body['context'] as { client?: { clientName?: string } } | undefined;
  const player = (body['playerRequest'] ?? body) as { videoId?: string };
  return {
    endpoint: url.pathname.replace(/^\/(?:youtubei\/v1|api)\//, ''),
    client: context?.client?.clientName ?? null,
    videoId: player.videoId ?? url.searchParams.get('v'),
    host: request.headers['x-forwarded-host']?.toString() ?? null,
    query: url.searchParams,
    body,
  };
};

const recorded = (
  request: RecordedRequest,
  players: readonly Recording[],
  lists: ReadonlyMap<string, ListRecording>,
): RecordedAnswer => {
  const { endpoint, body, client } = request;
  if (endpoint === 'timedtext') return timedtext(request.query);
  if (endpoint === 'browse' || endpoint === 'navigation/resolve_url')
    return lists.get(keyOf(body)) ?? { status: 404, body: '{"error":{"status":"NOT_FOUND"}}' };
  const videoId = request.videoId ?? '';
  const isReel = endpoint.startsWith('reel/');
  if (!isReel && endpoint !== 'player') return { status: 404, body: '{}' };
  const ofVideo = players.filter((each) => each.videoId === videoId);
  const unknown = players.filter((each) => each.videoId === 'INVALID_ID_');
  const some = ofVideo.length > 0 ? ofVideo : unknown;
  const usual = some.filter(({ name }) => !oddities.test(name));
  const chosen =
    some.find((each) => each.client === client && each.isReel === isReel) ??
    some.find((each) => each.client === client) ??
    usual.find((each) => !each.isReel) ??
    usual[0];
  return { body: framed(chosen ?? { body: '{}', isReel }, isReel) };
};

/** The `reel` endpoint of the apps wraps the player answer; a recording of one endpoint serves both. */
const framed = ({ body, isReel }: Pick<Recording, 'body' | 'isReel'>, wanted: boolean): string => {
  if (isReel === wanted) return body;
  const document = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(wanted ? { playerResponse: document } : (document['playerResponse'] ?? {}));
};

const formats: Readonly<Record<string, string>> = {
  json3: 'json3.json',
  srv1: 'srv1.xml',
  srv3: 'srv3.xml',
  vtt: 'vtt',
};

export type TrackJson = Record<string, unknown> & { baseUrl: string; languageCode: string };

/** The parts of a player answer that tests change. */
export type PlayerJson = {
  playabilityStatus?: Record<string, unknown>;
  videoDetails: Record<string, unknown>;
  captions: Record<string, unknown> & {
    playerCaptionsTracklistRenderer: Record<string, unknown> & { captionTracks: TrackJson[] };
  };
};

/** The recorded answer for a video with manual and automatic English captions, under another video id. */
export const recordedPlayer = (videoId: string, change: (document: PlayerJson) => void = () => {}): string => {
  const text = recording('player/M4gD1WSo5mA.visionos.2026-06.json');
  const document = JSON.parse(text.replaceAll('M4gD1WSo5mA', videoId)) as PlayerJson;
  change(document);
  return JSON.stringify(document);
};

/** Every client gets this player answer; captions are the constructed ones. */
export const players =
  (body: string): Instead =>
  ({ endpoint }) => {
    if (endpoint === 'player') return { body };
    return endpoint.startsWith('reel/') ? { body: `{"playerResponse":${body}}` } : undefined;
  };

/** The constructed document of a track; languages without one get the English text. */
export const timedtext = (query: URLSearchParams): RecordedAnswer => {
  const language = query.get('lang') ?? 'en';
  const isAutomatic = query.get('kind') === 'asr';
  const of = !isAutomatic && ['ar', 'ja'].includes(language) ? language : 'en';
  const format = formats[query.get('fmt') ?? 'srv1'] ?? 'srv1.xml';
  return {
    body: bodyOf('timedtext-constructed', `${isAutomatic ? 'asr' : 'manual'}.${of}.${format}`),
    headers: { 'content-type': format.startsWith('json3') ? 'application/json' : 'text/xml' },
  };
};
