import { Refusal, type RefusalCode } from '../kernel/refusal.ts';

/** Why an extraction ended without a transcript; the key of the table below and `details.reason` of the refusal. */
export type FailureReason = keyof typeof table;

type Row = {
  readonly code: RefusalCode;
  readonly message: string;
  /** Whether the same request can succeed without anybody changing anything. */
  readonly retryable: boolean;
  /** Seconds to wait, where the platform did not say. */
  readonly retryAfterS?: number;
  /** `us`: the platform refused or failed us; it says nothing of the video. */
  readonly about: 'video' | 'us';
  /** How long the answer may be given again without asking, in seconds; none where absent. */
  readonly keptForS?: number;
};

const hour = 3600;
const day = 24 * hour;

const table = {
  not_found_or_deleted: {
    code: 'VIDEO_NOT_FOUND',
    message: 'The video does not exist, or was deleted.',
    retryable: false,
    about: 'video',
    keptForS: hour,
  },
  private: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The video is private.',
    retryable: false,
    about: 'video',
    keptForS: hour,
  },
  age_restricted: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The video is age restricted; its captions can only be read signed in.',
    retryable: false,
    about: 'video',
    keptForS: 6 * hour,
  },
  members_only: {
    code: 'VIDEO_UNAVAILABLE',
    message: "The video is only available to the channel's members.",
    retryable: false,
    about: 'video',
    keptForS: 6 * hour,
  },
  premium: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The video is only available to subscribers of the platform.',
    retryable: false,
    about: 'video',
    keptForS: 6 * hour,
  },
  purchase: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The video must be bought or rented.',
    retryable: false,
    about: 'video',
    keptForS: 6 * hour,
  },
  region_blocked: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The video is not available in the region of this service.',
    retryable: false,
    about: 'video',
    keptForS: hour,
  },
  removed: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The video was removed.',
    retryable: false,
    about: 'video',
    keptForS: hour,
  },
  unplayable: {
    code: 'VIDEO_UNAVAILABLE',
    message: 'The platform calls the video unavailable.',
    retryable: true,
    about: 'video',
    keptForS: 300,
  },
  upcoming: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The video has not started yet.',
    retryable: true,
    about: 'video',
    keptForS: hour,
  },
  live_now: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The video is live; captions become available after its end.',
    retryable: true,
    about: 'video',
    keptForS: 300,
  },
  processing: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The platform is still processing the video.',
    retryable: true,
    about: 'video',
    keptForS: 300,
  },
  no_captions: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The video has no captions.',
    retryable: false,
    about: 'video',
    keptForS: day,
  },
  kind_missing: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The video has no captions of this kind in this language.',
    retryable: false,
    about: 'video',
  },
  recognition_unavailable: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'This service has no model that recognizes speech.',
    retryable: false,
    about: 'video',
  },
  audio_unavailable: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The platform provides no audio of the video for speech recognition.',
    retryable: true,
    about: 'video',
  },
  audio_too_large: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The audio of the video is too large for speech recognition.',
    retryable: false,
    about: 'video',
  },
  recognition_failed: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'Recognizing the speech of the video failed.',
    retryable: true,
    about: 'video',
  },
  no_speech: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'No speech was recognized in the video.',
    retryable: false,
    about: 'video',
    keptForS: 24 * hour,
  },
  empty_track: {
    code: 'TRANSCRIPT_NOT_AVAILABLE',
    message: 'The caption track has no text.',
    retryable: true,
    about: 'video',
    keptForS: hour,
  },
  language_missing: {
    code: 'LANGUAGE_NOT_AVAILABLE',
    message: 'The video has no captions in this language.',
    retryable: false,
    about: 'video',
  },
  playlist_not_found: {
    code: 'PLAYLIST_NOT_FOUND',
    message: 'The playlist does not exist, or cannot be viewed.',
    retryable: false,
    about: 'video',
  },
  channel_not_found: {
    code: 'CHANNEL_NOT_FOUND',
    message: 'The channel does not exist.',
    retryable: false,
    about: 'video',
  },
  channel_removed: {
    code: 'CHANNEL_NOT_FOUND',
    message: 'The channel was removed by the platform.',
    retryable: false,
    about: 'video',
  },
  bot_check: {
    code: 'PLATFORM_BLOCKED',
    message: 'The platform asks this service to prove that it is not a robot.',
    retryable: true,
    retryAfterS: 60,
    about: 'us',
  },
  egress_refused: {
    code: 'PLATFORM_BLOCKED',
    message: 'The platform refuses requests from this service.',
    retryable: true,
    retryAfterS: 60,
    about: 'us',
  },
  wrong_video: {
    code: 'PLATFORM_BLOCKED',
    message: 'The platform answered with another video.',
    retryable: true,
    retryAfterS: 30,
    about: 'us',
  },
  token_required: {
    code: 'PLATFORM_BLOCKED',
    message: 'The platform gives the captions only to its own players.',
    retryable: true,
    retryAfterS: 60,
    about: 'us',
  },
  link_refused: {
    code: 'PLATFORM_BLOCKED',
    message: 'The platform refuses its own link to the captions.',
    retryable: true,
    retryAfterS: 30,
    about: 'us',
  },
  client_refused: {
    code: 'PLATFORM_BLOCKED',
    message: 'The platform did not answer for this video.',
    retryable: true,
    retryAfterS: 60,
    about: 'us',
  },
  rate_limited: {
    code: 'PLATFORM_RATE_LIMITED',
    message: 'The platform asks this service to slow down.',
    retryable: true,
    retryAfterS: 60,
    about: 'us',
  },
  session_limit: {
    code: 'PLATFORM_RATE_LIMITED',
    message: 'The platform has limited this service for now.',
    retryable: true,
    retryAfterS: 300,
    about: 'us',
  },
  egress_busy: {
    code: 'PLATFORM_RATE_LIMITED',
    message: 'Too many requests are already waiting for the platform.',
    retryable: true,
    retryAfterS: 5,
    about: 'us',
  },
  timeout: {
    code: 'PLATFORM_TIMEOUT',
    message: 'The platform did not answer in time.',
    retryable: true,
    about: 'us',
  },
  unreachable: {
    code: 'PLATFORM_TIMEOUT',
    message: 'The platform cannot be reached from here: `steno doctor` says why.',
    retryable: true,
    about: 'us',
  },
  connection: {
    code: 'PLATFORM_TIMEOUT',
    message: 'The connection to the platform was lost.',
    retryable: true,
    about: 'us',
  },
  server_error: {
    code: 'PLATFORM_TIMEOUT',
    message: 'The platform returned a server error.',
    retryable: true,
    about: 'us',
  },
  unknown_error: {
    code: 'PLATFORM_TIMEOUT',
    message: 'The platform answered with an unknown error.',
    retryable: true,
    about: 'us',
  },
  shape: {
    code: 'PLATFORM_CHANGED',
    message: 'The platform answered in an unknown format.',
    retryable: true,
    about: 'us',
  },
  client_retired: {
    code: 'PLATFORM_CHANGED',
    message: 'The platform no longer accepts the requests of this service.',
    retryable: true,
    about: 'us',
  },
  too_large: {
    code: 'PLATFORM_CHANGED',
    message: 'The response of the platform is larger than expected.',
    retryable: false,
    about: 'us',
  },
} satisfies Record<string, Row>;

