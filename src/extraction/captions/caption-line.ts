/** One line as the document has it: text still escaped, times in milliseconds, null where no duration is written. */
export type RawLine = {
  readonly text: string;
  readonly startMs: number;
  readonly durationMs: number | null;
  /** Its words where they were asked for and are there. */
  readonly words?: RawWord[];
};

/**
 * A word as the document has it, text still escaped, `startMs` counted from the start of its line. Normalizing a line turns its
 * words into those of the caption in place: to make an object for each word is most of what reading them takes.
 */
export type RawWord = { text: string; startMs: number };

/** The document is none of ours: `path` says where it stops making sense, without any caption text. */
export class UnreadableCaptions extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`unreadable captions at ${path}`);
    this.name = 'UnreadableCaptions';
    this.path = path;
  }
}

/** A thousand days: no recording is as long, and every format can write it. */
const longestMs = 1_000 * 24 * 3_600_000;

/** Milliseconds as a document may write them. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= longestMs;

/** A number that a document writes for how long a line lasts, sensible or not; null where it writes none. */
export const isDuration = (value: unknown): value is number | null =>
  value === null || (typeof value === 'number' && !Number.isNaN(value));

/** A duration that is negative, or beyond every recording, is none: the line lasts until the next one begins. */
export const lastingMs = (durationMs: number | null): number | null => (isTime(durationMs) ? durationMs : null);
