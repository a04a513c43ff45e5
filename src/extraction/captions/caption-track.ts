/**
 * How a track came to be: written by people, by the platform's speech recognition, by translation, or (`recognized`) by
 * that of this service.
 */
export type TrackKind = 'manual' | 'automatic' | 'translated' | 'recognized';

/** One caption track of a video. `id` is the platform's vssId: the same language can appear twice. */
export type Track = {
  readonly id: string;
  readonly language: string;
  readonly name: string;
  readonly kind: TrackKind;
  readonly isTranslatable: boolean;
  readonly isRightToLeft: boolean;
};

/** One chapter that the author of a video wrote into its description. Whole seconds; `endS` null: the last one of a video whose length is not known. */
export type AuthorChapter = { readonly startS: number; readonly endS: number | null; readonly title: string };

/** `ended`: it was live. */
export type LiveState = 'none' | 'upcoming' | 'live' | 'ended';

export type Thumbnail = { readonly url: string; readonly width: number | null; readonly height: number | null };

/** What an answer for captions says of a video besides; null where the platform does not say. */
export type VideoDetails = {
  /** With its line breaks and without any other control character. */
  readonly description: string | null;
  readonly views: number | null;
  readonly thumbnails: readonly Thumbnail[];
  readonly liveState: LiveState;
  /** RFC 3339, UTC. Of a day alone, its beginning. */
  readonly publishedAt: string | null;
  /** Null: the author wrote none that the platform would show. */
  readonly chapters: readonly AuthorChapter[] | null;
};

/** What the platform says of a video; null where it does not say. `durationS` in whole seconds. */
export type Video = {
  readonly videoId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly channelId: string | null;
  readonly durationS: number | null;
  readonly isLive: boolean;
  /** Absent in what was kept by a version that did not read it. */
  readonly details?: VideoDetails;
};

/**
 * One line of captions. Times in whole milliseconds. `durationMs` is what the platform sent;
 * `endMs` is where the line ends when lines of automatic captions do not overlap.
 */
export type Segment = {
  readonly text: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly endMs: number;
  /** When each word is said, as the platform sent it; absent: not asked for, or not sent. */
  readonly words?: readonly Word[];
};

/** A word of a line. `startMs` counts from the beginning of the video. */
export type Word = { readonly text: string; readonly startMs: number };

/** Which captions are read: written by people, made by the platform's speech recognition, or either. */
export type CaptionsKind = 'any' | 'manual' | 'automatic';

/** The captions of one track, normalized, with all that is known about where they came from. */
export type Extraction = Omit<TrackListing, 'defaultTrackId'> & {
  readonly track: Track;
  readonly requestedLanguage: string | null;
  /** Which rule chose the track. */
  readonly matchedBy: 'default' | 'exact' | 'region';
  readonly segments: readonly Segment[];
  /** SHA-256 (hex) of the normalized segments: the key under which they are kept. */
  readonly contentSha256: string;
};

export type TrackListing = {
  readonly video: Video;
  readonly tracks: readonly Track[];
  readonly defaultTrackId: string | null;
  /** RFC 3339, when the platform was asked. */
  readonly fetchedAt: string;
  readonly isCacheHit: boolean;
};

/** What one look at the platform through the egress in use found. */
export type Probe = {
  readonly ok: boolean;
  /** HTTP status of the platform, 0 when none came. */
  readonly status: number;
  readonly reason: string | null;
  readonly checkedAt: string;
  readonly latencyMs: number;
};

/** Numbers about the work since the start, for status and alarms. */
export type ExtractionHealth = {
  readonly mode: 'direct' | 'proxy' | 'fixture';
  readonly lastProbe: Probe | null;
  readonly consecutiveFailures: number;
  /** The first of these failures. */
  readonly failingSince: string | null;
  /** Until an extraction succeeds, that of the first good probe. */
  readonly lastSuccessAt: string | null;
  /** Of the last extraction that succeeded; no probe counts. */
  readonly lastExtractedAt: string | null;
  readonly lastFailureAt: string | null;
  readonly lastFailureCode: string | null;
};

export type WantedTranscript = {
  readonly videoId: string;
  /** A code (BCP 47), or several with commas between, of which the first that there is counts; null: the video's default. */
  readonly language: string | null;
  /** Absent: any. */
  readonly captions?: CaptionsKind;
  /** The platform may translate captions into the language. */
  readonly mayTranslate?: boolean;
  readonly recognitionTimeoutMs?: number;
  /** Speech is recognized although there are captions; without a time no speech is. */
  readonly isRecognitionForced?: boolean;
  /** With the times of words, where the platform sends them. */
  readonly words?: boolean;
};

