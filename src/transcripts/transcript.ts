import type { VideoDetails } from '../contract/video-details.ts';
import type { Segment, Video, Word } from '../extraction/captions/caption-track.ts';

/** Where the text came from, in the words of the API. */
export type TranscriptSource = 'manual' | 'platform_auto' | 'translated' | 'asr';

/** One line as it is shown: whole milliseconds, `endMs` ≥ `startMs`. */
export type Cue = Pick<Segment, 'text' | 'startMs' | 'endMs'> & {
  /** When each word is said; null: that is not known. Absent: not asked for. */
  readonly words?: readonly Word[] | null;
};

/** What a caller gets: what is known of the video, and its captions in one language. */
export type Transcript = Pick<Video, 'videoId' | 'title' | 'channel' | 'channelId' | 'durationS'> & {
  readonly url: string;
  readonly language: string | null;
  readonly requestedLanguage: string | null;
  readonly source: TranscriptSource;
  readonly cues: readonly Cue[];
  /** Lines that have nothing but what cleaning takes out; absent: it was not cleaned. */
  readonly leftOut?: number;
  /** Absent: it was not asked for. */
  readonly video?: VideoDetails;
  /** Tokens of its text; absent: they were not asked for. */
  readonly tokenCount?: number;
};
