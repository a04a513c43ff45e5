import { Refusal, type RefusalCode } from '../kernel/refusal.ts';

/** Why an extraction ended without a transcript; the key of the table below and `details.reason` of the refusal. */
export type FailureReason = keyof typeof table;

type Row = {
  readonly code: RefusalCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Seconds to wait, where the platform did not say. */
  readonly retryAfterS?: number | undefined;
  /** How long the answer may be given again without asking, in seconds; none where absent. */
  readonly keptForS?: number | undefined;
};

const hour = 3600;
const day = 24 * hour;

/** `seconds`: of the one time that a row of this kind has. */
type RowOf = (code: RefusalCode, message: string, seconds?: number) => Row;

/** The same request fails again until somebody changes something. */
const lasting: RowOf = (code, message, keptForS) => ({ code, message, retryable: false, keptForS });

/** The same request can succeed later. */
const passing: RowOf = (code, message, keptForS) => ({ code, message, retryable: true, keptForS });

/** The same, for what says nothing of a video: it is never kept, and may say how long to wait. */
const trouble: RowOf = (code, message, retryAfterS) => ({ code, message, retryable: true, retryAfterS });

const table = {
  not_found_or_deleted: lasting('VIDEO_NOT_FOUND', 'The video does not exist, or was deleted.', hour),
  private: lasting('VIDEO_UNAVAILABLE', 'The video is private.', hour),
  age_restricted: lasting(
    'VIDEO_UNAVAILABLE',
    'The video is age restricted; its captions can only be read signed in.',
    6 * hour,
  ),
  members_only: lasting('VIDEO_UNAVAILABLE', "The video is only available to the channel's members.", 6 * hour),
  premium: lasting('VIDEO_UNAVAILABLE', 'The video is only available to subscribers of the platform.', 6 * hour),
  purchase: lasting('VIDEO_UNAVAILABLE', 'The video must be bought or rented.', 6 * hour),
  region_blocked: lasting('VIDEO_UNAVAILABLE', 'The video is not available in the region of this service.', hour),
  removed: lasting('VIDEO_UNAVAILABLE', 'The video was removed.', hour),
  unplayable: passing('VIDEO_UNAVAILABLE', 'The platform calls the video unavailable.', 300),
  upcoming: passing('TRANSCRIPT_NOT_AVAILABLE', 'The video has not started yet.', hour),
  live_now: passing('TRANSCRIPT_NOT_AVAILABLE', 'The video is live; captions become available after its end.', 300),
  processing: passing('TRANSCRIPT_NOT_AVAILABLE', 'The platform is still processing the video.', 300),
  no_captions: lasting('TRANSCRIPT_NOT_AVAILABLE', 'The video has no captions.', day),
  kind_missing: lasting('TRANSCRIPT_NOT_AVAILABLE', 'The video has no captions of this kind in this language.'),
  recognition_unavailable: lasting('TRANSCRIPT_NOT_AVAILABLE', 'This service has no model that recognizes speech.'),
  audio_unavailable: passing(
    'TRANSCRIPT_NOT_AVAILABLE',
    'The platform provides no audio of the video for speech recognition.',
  ),
  audio_too_large: lasting('TRANSCRIPT_NOT_AVAILABLE', 'The audio of the video is too large for speech recognition.'),
  recognition_failed: passing('TRANSCRIPT_NOT_AVAILABLE', 'Recognizing the speech of the video failed.'),
  no_speech: lasting('TRANSCRIPT_NOT_AVAILABLE', 'No speech was recognized in the video.', day),
  empty_track: passing('TRANSCRIPT_NOT_AVAILABLE', 'The caption track has no text.', hour),
  language_missing: lasting('LANGUAGE_NOT_AVAILABLE', 'The video has no captions in this language.'),
  playlist_not_found: lasting('PLAYLIST_NOT_FOUND', 'The playlist does not exist, or cannot be viewed.'),
  channel_not_found: lasting('CHANNEL_NOT_FOUND', 'The channel does not exist.'),
  channel_removed: lasting('CHANNEL_NOT_FOUND', 'The channel was removed by the platform.'),
  bot_check: trouble('PLATFORM_BLOCKED', 'The platform asks this service to prove that it is not a robot.', 60),
  egress_refused: trouble('PLATFORM_BLOCKED', 'The platform refuses requests from this service.', 60),
  wrong_video: trouble('PLATFORM_BLOCKED', 'The platform answered with another video.', 30),
  token_required: trouble('PLATFORM_BLOCKED', 'The platform gives the captions only to its own players.', 60),
  link_refused: trouble('PLATFORM_BLOCKED', 'The platform refuses its own link to the captions.', 30),
  client_refused: trouble('PLATFORM_BLOCKED', 'The platform did not answer for this video.', 60),
  rate_limited: trouble('PLATFORM_RATE_LIMITED', 'The platform asks this service to slow down.', 60),
  session_limit: trouble('PLATFORM_RATE_LIMITED', 'The platform has limited this service for now.', 300),
  egress_busy: trouble('PLATFORM_RATE_LIMITED', 'Too many requests are already waiting for the platform.', 5),
  timeout: trouble('PLATFORM_TIMEOUT', 'The platform did not answer in time.'),
  unreachable: trouble('PLATFORM_TIMEOUT', 'The platform cannot be reached from here: `steno doctor` says why.'),
  connection: trouble('PLATFORM_TIMEOUT', 'The connection to the platform was lost.'),
  server_error: trouble('PLATFORM_TIMEOUT', 'The platform returned a server error.'),
  unknown_error: trouble('PLATFORM_TIMEOUT', 'The platform answered with an unknown error.'),
  shape: trouble('PLATFORM_CHANGED', 'The platform answered in an unknown format.'),
  client_retired: trouble('PLATFORM_CHANGED', 'The platform no longer accepts the requests of this service.'),
  too_large: lasting('PLATFORM_CHANGED', 'The response of the platform is larger than expected.'),
} satisfies Record<string, Row>;

/** What the platform itself said, to which client; texts are cut to 200 characters. */
export type PlatformFacts = Readonly<Record<'status' | 'reason' | 'subreason' | 'client', string | null>>;

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

/** The row of a reason: its code, its message, and how long it is kept. */
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
const publicFacts = ({ status, reason, subreason }: PlatformFacts) => ({ status, reason, subreason });

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
export const strongest = (failures: readonly Failure[]): Failure | null =>
  failures.toSorted((one, other) => rank(other) - rank(one))[0] ?? null;

const rank = ({ reason }: Failure): number => ranks[failureRow(reason).code] ?? 0;
