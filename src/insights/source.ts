import type { Extraction } from '../extraction/types.ts';

/** One caption. Times in seconds. */
export type SourceSegment = {
  readonly text: string;
  readonly start: number;
  readonly duration: number;
};

/** What an operation works on: the captions of one video in one language. */
export type Source = {
  readonly videoId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly durationSeconds: number | null;
  readonly language: string | null;
  readonly segments: readonly SourceSegment[];
};

/** Made once per extraction, so that what is computed from a source can be kept by object. */
const known = new WeakMap<Extraction, Source>();

export const sourceOf = (extraction: Extraction): Source => {
  const before = known.get(extraction);
  if (before !== undefined) return before;
  const { video, track, segments } = extraction;
  const source: Source = {
    videoId: video.videoId,
    title: video.title,
    channel: video.channel,
    durationSeconds: video.durationS,
    language: track.language,
    segments: segments.map(({ text, startMs, endMs }) => ({
      text,
      start: startMs / 1_000,
      duration: (endMs - startMs) / 1_000,
    })),
  };
  known.set(extraction, source);
  return source;
};

/** When a caption ends, seconds. */
export const endOf = ({ start, duration }: SourceSegment): number => start + duration;

/** How long the video is; where the platform does not say, as far as its captions go. Seconds. */
export const lengthOf = ({ durationSeconds, segments }: Source): number => {
  const last = segments.at(-1);
  return Math.max(durationSeconds ?? 0, last === undefined ? 0 : endOf(last));
};
