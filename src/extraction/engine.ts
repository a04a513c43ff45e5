import { LRUCache } from 'lru-cache';
import { type Clock, elapsedMs } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type {
  ChannelFeed,
  Engine,
  Extraction,
  FreshOptions,
  Listing,
  ListOptions,
  Probe,
  TrackListing,
  WantedTranscript,
} from './captions/caption-track.ts';
import { classifyPlayer } from './classify.ts';
import { profileOrder } from './clients/client-order.ts';
import { playerProfiles } from './clients/client-profiles.ts';
import { playerRequest } from './clients/innertube.ts';
import {
  type ExtractionDeps,
  extractOnce,
  freshFor,
  keptExtraction,
  keptVideo,
  listOnce,
} from './extract-transcript.ts';
import type { Failure, FailureReason } from './failures.ts';
import { healthOf, sharedProbe } from './health.ts';
import { readChannelFeed } from './lists/feed.ts';
import { requireChannelReference } from './lists/list-reference.ts';
import { readChannel, readPlaylist } from './lists/listings.ts';
import type { ProofOfOrigin } from './platform.ts';
import { type Asking, ask, budgetOf, isAnswer } from './platform-requests.ts';
import { type RecognizeSpeech, speechRecognition } from './recognized-transcript.ts';
import { defaultSettings, type EngineSettings } from './settings.ts';
import { singleFlight } from './single-flight.ts';

export type EngineParts = Pick<ExtractionDeps, 'platform' | 'cache' | 'clock' | 'random'> & {
  /** Without it there is no token, and captions behind the platform's gate are `token_required`. */
  readonly proofOf?: ProofOfOrigin;
  /** Without it the speech of a video without captions is not recognized. */
  readonly recognizeSpeech?: RecognizeSpeech | null;
  readonly settings?: Partial<EngineSettings>;
};

/** How long an extraction is given again from this process alone. */
const hotFreshMs = 10 * 60_000;
/** From the first request of a list to its last. */
const listDeadlineMs = 25_000;
const probeTimeoutMs = 5_000;

/**
 * Builds the engine. A first reading of a transcript costs two requests (player and captions); a repeated one comes
 * from this process, always as the same frozen object, or from the cache. Equal readings at the same time are one.
 */
export const createEngine = (parts: EngineParts): Engine => {
  const settings: EngineSettings = { ...defaultSettings, ...parts.settings };
  const { platform, cache, clock, random, proofOf = noProof } = parts;
  const health = healthOf(platform.mode, clock);
  const order = profileOrder(playerProfiles);
  const asking = { platform, proofOf, cache, clock, random, settings, order };
  const recognition = parts.recognizeSpeech ? speechRecognition(asking, parts.recognizeSpeech) : null;
  const extracting: ExtractionDeps = { ...asking, health, recognition };
  const hot = memoryCache(clock, { max: 1_000, maxSize: 64_000_000 });
  const extractions = singleFlight<Extraction>();
  const videos = singleFlight<TrackListing>();
  const listings = singleFlight<Listing>();
  const feeds = singleFlight<ChannelFeed>();
  const end = new AbortController();
  const untilEnd = (signal: AbortSignal) => AbortSignal.any([signal, end.signal]);

  // Callers who may make the same number of requests get the same listing, and the first one makes them.
  const list = <Wanted extends object>(
    wanted: Wanted,
    { signal, requests }: ListOptions,
    read: (client: Asking, wanted: Wanted) => Promise<Listing>,
  ) =>
    listings(JSON.stringify({ ...wanted, most: requests?.left }), signal, (shared) => {
      const budget = budgetOf(untilEnd(shared), listDeadlineMs, requests);
      return health.watch(read({ ...extracting, budget }, wanted));
    });

  const listVideo = (videoId: string, listed: 'tracks' | 'video', { signal, since = '' }: FreshOptions) =>
    videos(`${listed} ${videoId}${since === '' ? '' : ' anew'}`, signal, (shared) =>
      listOnce(extracting, videoId, listed, since, untilEnd(shared)),
    );

  const keepHot = (key: string, extraction: Extraction) => {
    const ageMs = clock().getTime() - Date.parse(extraction.fetchedAt);
    const freshMs = freshFor(extraction, settings.transcriptFreshMs) - ageMs;
    if (freshMs <= 0) return;
    const kept = extraction.isCacheHit ? extraction : Object.freeze({ ...extraction, isCacheHit: true });
    hot.set(key, kept, { ttl: Math.min(hotFreshMs, freshMs) });
  };

  const probe = sharedProbe(async () => {
    const found = await lookOnce(extracting, end.signal);
    health.probed(found);
    return found;
  }, settings.probeSharedMs);

  return {
    extract(wanted, { signal, onRecognizing, since = '' }) {
      const key = keyOf(wanted);
      const known = hot.get(key);
      if (known !== undefined && known.fetchedAt >= since) return Promise.resolve(known);
      const read = async (shared: AbortSignal, begun: () => void) => {
        const extraction = await extractOnce(extracting, wanted, since, untilEnd(shared), begun);
        keepHot(key, extraction);
        return extraction;
      };
      return extractions(since === '' ? key : `${key} anew`, signal, read, onRecognizing);
    },
    listTracks: (videoId, options) => listVideo(videoId, 'tracks', options),
    readVideo: (videoId, options) => listVideo(videoId, 'video', options),
    knownVideo: (videoId) => keptVideo(extracting, videoId),
    knownTranscript: (wanted) => keptExtraction(extracting, wanted),
    listPlaylist: (wanted, options) => list(wanted, options, readPlaylist),
    listChannel: async ({ reference, limit }, options) =>
      list({ channel: requireChannelReference(reference), limit }, options, readChannel),
    readFeed: (wanted, { signal }) =>
      feeds(JSON.stringify(wanted), signal, (shared) => {
        const budget = budgetOf(untilEnd(shared), settings.deadlineMs);
        return readChannelFeed({ ...extracting, budget }, wanted);
      }),
    probe,
    health: health.read,
    async [Symbol.asyncDispose]() {
      end.abort(new Refusal('SERVICE_UNAVAILABLE', 'The service is stopping.', null, 5));
      await platform.close();
    },
  };
};

