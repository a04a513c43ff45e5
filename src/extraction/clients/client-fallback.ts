import type { Extraction, Video, WantedTranscript } from '../captions/caption-track.ts';
import { isSegments, readTrack } from '../captions/read-captions.ts';
import { translationOf } from '../captions/timedtext.ts';
import { classifyPlayer, type Outcome, type UnconfirmedClaim } from '../classify.ts';
import { type Failure, type FailureReason, failure, refusalOf, strongest } from '../failures.ts';
import type { ProofOfOrigin } from '../platform.ts';
import { type Asking, ask, backOff, heed, isAnswer, isPassing } from '../platform-requests.ts';
import { type AddressedTrack, type CaptionSet, type Choice, chooseTrack, translatedTrack } from '../tracks.ts';
import type { ProfileOrder } from './client-order.ts';
import type { Profile } from './client-profiles.ts';
import { playerRequest } from './innertube.ts';

export type PlatformClient = Asking & { readonly proofOf: ProofOfOrigin; readonly order: ProfileOrder };

/** What was read of a video: its tracks always, and one transcript where one was wanted and found. */
export type ClientAnswer = {
  readonly video: Video;
  readonly captions: CaptionSet;
  /** Null: none was wanted, or there is no such track. */
  readonly transcript: (Choice & Pick<Extraction, 'segments'>) | null;
  /** Why a video that is there has no tracks now; absent: it has some, or two clients say that it has none. */
  readonly without?: Failure;
};

export type VideoRequest =
  /** `video`: also one that is live, still to come or being processed. */
  | { readonly videoId: string; readonly only: 'tracks' | 'video' }
  | ({ readonly only: null } & Required<
      Pick<WantedTranscript, 'videoId' | 'language' | 'captions' | 'mayTranslate' | 'words'>
    >);

type Unconfirmed = Extract<Outcome, { kind: 'unconfirmed' }>;

type Step = { readonly kind: 'read'; readonly reading: ClientAnswer } | Exclude<Outcome, { kind: 'playable' }>;

/** Rounds over the clients, as long as failures are of the passing kind. */
const rounds = 2;

/**
 * Asks one client of the platform after the other until one answers for the video: two requests when the first does.
 * What is about the video ends it; what is about us moves on to the next client. "No captions" and an unknown id need
 * two clients. Passing failures get another round, within the budget. Throws the refusal that says most.
 * A client that failed is to blame only where another did better: what all of them fail at says nothing of one.
 */
export const askClients = async (platformClient: PlatformClient, wanted: VideoRequest): Promise<ClientAnswer> => {
  const { order, budget } = platformClient;
  const failed = new Map<Profile, Failure>();
  /** Said that there was nothing: contradicted by whoever reads it. */
  const unconfirmed = new Map<Profile, Unconfirmed>();
  let toAsk = order.current();
  for (let round = 0; round < rounds && toAsk.length > 0; round += 1) {
    if (round > 0) await backOff(platformClient, round);
    for (const profile of toAsk) failed.delete(profile);
    for (const profile of toAsk) {
      const step = await askOne(platformClient, profile, wanted);
      if (step.kind === 'about_video' || step.kind === 'read') {
        for (const [worse, { reason }] of failed) order.failed(worse, reason);
      }
      if (step.kind === 'about_video') throw refusalOf(step.failure);
      if (step.kind === 'read') {
        for (const worse of unconfirmed.keys()) order.failed(worse, 'client_refused');
        order.worked(profile);
        return step.reading;
      }
      if (step.kind === 'unconfirmed') {
        unconfirmed.set(profile, step);
        const reading = settled([...unconfirmed.values()], wanted);
        if (reading !== null) return reading;
        continue;
      }
      failed.set(profile, step.failure);
      if (budget.leftMs() <= 0) break;
    }
    const passing = [...failed].filter(([, found]) => isPassing(found)).map(([profile]) => profile);
    toAsk = budget.leftMs() > 0 ? passing : [];
  }
  throw refusalOf(conclusion([...unconfirmed.values()], [...failed.values()]));
};

