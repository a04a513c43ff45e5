/** A transcript as the extractive operations read it. Times are seconds. */
export type Source = {
  readonly videoId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly durationSeconds: number | null;
  readonly language: string | null;
  readonly segments: readonly {
    readonly text: string;
    readonly start: number;
    readonly duration: number;
  }[];
};

/** Text of the captions, unchanged but for white space, with the time at which it is said. */
export type Excerpt = { readonly start: number; readonly end: number; readonly text: string };
