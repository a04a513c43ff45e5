import type { Answer } from '../contract/operations/ask.ts';
import type { Extraction, Video } from '../extraction/captions/caption-track.ts';
import { memoizeByObject } from '../kernel/memoize.ts';
import { timestampOf } from '../transcripts/timestamp.ts';

/** One caption. Times in seconds. */
export type SourceSegment = { readonly text: string; readonly start: number; readonly duration: number };

/** What an operation works on: the captions of one video in one language. */
export type Source = Pick<Video, 'videoId' | 'title' | 'channel' | 'durationS'> & {
  readonly language: string | null;
  readonly segments: readonly SourceSegment[];
};

/** Captions as they are, verbatim but for white space. Times in seconds. */
export type Excerpt = Answer['citations'][number];

/** `mm:ss`, from one hour on `h:mm:ss`. */
export const timestampOfSeconds = (seconds: number): string => timestampOf(seconds * 1_000);

/** One object for all operations on an extraction, so that what is computed of it is kept by object. */
export const sourceOf = memoizeByObject(
  ({ video, track, segments }: Extraction): Source => ({
    videoId: video.videoId,
    title: video.title,
    channel: video.channel,
    durationS: video.durationS,
    language: track.language,
    segments: segments.map(({ text, startMs, endMs }) => ({
      text,
      start: startMs / 1_000,
      duration: (endMs - startMs) / 1_000,
    })),
  }),
);

/** When a caption ends, seconds. */
export const endOf = ({ start, duration }: SourceSegment): number => start + duration;

/** How long the video is; where the platform does not say, as far as its captions go. Seconds. */
export const lengthOf = ({ durationS, segments }: Source): number => {
  const last = segments.at(-1);
  return Math.max(durationS ?? 0, last === undefined ? 0 : endOf(last));
};
