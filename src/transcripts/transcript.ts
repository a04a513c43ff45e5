import type { VideoDetails } from '../contract/video-details.ts';

/** Where the text came from, in the words of the API. */
export type TranscriptSource = 'manual' | 'platform_auto' | 'translated' | 'asr';

/** One line as it is shown: whole milliseconds, `endMs` ≥ `startMs`. */
export type Cue = {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** When each word is said; null: that is not known. Absent: not asked for. */
  readonly words?: readonly CueWord[] | null;
};

/** A word with the moment at which it is said. */
export type CueWord = { readonly text: string; readonly startMs: number };

/** What a caller gets: what is known of the video, and its captions in one language. */
export type Transcript = {
  readonly videoId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly channelId: string | null;
  readonly url: string;
  readonly durationS: number | null;
  readonly language: string | null;
  readonly requestedLanguage: string | null;
  readonly source: TranscriptSource;
  readonly cues: readonly Cue[];
  /** Absent: it was not asked for. */
  readonly video?: VideoDetails;
  /** Tokens of its text; absent: they were not asked for. */
  readonly tokenCount?: number;
};