const askOne = async (platformClient: PlatformClient, profile: Profile, wanted: VideoRequest): Promise<Step> => {
  const { videoId } = wanted;
  const client = profile.clientName;
  const answer = await ask(platformClient, playerRequest(profile, videoId), client);
  if (!isAnswer(answer)) return { kind: 'about_us', failure: answer };
  const outcome = classifyPlayer(answer, videoId, profile);
  if (outcome.kind === 'about_us') heed(platformClient, answer, outcome.failure);
  if (outcome.kind === 'about_video' && wanted.only === 'video') return withoutTracks(outcome);
  if (outcome.kind !== 'playable') return outcome;
  const { video, captions } = outcome;
  const chosen = wanted.only === null ? choiceOf(captions, wanted) : null;
  if (wanted.only !== null || chosen === null) return { kind: 'read', reading: { video, captions, transcript: null } };
  const { addressed, ...choice } = chosen;
  const segments = await readTrack(addressed, { ...platformClient, profile, videoId, words: wanted.words });
  // The tracks of a running stream have no document: their words are in the stream.
  const isNothing = isSegments(segments) ? segments.length === 0 : segments.reason === 'token_required';
  if (video.isLive && isNothing) {
    const facts = { status: 'OK', reason: null, subreason: null, client };
    return { kind: 'about_video', failure: failure('live_now', facts), video };
  }
  if (!isSegments(segments)) return { kind: 'about_us', failure: segments };
  return { kind: 'read', reading: { video, captions, transcript: { ...choice, segments } } };
};

/** The reasons why a video that anybody may see has no captions for now. */
const isThere: ReadonlySet<FailureReason> = new Set(['live_now', 'upcoming', 'processing']);

const withoutTracks = (outcome: Extract<Outcome, { kind: 'about_video' }>): Step => {
  const { video, failure: without } = outcome;
  if (video === null || !isThere.has(without.reason)) return outcome;
  const captions = { tracks: [], defaultTrackId: null };
  return { kind: 'read', reading: { video, captions, transcript: null, without } };
};

/** The track that is wanted with the address of its document; null: there is none. */
const choiceOf = (
  { tracks, defaultTrackId }: CaptionSet,
  { language, captions, mayTranslate }: Extract<VideoRequest, { only: null }>,
): (Choice & { readonly addressed: AddressedTrack }) | null => {
  const known = { tracks: tracks.map(({ track }) => track), defaultTrackId };
  const choice = chooseTrack(known, language, captions);
  if (choice !== null) {
    const addressed = tracks.find(({ track }) => track === choice.track);
    return addressed === undefined ? null : { ...choice, addressed };
  }
  const translated = mayTranslate ? translatedTrack(known, language, captions) : null;
  const source = tracks.find(({ track }) => track.id === translated?.sourceId);
  if (translated === null || source === undefined) return null;
  const { track, matchedBy } = translated;
  const baseUrl = translationOf(source.baseUrl, track.language);
  return { track, matchedBy, addressed: { track, baseUrl } };
};

/** The answers with a claim, one of each client. */
const withClaim = (unconfirmed: readonly Unconfirmed[], claim: UnconfirmedClaim): readonly Unconfirmed[] =>
  unconfirmed.filter((each) => each.claim === claim);

/** Two clients with the same claim settle it: no tracks are a result of a listing and a refusal of a transcript. */
const settled = (unconfirmed: readonly Unconfirmed[], wanted: VideoRequest): ClientAnswer | null => {
  const unknown = withClaim(unconfirmed, 'not_found');
  if (unknown.length >= 2) throw refusalOf(failure('not_found_or_deleted', unknown.at(-1)?.facts));
  const captionless = withClaim(unconfirmed, 'no_captions');
  if (captionless.length < 2) return null;
  const video = unconfirmed.find((each) => each.video !== null)?.video ?? null;
  if (wanted.only === null || video === null) throw refusalOf(failure('no_captions', captionless.at(-1)?.facts));
  return { video, captions: { tracks: [], defaultTrackId: null }, transcript: null };
};

/** No client gave a usable answer: the strongest failure. */
const conclusion = (unconfirmed: readonly Unconfirmed[], failures: readonly Failure[]): Failure => {
  const worst = strongest(failures);
  if (worst !== null) return worst;
  const refused = withClaim(unconfirmed, 'refused');
  const facts = refused.at(-1)?.facts;
  const isUnknownToOne = refused.length > 0 && withClaim(unconfirmed, 'not_found').length > 0;
  if (isUnknownToOne) return failure('not_found_or_deleted', facts);
  const isCaptionlessToOne = withClaim(unconfirmed, 'no_captions').length > 0;
  return failure(refused.length >= 2 && !isCaptionlessToOne ? 'unplayable' : 'client_refused', facts);
};
