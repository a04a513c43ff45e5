import { type Clock, isoOfUnixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Extraction, TrackListing, WantedTranscript } from './captions/caption-track.ts';
import { contentSha256, withoutWords, wordsSha256 } from './captions/captions.ts';
import { askClients, type ClientAnswer, type PlatformClient } from './clients/client-fallback.ts';
import { type Failure, type FailureReason, failure, failureOf, failureRow, refusalOf } from './failures.ts';
import type { Health } from './health.ts';
import { budgetOf } from './platform-requests.ts';
import type { speechRecognition } from './recognized-transcript.ts';
import { type Choice, chooseTrack, languagesOf, translatedTrack } from './tracks.ts';
import type { KnownRefusal, KnownTranscript, KnownVideo, TranscriptCache } from './transcript-cache.ts';

export type ExtractionDeps = Omit<PlatformClient, 'budget'> & {
  readonly cache: TranscriptCache;
  readonly clock: Clock;
  readonly health: Health;
  /** Null: no recognizer is configured. */
  readonly recognition: ReturnType<typeof speechRecognition> | null;
};

/** Age at which a kept list of tracks is asked for again. */
const tracksFreshMs = 6 * 3_600_000;

/**
 * From the cache where it is fresh, else from the platform; what was read is kept before it is given. What was read before
 * `since` is not fresh; empty: it may be of any time.
 */
export const extractOnce = async (
  extracting: ExtractionDeps,
  wanted: WantedTranscript,
  since: string,
  signal: AbortSignal,
  onRecognizing: () => void,
): Promise<Extraction> => {
  const recognized = () => recognizedExtraction(extracting, wanted, signal, onRecognizing);
  if (wanted.isRecognitionForced === true) {
    const extraction = await recognized();
    if (extraction !== null) return extraction;
    // The platform was not asked: what is known of the video says which captions there are.
    const { known } = await extracting.cache.readVideo(wanted.videoId);
    throw without(wanted, failure('recognition_unavailable'), known);
  }
  try {
    const kept = await keptExtraction(extracting, wanted, since);
    return kept ?? (await extracting.health.watch(extractAnew(extracting, wanted, signal)));
  } catch (error) {
    const found = error instanceof Refusal ? failureOf(error) : null;
    if (found?.reason !== 'no_captions') throw error;
    const extraction = await recognized();
    if (extraction === null) throw without(wanted, found);
    return extraction;
  }
};

/** A refusal of a video of which nothing can be given. */
const without = (wanted: WantedTranscript, found: Failure, known: KnownVideo | null = null): Refusal =>
  refusalOf({ ...found, extra: { ...found.extra, ...captionsOf(known, wanted) } });

/** What a refusal says of the captions that were asked for, and of those that there are. */
const captionsOf = (known: KnownVideo | null, { language }: Pick<WantedTranscript, 'language'>) => {
  const tracks = known?.tracks ?? [];
  return {
    requested: language,
    available: languagesOf(tracks),
    tracks: tracks.map(({ language: of, kind, name }) => ({ language: of, kind, name })),
  };
};

/** Null: speech is not to be recognized, or cannot be. A language that is not the one spoken is not there. */
const recognizedExtraction = async (
  extracting: ExtractionDeps,
  wanted: WantedTranscript,
  signal: AbortSignal,
  onRecognizing: () => void,
): Promise<Extraction | null> => {
  const { videoId, language, recognitionTimeoutMs: timeoutMs } = wanted;
  if (timeoutMs === undefined || extracting.recognition === null) return null;
  const recognized = await extracting.recognition({ videoId, timeoutMs }, signal, onRecognizing);
  if (recognized === null) return null;
  const { known, transcript, isCacheHit } = recognized;
  const choice = chooseTrack(known, language);
  if (choice === null) throw trackMissing(known, { videoId, language });
  return extractionOf(known, choice, transcript, wanted, isCacheHit);
};

