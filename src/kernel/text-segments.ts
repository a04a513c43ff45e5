/** Characters that a segmenter is given at a time. */
const windowLength = 2_000;

/** A part of a text: a word, or a sentence. */
export type TextSegment = {
  readonly segment: string;
  readonly index: number;
  /** Undefined for sentences. */
  readonly isWordLike: boolean | undefined;
};

/**
 * The segments of a text as `Intl.Segmenter` finds them. With each segment V8 copies the whole text that it was given: for
 * twelve hours of captions that took 15 s. So it is given windows of the text. The last two segments of a window, which its
 * end may have cut, are read again in the next one.
 */
export function* textSegments(text: string, segmenter: Intl.Segmenter): Generator<TextSegment> {
  let from = 0;
  let length = windowLength;
  while (from < text.length) {
    const found = [...segmenter.segment(text.slice(from, from + length))];
    const isLast = from + length >= text.length;
    const next = found.at(-2);
    if (!isLast && (next === undefined || next.index === 0)) {
      // A sentence that is longer than the window.
      length *= 2;
      continue;
    }
    const whole = isLast ? found : found.slice(0, -2);
    for (const { segment, index, isWordLike } of whole) {
      yield { segment, index: from + index, isWordLike };
    }
    from = isLast || next === undefined ? text.length : from + next.index;
    length = windowLength;
  }
}
