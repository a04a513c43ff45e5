import type { FailureReason } from './failures.ts';

/** What the platform says where a video cannot be played, in English, which it is always asked for, and in lower case. */
type Rule = { readonly reason: FailureReason; readonly text: RegExp };

/** In order of precedence; matched against every text of the status at once. */
const aboutUs: readonly Rule[] = [
  { reason: 'bot_check', text: /\b(?:ro)?bots?\b|unusual traffic/ },
  // The network that asks is under somebody's supervision.
  { reason: 'egress_refused', text: /restricted mode|administrator/ },
  { reason: 'token_required', text: /page needs to be reloaded/ },
  { reason: 'unknown_error', text: /unknown error|error occurred|something went wrong/ },
  { reason: 'session_limit', text: /try again later/ },
];

const aboutVideo: readonly Rule[] = [
  { reason: 'private', text: /\bprivate\b/ },
  { reason: 'premium', text: /\bpremium\b/ },
  { reason: 'members_only', text: /\bmembers?\b|join this channel/ },
  { reason: 'purchase', text: /payment|purchase|\brent(?:al)?\b/ },
  { reason: 'region_blocked', text: /\b(?:country|countries|region|your (?:location|area))\b/ },
  {
    reason: 'removed',
    text: /terminated|closed|removed|copyright|deleted by|violat|no longer available|recording is not available/,
  },
  { reason: 'processing', text: /processing this video|being processed|live event has ended/ },
  { reason: 'age_restricted', text: /(?:confirm|verify) your age|age[- ]restricted|inappropriate for some/ },
];

/** Where the platform's sentences hold names that others chose, which may be any words, also those looked for here. */
const names: readonly (readonly [before: RegExp, kept: string])[] = [
  [/\bon levels?:.*/g, 'on level'],
  [/\bcontent from .*?(?=,? (?:one or more of )?whom?\b|\. it is\b|$)/gm, 'content'],
  [/\bclaim by .*/g, 'claim'],
  [/\bclaimants including\b.*/g, 'claimants'],
];

/** What the platform says, in lower case, without the names of levels of members and of owners of content. */
export const ownWords = (texts: string): string =>
  names.reduce((text, [name, kept]) => text.replace(name, kept), texts.toLowerCase());

/** The reason in a message, as `ownWords` returns it, that concerns this service; null: none is recognized. */
export const reasonAboutUs = (text: string): FailureReason | null => reasonIn(aboutUs, text);

/** The same for a reason that concerns the video. */
export const reasonAboutVideo = (text: string): FailureReason | null => reasonIn(aboutVideo, text);

const reasonIn = (rules: readonly Rule[], text: string): FailureReason | null =>
  rules.find((rule) => rule.text.test(text))?.reason ?? null;

/** It is this client that is told so; another may play it. */
export const forAnotherClient = /on this (?:app|device)|latest version of youtube/;

/** What is so for a while says nothing of a video: it is the platform that is away. */
export const forNow =
  /\btempora|temporair|temporane|currently|right now|at (?:this time|the moment)|vorübergehend|derzeit|momentan|временно|一時的|暂时|暫時|일시적/;

/** In a message, as `ownWords` returns it, that says that the video is unavailable, without a reason. */
export const unavailable = /unavailable|not available|isn.t available|does not exist|deleted/;

/** The same in the languages in which the platform answers most where it does not heed what it is asked for. */
export const unavailableAbroad =
  /nicht (?:mehr )?verfügbar|(?:pas|plus) disponible|indispon[ií]|n[oã]o? (?:est[aá] )?dispon|non (?:è )?(?:più )?disponibil|niet (?:meer )?beschikbaar|niedostępn|недоступ|tidak tersedia|kullanılamıyor|再生できません|利用できません|視聴できません|无法(?:播放|观看)|不可用|無法(?:播放|觀看)|(?:재생|사용|시청)할 수 없|غير متاح|غير متوفر|उपलब्ध नहीं/;
