import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { elapsedMs, systemClock } from '#src/kernel/clock.ts';
import type { Answer } from './answers.ts';
import { makeChannels, makePlaylists } from './collections.ts';
import { deliver } from './delivery.ts';
import { type Fault, type FaultKind, faultPlans } from './faults.ts';
import { generatedVideo } from './generated-videos.ts';
import { type Publication, publishTo, removeFrom } from './publish.ts';
import { readJson, type SeenRequest, understand } from './requests.ts';
import { answerTo, type World } from './routes.ts';
import { readSamples, type SampleVideo } from './samples.ts';

export type SimulatorOptions = {
  /** 0 (the default): any free port. */
  readonly port?: number;
  /** Adds videos, or replaces those with the same ids. */
  readonly videos?: readonly SampleVideo[];
  /** Delay of every answer. */
  readonly latencyMs?: number;
};

export type Simulator = AsyncDisposable & {
  /** For `PLATFORM_ORIGIN`. */
  readonly origin: string;
  /** Every request since the start or the last reset, oldest first; the newest 50,000. */
  readonly requests: readonly SeenRequest[];
  /** Plans a fault for the next matching calls; plans are consumed in order of creation. */
  readonly plan: (...faults: readonly Fault[]) => void;
  /** Clears plans, requests and counters; keeps the videos. */
  readonly reset: () => void;
  /** Resolves with the next request that satisfies the predicate. */
  readonly nextRequest: (passes?: (request: SeenRequest) => boolean) => Promise<SeenRequest>;
  readonly load: () => Load;
  /** Publishes a video in a channel or playlist. */
  readonly publish: (publication: Publication) => SampleVideo;
  /** Takes a video out of a channel or playlist. */
  readonly remove: (listId: string, videoId: string) => void;
  /** Adds a video, or replaces the one with its id. */
  readonly setVideo: (video: SampleVideo) => void;
};

/** The load that clients put on it. */
export type Load = {
  readonly inFlight: number;
  readonly mostInFlight: number;
  /** Connections opened since the start or the last reset. */
  readonly connections: number;
};

const maxRequests = 50_000;

type Watcher = { readonly passes: (request: SeenRequest) => boolean; readonly tell: (request: SeenRequest) => void };

const newState = () => ({
  requests: [] as SeenRequest[],
  watchers: [] as Watcher[],
  inFlight: 0,
  mostInFlight: 0,
  connections: 0,
  number: 0,
  sessions: 0,
});

type State = ReturnType<typeof newState>;

const note = (state: State, request: SeenRequest): void => {
  state.requests.push(request);
  if (state.requests.length > maxRequests) state.requests.shift();
  const matching = state.watchers.filter((watcher) => watcher.passes(request));
  state.watchers = state.watchers.filter((watcher) => !matching.includes(watcher));
  for (const watcher of matching) watcher.tell(request);
};

const isFault = (value: unknown): value is Fault => typeof value === 'object' && value !== null && 'does' in value;

const isPublication = (value: unknown): value is Publication =>
  typeof value === 'object' && value !== null && 'listId' in value && typeof value.listId === 'string';

type Controls = Pick<Simulator, 'plan' | 'reset' | 'remove'> & {
  readonly publish: (publication: Publication) => SampleVideo | undefined;
  readonly state: State;
  readonly videos: ReadonlyMap<string, SampleVideo>;
};

/** The control endpoints for other processes: `POST plan`, `POST publish`, `POST remove`, `GET requests`, `POST reset`, `GET videos`. */
const control = async (
  request: IncomingMessage,
  url: URL,
  { plan, reset, publish, remove, state, videos }: Controls,
): Promise<Answer> => {
  const answer = (status: number, body: object): Answer => ({
    status,
    contentType: 'application/json; charset=UTF-8',
    body: JSON.stringify(body),
  });
  switch (`${request.method} ${url.pathname}`) {
    case 'POST /_simulator/plan': {
      const body = await readJson(request);
      const faults: unknown[] = Array.isArray(body) ? body : [body];
      if (!faults.every(isFault)) return answer(400, { error: 'a fault has a `does`' });
      plan(...faults);
      return answer(201, { planned: faults.length });
    }
    case 'GET /_simulator/requests': {
      const endpoint = url.searchParams.get('endpoint');
      const videoId = url.searchParams.get('video');
      const seen = state.requests.filter(
        (one) => (!endpoint || one.endpoint === endpoint) && (!videoId || one.videoId === videoId),
      );
      return answer(200, { requests: seen, load: loadOf(state) });
    }
    case 'POST /_simulator/publish': {
      const body = await readJson(request);
      const video = isPublication(body) ? publish(body) : undefined;
      return video === undefined
        ? answer(400, { error: 'a publication has the `listId` of a channel or playlist' })
        : answer(201, { videoId: video.videoId, title: video.title });
    }
    case 'POST /_simulator/remove': {
      const body = await readJson(request);
      if (!isPublication(body) || body.videoId === undefined)
        return answer(400, { error: 'takes `listId`, `videoId`' });
      remove(body.listId, body.videoId);
      return answer(200, { removed: body.videoId });
    }
    case 'POST /_simulator/reset':
      reset();
      return { status: 204, contentType: 'text/plain', body: '' };
    case 'GET /_simulator/videos':
      return answer(200, {
        videos: [...videos.values()].map(({ tracks, ...video }) => ({
          ...video,
          tracks: tracks.map(({ lines, ...track }) => ({ ...track, lineCount: lines.length })),
        })),
      });
    default:
      return answer(404, { error: 'no such control' });
  }
};

