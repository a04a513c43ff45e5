import { isoOfUnixSeconds } from '../kernel/clock.ts';
import { parseJson } from '../kernel/parse-json.ts';
import { labelOf, plainText } from './captions/caption-text.ts';
import type { Video } from './captions/caption-track.ts';
import type { Profile } from './clients/client-profiles.ts';
import { type Failure, type FailureReason, failure, type PlatformFacts } from './failures.ts';
import { at, isObject, type JsonObject, listAt, numberAt, stringAt, textAt } from './json-path.ts';
import type { PlatformResponse } from './platform.ts';
import * as messages from './playability-messages.ts';
import { type CaptionSet, readCaptionSet } from './tracks.ts';
import { videoDetailsOf } from './video-details.ts';

export type Answer = Pick<PlatformResponse, 'status' | 'body' | 'location' | 'retryAfterS'>;

/** What one client's answer means. An unconfirmed answer decides nothing: another client has to say the same. */
export type Outcome =
  | { readonly kind: 'playable'; readonly video: Video; readonly captions: CaptionSet }
  | {
      readonly kind: 'unconfirmed';
      readonly claim: UnconfirmedClaim;
      readonly video: Video | null;
      readonly facts: PlatformFacts;
    }
  /** `video`: what the platform said of it all the same; null: nothing. */
  | { readonly kind: 'about_video'; readonly failure: Failure; readonly video: Video | null }
  | { readonly kind: 'about_us'; readonly failure: Failure };

export type UnconfirmedClaim = 'no_captions' | 'not_found' | 'refused';

/** Reads the answer to a request that should give JSON: the document, or how the platform failed us. */
export const classifyHttp = (answer: Answer, client: string | null): JsonObject | Failure => {
  const facts = factsOfHttp(answer, client);
  const say = (reason: FailureReason, extra = {}) => failure(reason, facts, extra, answer.retryAfterS);
  const { status, body } = answer;
  const isChallenge = isCaptcha(body) || /\/sorry\/|consent\./.test(answer.location ?? '');
  if (isChallenge) return say('bot_check');
  if (status === 429 || isTooMany(body)) return say('rate_limited');
  if (status === 401 || status === 403) return say('egress_refused');
  if (status === 408) return say('timeout');
  if (status >= 500) return say('server_error');
  // The platform sends nothing to whom it does not want to answer; a changed shape would be something.
  if (status === 200 && body.trim() === '') return say('egress_refused');
  const json = parseJson(body);
  const code = stringAt(json, 'error', 'status');
  if (code === 'FAILED_PRECONDITION') return say('client_retired');
  if (status !== 200) return say('shape', { path: `http.${status}` });
  if (!isObject(json)) return say('shape', { path: isHtml(body) ? 'html' : 'json' });
  if (isObject(json['error'])) return say('shape', { path: 'error' });
  return json;
};

export const isFailure = (value: JsonObject | Failure): value is Failure =>
  typeof value['reason'] === 'string' && 'facts' in value && 'extra' in value;

/** What the answer to a request for a caption document means; null: it may be a document. */
export const classifyTimedtext = (answer: Answer, client: string): Failure | null => {
  const facts = factsOfHttp(answer, client);
  const { status, body, retryAfterS } = answer;
  if (status === 200 && body.trim() === '') return failure('token_required', facts);
  if (status === 200 && !isHtml(body)) return null;
  if (status === 404 || status === 410) return failure('link_refused', facts);
  const found = classifyHttp(answer, client);
  return isFailure(found) ? found : failure('shape', facts, { path: 'timedtext' }, retryAfterS);
};

/**
 * What a player answer says of a video. Structure decides first (status, which parts are there, whose video it is);
 * texts come second, for they are localized and change.
 */
export const classifyPlayer = (answer: Answer, videoId: string, profile: Profile): Outcome => {
  const document = classifyHttp(answer, profile.clientName);
  if (isFailure(document)) {
    const { facts } = document;
    // So far only lists were answered like this; one client alone is not believed.
    if (answer.status === 404 && facts?.reason === 'NOT_FOUND')
      return { kind: 'unconfirmed', claim: 'not_found', video: null, facts };
    return { kind: 'about_us', failure: document };
  }
  const player = at(document, 'playerResponse') ?? document;
  const playability = at(player, 'playabilityStatus');
  const facts = factsOf(playability, profile.clientName);
  if (!isObject(playability)) {
    const isNothing = Object.keys(document).every((key) => bookkeeping.has(key));
    if (profile.playerEndpoint === 'reel' && isNothing)
      return { kind: 'unconfirmed', claim: 'not_found', video: null, facts };
    return aboutUs('shape', facts, { path: 'playabilityStatus' });
  }
  if (Object.keys(at(playability, 'errorScreen') ?? {}).some((name) => /captcha/i.test(name)))
    return aboutUs('bot_check', facts);
  const details = at(player, 'videoDetails');
  const named = stringAt(details, 'videoId');
  if (named !== null && named !== videoId) return aboutUs('wrong_video', facts);
  if (facts.status === 'OK') {
    if (named === null) return aboutUs('shape', facts, { path: 'videoDetails.videoId' });
    return playable(player, videoId, facts);
  }
  return unplayable(player, playability, facts, named === null ? null : videoOf(player, videoId));
};