export type ExtractOptions = { readonly signal: AbortSignal };

/** How many requests to the platform a piece of work may still make, in any number of calls. */
export type RequestAllowance = { left: number };

/** The feed of a channel, and what an earlier answer was marked with; null: nothing. */
export type WantedFeed = {
  readonly channelId: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
};

/** `unchanged`: as that answer had it. `away`: no feed came, which says nothing of the channel. */
export type ChannelFeed =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'away'; readonly why: string }
  | {
      readonly kind: 'entries';
      readonly title: string | null;
      /** The newest first. */
      readonly entries: readonly {
        readonly videoId: string;
        readonly title: string | null;
        readonly isShort: boolean;
      }[];
      readonly etag: string | null;
      readonly lastModified: string | null;
    };

/** `since` (RFC 3339): what was read of the video before is not given again. */
export type FreshOptions = ExtractOptions & { readonly since?: string | undefined };

/** With `requests`, a listing that needs more of them throws `AllowanceSpentError`. */
export type ListOptions = ExtractOptions & { readonly requests?: RequestAllowance | undefined };

/**
 * The engine. Every method throws `Refusal` with one of the codes of `failures.ts`, whose `details` are
 * `{reason, retryable, retry_after_s?, platform?, available?}`; anything else it throws is a fault.
 * `videoId` is an id that `video-id.ts` has accepted.
 */
export type Engine = {
  /**
   * Reads one track: the first of `language` that there is (BCP 47), or null for the video's default. With `mayTranslate` a language
   * that the video has no track in is translated by the platform. With `recognitionTimeoutMs` the speech of a video without
   * captions is recognized, within that time; 0: only what was recognized before is given. With `isRecognitionForced` nothing else is given.
   */
  extract(
    wanted: WantedTranscript,
    options: FreshOptions & {
      /** Called when the recognizer is asked; not for what was recognized before. */
      readonly onRecognizing?: (() => void) | undefined;
    },
  ): Promise<Extraction>;
  /** Lists the tracks; a video that has none gives an empty list, once two clients said so. */
  listTracks(videoId: string, options: ExtractOptions): Promise<TrackListing>;
  /**
   * The video with its details and its tracks, without reading any. One that is live, still to come, or being processed
   * has no tracks. What was read in the last hours is not asked for again.
   */
  readVideo(videoId: string, options: FreshOptions): Promise<TrackListing>;
  /** What is known of a video without asking the platform; null: nothing, or it is too old. */
  knownVideo(videoId: string): Promise<TrackListing | null>;
  /** Captions that were read before, without asking the platform; null: there are none, or they are too old. */
  knownTranscript(wanted: WantedTranscript): Promise<Extraction | null>;
  listPlaylist(wanted: { readonly playlistId: string; readonly limit: number }, options: ListOptions): Promise<Listing>;
  /** `reference`: a channel id, a handle, or any channel URL. */
  listChannel(wanted: { readonly reference: string; readonly limit: number }, options: ListOptions): Promise<Listing>;
  /** The newest videos of a channel by its feed: one small request. */
  readFeed(wanted: WantedFeed, options: ExtractOptions): Promise<ChannelFeed>;
  /** One bounded look at the platform; callers within ten seconds share it. */
  probe(): Promise<Probe>;
  health(): ExtractionHealth;
  /** Stops timers and closes connections. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type ListedVideo = {
  readonly videoId: string;
  readonly title: string | null;
  readonly durationS: number | null;
  readonly position: number;
  readonly availability: 'public' | 'unlisted' | 'private' | 'deleted' | 'members_only' | 'unknown';
};

/** A playlist or the uploads of a channel, as far as `limit`. Counts are reported, never guessed: null = not said. */
export type Listing = {
  readonly playlistId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly channelId: string | null;
  readonly handle: string | null;
  /** How many entries the header promises. */
  readonly expected: number | null;
  /** How many the platform left out of the rows although it counted them. */
  readonly hidden: number | null;
  /** The platform stopped answering before the end. */
  readonly isTruncated: boolean;
  readonly hasMore: boolean;
  readonly videos: readonly ListedVideo[];
};