const loadOf = ({ inFlight, mostInFlight, connections }: State): Load => ({ inFlight, mostInFlight, connections });

const delayOf = (fault: FaultKind | null): number => (fault?.kind === 'delay' ? fault.ms : 0);

/**
 * The video platform as an HTTP server on the loopback interface: the endpoints that an extractor calls, with
 * the shapes, the quirks and (as planned) the faults of the real one. The hosts in its answers are the
 * platform's own; clients send every request here with the original host in `X-Forwarded-Host`.
 */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const videos = readSamples();
  for (const video of options.videos ?? []) videos.set(video.videoId, video);
  const startedMs = elapsedMs();
  const plans = faultPlans();
  const state = newState();
  const collections = { playlists: makePlaylists(), channels: makeChannels() };
  const published = { ...collections, videos, nowIso: () => systemClock().toISOString() };
  const publish = publishTo(published);
  const remove = removeFrom(published);
  const world: World = {
    collections,
    findVideo: (videoId) => videos.get(videoId) ?? generatedVideo(videoId),
    secret: 'the signature of the simulated platform',
    nowS: () => Math.floor(systemClock().getTime() / 1000),
    newSession: () => {
      state.sessions += 1;
      return Buffer.from(`\n\u000bsession${String(state.sessions).padStart(6, '0')}`)
        .toString('base64url')
        .concat('%3D');
    },
  };
  const plan = (...faults: readonly Fault[]): void => {
    for (const fault of faults) plans.add(fault);
  };
  const reset = (): void => {
    plans.clear();
    const { inFlight, watchers, number } = state;
    Object.assign(state, newState(), { inFlight, mostInFlight: inFlight, watchers, number });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const receiver = { takesGzip: /\bgzip\b/.test(request.headers['accept-encoding'] ?? ''), signal };
    if (url.pathname.startsWith('/_simulator/')) {
      const answer = await control(request, url, { plan, reset, publish, remove, state, videos });
      return deliver(response, answer, null, receiver);
    }
    const body = await readJson(request);
    state.number += 1;
    const stamp = { number: state.number, atMs: Math.round(elapsedMs() - startedMs) };
    const { speaker, ...seen } = understand(request, url, body, stamp);
    note(state, seen);
    const fault = plans.take(seen);
    const asked = fault?.kind === 'other_video' ? { ...seen, videoId: fault.videoId } : seen;
    const delayMs =
      (options.latencyMs ?? 0) + delayOf(fault) + (seen.videoId ? (videos.get(seen.videoId)?.delayMs ?? 0) : 0);
    const answer = answerTo(asked, speaker, world, url);
    if (delayMs > 0) await wait(delayMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await deliver(response, answer, fault, receiver);
  };

  const server = createServer((request, response) => {
    const gone = new AbortController();
    state.inFlight += 1;
    state.mostInFlight = Math.max(state.mostInFlight, state.inFlight);
    response.on('close', () => {
      state.inFlight -= 1;
      gone.abort();
    });
    serve(request, response, gone.signal).catch((error: unknown) => {
      if (gone.signal.aborted) return;
      response.statusCode = 500;
      response.end(`the simulator failed: ${String(error)}`);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => {
    state.connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    origin: `http://127.0.0.1:${port}`,
    get requests() {
      return state.requests;
    },
    plan,
    reset,
    nextRequest: (passes = () => true) =>
      new Promise((tell) => {
        state.watchers.push({ passes, tell });
      }),
    load: () => loadOf(state),
    publish: (publication) => {
      const video = publish(publication);
      if (video === undefined) throw new Error(`there is no list ${publication.listId}`);
      return video;
    },
    remove,
    setVideo: (video) => void videos.set(video.videoId, video),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, 'latency-ms': { type: 'string', default: '0' } },
  });
  const simulator = await startSimulator({ port: Number(values.port), latencyMs: Number(values['latency-ms']) });
  process.stdout.write(`${JSON.stringify({ origin: simulator.origin })}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void simulator[Symbol.asyncDispose]());
}