const aboutUs = (reason: FailureReason, facts: PlatformFacts, extra = {}): Outcome => ({
  kind: 'about_us',
  failure: failure(reason, facts, extra),
});

const aboutVideo = (reason: FailureReason, facts: PlatformFacts, video: Video | null, extra = {}): Outcome => ({
  kind: 'about_video',
  failure: failure(reason, facts, extra),
  video,
});

const bookkeeping: ReadonlySet<string> = new Set(['responseContext', 'trackingParams', 'playerResponse']);

const playable = (player: unknown, videoId: string, facts: PlatformFacts): Outcome => {
  const found = at(player, 'captions');
  const isRenamed = found === undefined && isObject(player) && namesCaptions(player);
  const captions = isRenamed ? { unknownAt: 'captions' } : readCaptionSet(found);
  if ('unknownAt' in captions) return aboutUs('shape', facts, { path: captions.unknownAt });
  const details = at(player, 'videoDetails');
  const video = videoOf(player, videoId, at(player, 'playabilityStatus', 'liveStreamability'));
  if (captions.tracks.length > 0) return { kind: 'playable', video, captions };
  if (video.isLive) return aboutVideo('live_now', facts, video);
  // Just ended: the captions of a stream come with its recording.
  if (at(details, 'isPostLiveDvr') === true) return aboutVideo('processing', facts, video);
  if (at(details, 'isUpcoming') === true) return aboutVideo('upcoming', facts, video, scheduleOf(player));
  return { kind: 'unconfirmed', claim: 'no_captions', video, facts };
};

/** Captions stand elsewhere: masks of fields hide it, the app's `reel` endpoint shows it. */
const namesCaptions = (player: JsonObject): boolean => Object.keys(player).some((name) => /caption/i.test(name));

const unplayable = (player: unknown, playability: JsonObject, facts: PlatformFacts, video: Video | null): Outcome => {
  const text = messages.ownWords(textsOf(playability));
  const us = (reason: FailureReason, extra = {}): Outcome => aboutUs(reason, facts, extra);
  const them = (reason: FailureReason, extra = {}): Outcome =>
    aboutVideo(reason, facts, reason === 'upcoming' ? asUpcoming(video) : video, extra);
  const { status } = facts;
  if (status === null || !known.has(status)) return us('shape', { path: 'playabilityStatus.status' });
  if (status === 'LIVE_STREAM_OFFLINE') {
    const schedule = scheduleOf(player);
    const isUpcoming = at(player, 'videoDetails', 'isUpcoming') === true || 'scheduled_start' in schedule;
    return isUpcoming ? them('upcoming', schedule) : them('processing');
  }
  const ours = messages.reasonAboutUs(text);
  if (ours !== null) return us(ours);
  const isAgeGate = playability['desktopLegacyAgeGateReason'] !== undefined || status.startsWith('AGE_');
  if (isAgeGate) return them('age_restricted');
  const theirs = messages.reasonAboutVideo(text);
  if (theirs === 'region_blocked') return them('region_blocked', countriesOf(player));
  if (theirs !== null) return them(theirs);
  // Whom a private video is for is told in `messages`, in whatever language; a check of robots has none.
  const isForGuests = listAt(playability, 'messages').length > 0;
  if (status === 'LOGIN_REQUIRED') return isForGuests ? them('private') : us('bot_check');
  if (at(player, 'videoDetails', 'isUpcoming') === true) return them('upcoming', scheduleOf(player));
  const unconfirmed = (claim: UnconfirmedClaim): Outcome => ({ kind: 'unconfirmed', claim, video, facts });
  if (messages.forAnotherClient.test(text)) return unconfirmed('refused');
  if (/sign in/.test(text)) return them('age_restricted');
  if (status !== 'ERROR' || video !== null) return unconfirmed('refused');
  if (messages.forNow.test(text)) return us('unknown_error');
  if (messages.unavailable.test(text)) return them('not_found_or_deleted');
  // An error without a video is what an unknown id gives; without its words, one client alone is not believed.
  if (text === '' || messages.unavailableAbroad.test(text)) return unconfirmed('not_found');
  return us('shape', { path: 'playabilityStatus.reason' });
};