/** What the platform itself said, to which client; texts are cut to 200 characters. */
export type PlatformFacts = {
  readonly status: string | null;
  readonly reason: string | null;
  readonly subreason: string | null;
  readonly client: string | null;
};

export type Failure = {
  readonly reason: FailureReason;
  readonly facts: PlatformFacts | null;
  /** Seconds the platform asked to wait. */
  readonly retryAfterS: number | null;
  /** Further fields of `details`, in the words of the API (`path`, `available`, `scheduled_start` …). */
  readonly extra: Readonly<Record<string, unknown>>;
};

/** `extra`: further members of `details`; `retryAfterS`: seconds that the platform asked to wait. */
export const failure = (
  reason: FailureReason,
  facts: PlatformFacts | null = null,
  extra: Readonly<Record<string, unknown>> = {},
  retryAfterS: number | null = null,
): Failure => ({ reason, facts, extra, retryAfterS });

/** Every reason with its code, whom it is about and how long it is kept: for `docs/errors.md` and its test. */
export const failureRow = (reason: FailureReason): Row => table[reason];

export const failureReasons = Object.keys(table) as readonly FailureReason[];

/** The longest wait passed on to a caller: a platform that asks for more is asked again after this. */
const maxRetryAfterS = 3600;

/** What a caller is told of a failure: its code, message, and `details` with the reason and what the platform said. `Retry-After` is 1 s to 1 h. */
export const refusalOf = (found: Failure): Refusal => {
  const { reason, facts, retryAfterS, extra } = found;
  const row = failureRow(reason);
  const asked = retryAfterS ?? row.retryAfterS ?? null;
  const wait = asked === null ? null : Math.min(Math.max(1, Math.ceil(asked)), maxRetryAfterS);
  const details = {
    reason,
    retryable: row.retryable,
    ...(wait === null ? {} : { retry_after_s: wait }),
    ...(facts === null ? {} : { platform: publicFacts(facts) }),
    ...extra,
  };
  const refusal = new Refusal(row.code, row.message, details, wait);
  made.set(refusal, found);
  return refusal;
};

/** Callers are not told which client of the platform was asked. */
const publicFacts = ({ status, reason, subreason }: PlatformFacts) => ({
  status,
  reason,
  subreason,
});

/** The wait that a refusal tells may be our advice; what it was made of says whether the platform asked for one. */
const made = new WeakMap<Refusal, Failure>();

/** The failure that a refusal of the engine was made of; null for a refusal of somebody else. */
export const failureOf = (refusal: Refusal): Failure | null => made.get(refusal) ?? null;

/** Whether a refusal of the engine is the platform's or our own trouble, not a property of the video. */
export const isAboutUs = (code: RefusalCode): boolean => code.startsWith('PLATFORM_');

const ranks: Partial<Record<RefusalCode, number>> = {
  PLATFORM_BLOCKED: 4,
  PLATFORM_RATE_LIMITED: 3,
  PLATFORM_TIMEOUT: 2,
  PLATFORM_CHANGED: 1,
};

/** Of what several clients met, the one that tells the caller most: a block before a delay before a change. */
export const strongest = (failures: readonly Failure[]): Failure | null => {
  let found: Failure | null = null;
  for (const each of failures) if (found === null || rank(each) > rank(found)) found = each;
  return found;
};

const rank = ({ reason }: Failure): number => ranks[failureRow(reason).code] ?? 0;
