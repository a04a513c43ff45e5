import {
  type Platform,
  PlatformFault,
  type PlatformOptions,
  type PlatformRequest,
  type PlatformResponse,
} from '#src/extraction/platform.ts';
import type { Clock } from '#src/kernel/clock.ts';

export type ScriptedAnswer = Partial<PlatformResponse> | PlatformFault | Promise<Partial<PlatformResponse>>;

export type PlatformCall = PlatformRequest & {
  readonly endpoint: string;
  readonly client: string | null;
  readonly json: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

export type ScriptedPlatform = Platform & {
  readonly asked: readonly PlatformCall[];
  readonly penalized: readonly string[];
  /** Replaces the function that answers. */
  answerWith(answer: (asked: PlatformCall) => ScriptedAnswer): void;
};

/** A fake platform port that records each request and answers with `answer`. */
export const scriptedPlatform = (
  answer: (asked: PlatformCall) => ScriptedAnswer,
  { mode = 'direct', isOtherWay = false }: { mode?: Platform['mode']; isOtherWay?: boolean } = {},
): ScriptedPlatform => {
  const asked: PlatformCall[] = [];
  const penalized: string[] = [];
  let current = answer;
  return {
    mode,
    asked,
    penalized,
    answerWith(next) {
      current = next;
    },
    async request(request, options) {
      const seen = understand(request, options);
      asked.push(seen);
      const given = await untilAborted(Promise.resolve(current(seen)), options);
      if (given instanceof PlatformFault) throw given;
      return { status: 200, body: '', location: null, retryAfterS: null, egress: 'direct', ...given };
    },
    penalize(egress) {
      penalized.push(egress);
      return isOtherWay;
    },
    close: async () => {},
  };
};

const understand = (request: PlatformRequest, { signal }: PlatformOptions): PlatformCall => {
  const json = request.body === null ? {} : (JSON.parse(request.body) as Record<string, unknown>);
  const context = json['context'] as { client?: { clientName?: string } } | undefined;
  const endpoint = new URL(request.url).pathname.replace(/^\/(?:youtubei\/v1|api)\//, '');
  return { ...request, endpoint, client: context?.client?.clientName ?? null, json, signal };
};

const untilAborted = <Value>(value: Promise<Value>, { signal, timeoutMs }: PlatformOptions): Promise<Value> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const timer = setTimeout(() => reject(new PlatformFault('timeout')), timeoutMs);
    value.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** A clock that only the test advances. */
export const manualClock = (start = '2026-08-01T12:00:00.000Z') => {
  let now = Date.parse(start);
  const clock: Clock = () => new Date(now);
  return {
    clock,
    move: (ms: number) => {
      now += ms;
    },
  };
};

export type TrackFixture = { readonly id: string; readonly language?: string; readonly baseUrl?: string };

/** A player answer in the format of the apps. */
export const playerBody = (
  videoId: string,
  tracks: readonly (string | TrackFixture)[],
  details: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    playabilityStatus: { status: 'OK' },
    videoDetails: {
      videoId,
      title: 'A title',
      lengthSeconds: '61',
      channelId: 'UCEnBXANsKmyj2r9xVyKoDiQ',
      author: 'A channel',
      ...details,
    },
    ...(tracks.length === 0
      ? {}
      : {
          captions: {
            playerCaptionsTracklistRenderer: { captionTracks: tracks.map((given) => trackOf(videoId, given)) },
          },
        }),
  });

const trackOf = (videoId: string, given: string | TrackFixture) => {
  const { id, language, baseUrl } = typeof given === 'string' ? { id: given } : given;
  const code = language ?? id.replace(/^a?\./, '');
  return {
    vssId: id,
    languageCode: code,
    name: { runs: [{ text: code }] },
    ...(id.startsWith('a.') ? { kind: 'asr' } : {}),
    isTranslatable: true,
    baseUrl:
      baseUrl ??
      `https://www.youtube.com/api/timedtext?v=${videoId}&sparams=ip,v&signature=AB.CD&lang=${code}&fmt=srv3`,
  };
};

export const unplayableBody = (status: string, reason: string, videoId: string | null = null): string =>
  JSON.stringify({
    playabilityStatus: { status, reason },
    ...(videoId === null ? {} : { videoDetails: { videoId, title: 'A title' } }),
  });

/** A json3 caption document with one line per text, one second apart. */
export const captionBody = (...texts: readonly string[]): string =>
  JSON.stringify({
    wireMagic: 'pb3',
    events: texts.map((utf8, index) => ({ tStartMs: index * 1000, dDurationMs: 1000, segs: [{ utf8 }] })),
  });