const keyOf = ({ videoId, language, recognitionTimeoutMs, ...options }: WantedTranscript): string => {
  const { captions = 'any', mayTranslate = false, isRecognitionForced = false, words = false } = options;
  return [videoId, language ?? '', captions, mayTranslate, recognitionTimeoutMs ?? '', isRecognitionForced, words].join(
    ' ',
  );
};

const noProof: ProofOfOrigin = () => Promise.resolve(null);

/** One bounded request: any answer of the platform's own, also a no, shows that it talks to us. */
const lookOnce = async (extracting: ExtractionDeps, signal: AbortSignal): Promise<Probe> => {
  const { settings, order, clock } = extracting;
  const startedAt = elapsedMs();
  const profile = order.current().find((each) => each.playerEndpoint === 'player');
  const done = (status: number, reason: string | null, ok = reason === null): Probe => ({
    ok,
    status,
    reason,
    checkedAt: clock().toISOString(),
    latencyMs: Math.round(elapsedMs() - startedAt),
  });
  if (profile === undefined) return done(0, 'no_client');
  const { probeVideoId } = settings;
  const budget = budgetOf(signal, probeTimeoutMs);
  // The smallest answer that shows whether the platform talks to us.
  const request = playerRequest(profile, probeVideoId, 'playabilityStatus');
  const answer = await ask({ ...extracting, budget }, request, profile.clientName, probeTimeoutMs);
  if (!isAnswer(answer)) return done(0, answer.reason);
  const outcome = classifyPlayer(answer, probeVideoId, profile);
  // The probe asks for the status alone: that the rest is missing is no change of the platform.
  const isMasked = outcome.kind === 'about_us' && outcome.failure.extra['path'] === 'videoDetails.videoId';
  if (outcome.kind !== 'about_us' || isMasked) return done(answer.status, null);
  return done(answer.status, outcome.failure.reason, isOfClient(outcome.failure, answer.status));
};

/** The platform itself answered, if not this client: another may be served through the same egress. */
const isOfClient = ({ reason, extra: { path } }: Failure, status: number): boolean => {
  if (reason !== 'shape') return ofClient.has(reason);
  return status === 200 ? path !== 'html' && path !== 'json' : unknownAddress.has(status);
};

const ofClient: ReadonlySet<FailureReason> = new Set(['client_retired', 'wrong_video', 'token_required']);
const unknownAddress: ReadonlySet<number> = new Set([400, 404, 410]);

/**
 * The latest extractions in this process, each for its own time, bounded by number and by characters. A hit is always
 * the same object, so that callers may remember what they made of it.
 */
export const memoryCache = (clock: Clock, bounds: { readonly max: number; readonly maxSize: number }) =>
  new LRUCache<string, Extraction>({
    ...bounds,
    sizeCalculation: sizeOf,
    perf: { now: () => clock().getTime() },
    ttlResolution: 0,
  });

/** Text plus what an object costs, in characters. */
const sizeOf = ({ segments, tracks, video }: Extraction): number => {
  let size = 500 + tracks.length * 100 + (video.details?.description?.length ?? 0);
  for (const { text, words = [] } of segments) size += text.length + 40 + words.length * 50;
  return size;
};