/** What was read before and is not too old; null: there is nothing. The platform is not asked. */
export const keptExtraction = async (
  extracting: ExtractionDeps,
  wanted: WantedTranscript,
  since = '',
): Promise<Extraction | null> => {
  const { cache, settings } = extracting;
  const { videoId, language, captions, mayTranslate = false } = wanted;
  const { known, refusals } = await cache.readVideo(videoId);
  if (since !== '' && (known?.fetchedAt ?? '') < since) return null;
  refuseAgain(extracting, refusals, null);
  if (known === null || known.tracks.length === 0) return null;
  const { fetchedAt } = known;
  const isYounger = (at: string, ms: number) => isFresh(extracting, at, freshFor(known, ms));
  if (!isYounger(fetchedAt, settings.transcriptFreshMs)) return null;
  const choice =
    chooseTrack(known, language, captions) ?? (mayTranslate ? translatedTrack(known, language, captions) : null);
  if (choice === null) {
    if (isYounger(fetchedAt, tracksFreshMs)) throw trackMissing(known, wanted);
    return null;
  }
  const { id } = choice.track;
  refuseAgain(extracting, refusals, id);
  const hasWords = isWithWords(wanted, choice);
  const transcript = await cache.readTranscript(videoId, hasWords ? wordsIdOf(id) : id);
  if (transcript === null || transcript.fetchedAt < since) return null;
  if (!isYounger(transcript.fetchedAt, settings.transcriptFreshMs)) return null;
  // With words it is kept under a hash of its own, for equal lines can be kept without them.
  const content = hasWords ? { ...transcript, contentSha256: contentSha256(transcript.segments) } : transcript;
  return extractionOf(known, choice, content, wanted, true);
};

/** Whether the lines are read with their words: only the platform's speech recognition says when each is said. */
const isWithWords = ({ words = false }: WantedTranscript, { track }: Pick<Choice, 'track'>): boolean =>
  words && track.kind === 'automatic';

/** The id under which the captions of a track are kept with their words. */
const wordsIdOf = (trackId: string): string => `${trackId}#words`;

/** `video`: also one that is live, still to come or being processed, with its details. */
type Listed = 'tracks' | 'video';

/** Reasons for having no captions that are an answer to a listing. */
const answers: Readonly<Record<Listed, ReadonlySet<FailureReason>>> = {
  tracks: new Set(['no_captions']),
  video: new Set(['no_captions', 'live_now', 'upcoming', 'processing']),
};

/** What is known of a video with its details; null: nothing, or it is too old. The platform is not asked. */
export const keptVideo = async (extracting: ExtractionDeps, videoId: string): Promise<TrackListing | null> =>
  keptListing(extracting, (await extracting.cache.readVideo(videoId)).known, 'video');

const keptListing = (extracting: ExtractionDeps, known: KnownVideo | null, listed: Listed): TrackListing | null => {
  if (known === null || (listed === 'video' && known.video.details === undefined)) return null;
  return isFresh(extracting, known.fetchedAt, freshFor(known, tracksFreshMs)) ? listingOf(known, true) : null;
};

/** A video with its tracks, without reading any; the list is empty where it has none. `since` as above. */
export const listOnce = async (
  extracting: ExtractionDeps,
  videoId: string,
  listed: Listed,
  since: string,
  signal: AbortSignal,
): Promise<TrackListing> => {
  const { known, refusals } = await extracting.cache.readVideo(videoId);
  const kept = keptListing(extracting, known, listed);
  if (kept !== null && kept.fetchedAt >= since) return kept;
  const others = refusals.filter((each) => !answers[listed].has(each.failure.reason));
  refuseAgain(extracting, others, null);
  return extracting.health.watch(listAnew(extracting, videoId, listed, signal));
};

const extractAnew = async (
  extracting: ExtractionDeps,
  wanted: WantedTranscript,
  signal: AbortSignal,
): Promise<Extraction> => {
  const { cache } = extracting;
  const { videoId, language, captions = 'any', mayTranslate = false, words = false } = wanted;
  const asked = { videoId, only: null, language, captions, mayTranslate, words };
  const reading = await read(extracting, asked, signal);
  const known = knownOf(extracting, reading);
  const { transcript: found } = reading;
  if (found === null) {
    await cache.save(known, null);
    throw trackMissing(known, wanted);
  }
  const { track, segments } = found;
  if (segments.length === 0) {
    await cache.save(known, null);
    const empty = failure('empty_track', null, { language: track.language });
    await keepRefusal(extracting, videoId, empty, track.id);
    throw refusalOf(empty);
  }
  const content = { segments, contentSha256: contentSha256(segments) };
  const transcript = { trackId: track.id, ...content, fetchedAt: known.fetchedAt };
  // Nothing would tell later that it was not the whole: what is known of the video by then may say that it has ended.
  if (known.video.isLive) await cache.save(known, null);
  else await keep(cache, known, transcript, isWithWords(wanted, found));
  return extractionOf(known, found, transcript, wanted, false);
};