const known: ReadonlySet<string> = new Set([
  'UNPLAYABLE',
  'ERROR',
  'LOGIN_REQUIRED',
  'LIVE_STREAM_OFFLINE',
  'AGE_CHECK_REQUIRED',
  'AGE_VERIFICATION_REQUIRED',
  'CONTENT_CHECK_REQUIRED',
]);

const textsOf = (playability: JsonObject): string => {
  const screen = at(playability, 'errorScreen', 'playerErrorMessageRenderer');
  const dialog = at(playability, 'errorScreen', 'confirmDialogRenderer');
  return [
    textAt(playability, 'reason'),
    ...listAt(playability, 'messages').map((message) => textAt(message)),
    textAt(screen, 'reason'),
    textAt(screen, 'subreason'),
    textAt(dialog, 'title'),
    ...listAt(dialog, 'dialogMessages').map((message) => textAt(message)),
  ]
    .filter((text) => text !== null)
    .join('\n');
};

/** Of some videos only the time at which they begin says that they are still to come. */
const asUpcoming = (video: Video | null): Video | null =>
  video?.details === undefined ? video : { ...video, details: { ...video.details, liveState: 'upcoming' } };

/** `streamability` is there for what is or will be live, and gone from the recording. */
const videoOf = (player: unknown, videoId: string, streamability: unknown = null): Video => {
  const details = at(player, 'videoDetails');
  const isElsewhen = at(details, 'isUpcoming') === true || at(details, 'isPostLiveDvr') === true;
  const isLive = at(details, 'isLive') === true || (isObject(streamability) && !isElsewhen);
  const seconds = numberAt(details, 'lengthSeconds') ?? 0;
  const durationS = !isLive && seconds > 0 && Number.isSafeInteger(seconds) ? seconds : null;
  return Object.freeze({
    videoId,
    title: labelOf(stringAt(details, 'title')),
    channel: labelOf(stringAt(details, 'author')),
    channelId: labelOf(stringAt(details, 'channelId')),
    durationS,
    isLive,
    details: videoDetailsOf(player, { isLive, durationS }),
  });
};

const scheduleOf = (player: unknown): Readonly<Record<string, unknown>> => {
  const slate = at(
    player,
    'playabilityStatus',
    'liveStreamability',
    'liveStreamabilityRenderer',
    'offlineSlate',
    'liveStreamOfflineSlateRenderer',
  );
  const seconds = numberAt(slate, 'scheduledStartTime');
  if (seconds === null || seconds < 0 || seconds > 32_503_680_000) return {};
  return { scheduled_start: isoOfUnixSeconds(seconds) };
};

/** There are some 250 codes. */
const maxCountries = 300;

const countriesOf = (player: unknown): Readonly<Record<string, unknown>> => {
  const countries = listAt(player, 'microformat', 'playerMicroformatRenderer', 'availableCountries');
  const codes = countries.filter((code) => typeof code === 'string').map(plainText);
  return codes.length === 0 ? {} : { available_countries: codes.slice(0, maxCountries) };
};

const factsOf = (playability: unknown, client: string): PlatformFacts => {
  const screen = at(playability, 'errorScreen', 'playerErrorMessageRenderer');
  return {
    status: cut(stringAt(playability, 'status')),
    reason: cut(textAt(playability, 'reason') ?? textAt(screen, 'reason')),
    subreason: cut(textAt(screen, 'subreason')),
    client,
  };
};

const factsOfHttp = ({ status, body }: Answer, client: string | null): PlatformFacts => ({
  status: `HTTP ${status}`,
  reason: body.startsWith('{') && status !== 200 ? cut(stringAt(parseJson(body), 'error', 'status')) : null,
  subreason: null,
  client,
});

const cut = (text: string | null): string | null => (text === null ? null : plainText(text.slice(0, 200)));

const isHtml = (body: string): boolean => /^\s*<(?:!doctype html|html|head|body)/i.test(body.slice(0, 300));

/** The page of a 429 comes with other statuses, too. */
const isTooMany = (body: string): boolean => isHtml(body) && /too many requests/i.test(body.slice(0, 20_000));

const isCaptcha = (body: string): boolean =>
  isHtml(body) && /g-recaptcha|\/sorry\/|unusual traffic|automated queries|captcha-form/i.test(body.slice(0, 200_000));
