import type { Clock } from '../kernel/clock.ts';
import { type Audio, fetchAudio } from './audio.ts';
import type { RawLine } from './captions/caption-line.ts';
import type { Track } from './captions/caption-track.ts';
import { contentSha256, segmentsOf } from './captions/captions.ts';
import type { PlatformClient } from './clients/client-fallback.ts';
import { failure, failureRow, refusalOf } from './failures.ts';
import { type Budget, budgetOf } from './platform-requests.ts';
import { singleFlight } from './single-flight.ts';
import { isRightToLeft } from './tracks.ts';
import type { KnownTranscript, KnownVideo, TranscriptCache } from './transcript-cache.ts';

/** What a recognizer heard; `language` as a BCP 47 code, `und` where it cannot be told. */
export type Speech = { readonly language: string; readonly lines: readonly RawLine[] };

/** Turns audio into text; null where the provider failed. Throws only faults and the reason of the signal. */
export type RecognizeSpeech = (audio: Audio, options: { readonly signal: AbortSignal }) => Promise<Speech | null>;

type RecognitionDeps = Omit<PlatformClient, 'budget'> & { readonly cache: TranscriptCache; readonly clock: Clock };

export type RecognizedTranscript = {
  readonly known: KnownVideo;
  readonly transcript: KnownTranscript;
  readonly isCacheHit: boolean;
};

const trackId = 'asr';

/** A key of its own: what the platform says of the video, its refusals and its tracks, is kept beside it. */
const keyOf = (videoId: string): string => `asr:${videoId}`;

/**
 * Speech recognition for videos without captions. Audio does not change, so what was recognized is used until it is
 * pruned. Equal readings at the same time are one. Throws the refusals of `failures.ts`.
 */
export const speechRecognition = (deps: RecognitionDeps, recognize: RecognizeSpeech) => {
  const flights = singleFlight<RecognizedTranscript>();
  const recognizeAnew = async (videoId: string, budget: Budget, begun: () => void): Promise<RecognizedTranscript> => {
    const { video, audio } = await fetchAudio({ ...deps, budget }, videoId);
    begun();
    const speech = await inTime(budget, (signal) => recognize(audio, { signal }));
    if (speech === null) throw refusalOf(failure('recognition_failed'));
    const segments = Object.freeze(segmentsOf(speech.lines));
    if (segments.length === 0) throw await keepSilence(deps, videoId);
    const fetchedAt = deps.clock().toISOString();
    const transcript = { trackId, segments, contentSha256: contentSha256(segments), fetchedAt };
    const tracks = [trackOf(speech.language)];
    const known = { video, tracks, defaultTrackId: trackId, fetchedAt };
    const kept = { ...known, video: { ...video, videoId: keyOf(videoId) } };
    await deps.cache.save(kept, transcript);
    return { known, transcript, isCacheHit: false };
  };
  /** `timeoutMs` 0: what was recognized before, or null. */
  return async (
    { videoId, timeoutMs }: { readonly videoId: string; readonly timeoutMs: number },
    signal: AbortSignal,
    onBegun: () => void,
  ): Promise<RecognizedTranscript | null> => {
    const kept = await keptRecognition(deps, videoId);
    if (kept !== null || timeoutMs === 0) return kept;
    return await flights(
      videoId,
      signal,
      (shared, begun) => recognizeAnew(videoId, budgetOf(shared, timeoutMs), begun),
      onBegun,
    );
  };
};

/** Null when the time is up. */
const inTime = async (
  { signal, leftMs }: Budget,
  recognize: (signal: AbortSignal) => Promise<Speech | null>,
): Promise<Speech | null> => {
  const time = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs())));
  try {
    return await recognize(AbortSignal.any([signal, time]));
  } catch (error) {
    signal.throwIfAborted();
    if (time.aborted) return null;
    throw error;
  }
};

const trackOf = (language: string): Track => ({
  id: trackId,
  language,
  name: 'Speech recognition',
  kind: 'recognized',
  isTranslatable: false,
  isRightToLeft: isRightToLeft(language),
});

/** A video without speech is not heard again with each request. */
const keepSilence = async (
  { cache, clock }: RecognitionDeps,
  videoId: string,
): Promise<ReturnType<typeof refusalOf>> => {
  const silence = failure('no_speech');
  const keptMs = (failureRow(silence.reason).keptForS ?? 0) * 1_000;
  const expiresAt = new Date(clock().getTime() + keptMs).toISOString();
  await cache.saveRefusal(keyOf(videoId), { trackId: null, failure: silence, expiresAt });
  return refusalOf(silence);
};

const keptRecognition = async (
  { cache, clock }: RecognitionDeps,
  videoId: string,
): Promise<RecognizedTranscript | null> => {
  const { known, refusals } = await cache.readVideo(keyOf(videoId));
  const silence = refusals.find(({ expiresAt }) => Date.parse(expiresAt) > clock().getTime());
  if (silence !== undefined) throw refusalOf(silence.failure);
  const transcript = known === null ? null : await cache.readTranscript(keyOf(videoId), trackId);
  if (known === null || transcript === null) return null;
  const video = { ...known.video, videoId };
  return { known: { ...known, video }, transcript, isCacheHit: true };
};