/** Lines with words are kept without them too: both are given without asking the platform again. */
const keep = async (
  cache: TranscriptCache,
  known: KnownVideo,
  transcript: KnownTranscript,
  hasWords: boolean,
): Promise<void> => {
  if (!hasWords) return await cache.save(known, transcript);
  const { trackId, segments, contentSha256: sha256 } = transcript;
  await cache.save(known, { ...transcript, segments: withoutWords(segments) });
  await cache.save(known, { ...transcript, trackId: wordsIdOf(trackId), contentSha256: wordsSha256(sha256, segments) });
};

const listAnew = async (
  extracting: ExtractionDeps,
  videoId: string,
  only: Listed,
  signal: AbortSignal,
): Promise<TrackListing> => {
  const reading = await read(extracting, { videoId, only }, signal);
  const known = knownOf(extracting, reading);
  await extracting.cache.save(known, null);
  if (known.tracks.length === 0)
    await keepRefusal(extracting, videoId, reading.without ?? failure('no_captions'), null);
  return listingOf(known, false);
};

/** Asks the platform and keeps a no about the video for as long as its reason allows. */
const read = async (
  extracting: ExtractionDeps,
  wanted: Parameters<typeof askClients>[1],
  signal: AbortSignal,
): Promise<ClientAnswer> => {
  try {
    const budget = budgetOf(signal, extracting.settings.deadlineMs);
    return await askClients({ ...extracting, budget }, wanted);
  } catch (error) {
    const found = error instanceof Refusal ? failureOf(error) : null;
    if (found !== null) await keepRefusal(extracting, wanted.videoId, found, null);
    throw error;
  }
};

const keepRefusal = async (
  { cache, clock }: ExtractionDeps,
  videoId: string,
  found: Failure,
  trackId: string | null,
): Promise<void> => {
  const keptForS = failureRow(found.reason).keptForS ?? 0;
  if (keptForS <= 0) return;
  const nowMs = clock().getTime();
  const start = Date.parse(String(found.extra['scheduled_start'] ?? ''));
  // An upcoming video is asked for again when it starts, however often it is wanted before; once a day at least.
  const startsInMs = start > nowMs ? Math.min(start - nowMs, 24 * 3_600_000) : keptForS * 1000;
  const expiresAt = isoOfUnixSeconds((nowMs + startsInMs) / 1000);
  await cache.saveRefusal(videoId, { trackId, failure: found, expiresAt });
};

const refuseAgain = ({ clock }: ExtractionDeps, refusals: readonly KnownRefusal[], trackId: string | null): void => {
  const now = clock().getTime();
  const kept = refusals.find((each) => each.trackId === trackId && Date.parse(each.expiresAt) > now);
  if (kept !== undefined) throw refusalOf(kept.failure);
};

const isFresh = ({ clock }: ExtractionDeps, fetchedAt: string, freshMs: number): boolean =>
  clock().getTime() - Date.parse(fetchedAt) < freshMs;

const liveFreshMs = 5 * 60_000;

/** What was read of a video while it was live is not all that there will be. */
export const freshFor = ({ video, tracks }: Pick<KnownVideo, 'video' | 'tracks'>, freshMs: number): number => {
  const { isLive, details } = video;
  const mayGetTracks = tracks.length === 0 && details !== undefined && details.liveState !== 'none';
  return isLive || mayGetTracks ? Math.min(freshMs, liveFreshMs) : freshMs;
};

const knownOf = ({ clock }: ExtractionDeps, { video, captions }: ClientAnswer): KnownVideo => ({
  video,
  tracks: Object.freeze(captions.tracks.map(({ track }) => track)),
  defaultTrackId: captions.defaultTrackId,
  fetchedAt: clock().toISOString(),
});

/** Why no track was chosen: the languages are there in another kind, or not at all. `tracks` says what there is. */
const trackMissing = (known: KnownVideo, { language, captions = 'any' }: WantedTranscript): Refusal => {
  const there = captionsOf(known, { language });
  const isOfOtherKind = captions !== 'any' && chooseTrack(known, language) !== null;
  if (isOfOtherKind) return refusalOf(failure('kind_missing', null, { captions, ...there }));
  return refusalOf(failure('language_missing', null, there));
};

const extractionOf = (
  { video, tracks }: KnownVideo,
  { track, matchedBy }: Choice,
  { segments, contentSha256, fetchedAt }: KnownTranscript,
  { language: requestedLanguage }: WantedTranscript,
  isCacheHit: boolean,
): Extraction =>
  Object.freeze({
    ...{ video, tracks, track, requestedLanguage, matchedBy },
    ...{ segments, contentSha256, fetchedAt, isCacheHit },
  });

const listingOf = (known: KnownVideo, isCacheHit: boolean): TrackListing => Object.freeze({ ...known, isCacheHit });
