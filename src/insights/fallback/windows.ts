import { type Document, excerptOf, oncePerDocument, readDocument } from './document.ts';
import { linesOf, type Passage } from './passages.ts';
import type { Excerpt, Source } from './source.ts';

/** A hit is at most so long, so that it can be watched at once. */
export const longestWindow = 60;
/** Longer windows find more and point less exactly: measured in the bench `insights`. */
const fullWindow = { seconds: 45, words: 130 };

/** Runs of captions that overlap by half. The last one reaches the end of the transcript. */
export const windowsIn = oncePerDocument(({ lines, tokens }: Document): Passage[] => {
  const windows: Passage[] = [];
  let first = 0;
  while (first < lines.length) {
    const start = lines[first]?.start ?? 0;
    const firstToken = linesOf({ lines, tokens }, first, first + 1).firstToken;
    let end = first + 1;
    let endToken = linesOf({ lines, tokens }, first, end).endToken;
    while (end < lines.length) {
      const line = lines[end];
      if (line === undefined || line.end - start > fullWindow.seconds) break;
      const next = linesOf({ lines, tokens }, first, end + 1).endToken;
      if (next - firstToken > fullWindow.words) break;
      end += 1;
      endToken = next;
    }
    if (endToken > firstToken) windows.push(linesOf({ lines, tokens }, first, end));
    if (end === lines.length) break;
    first += Math.max(1, Math.floor((end - first) / 2));
  }
  return windows;
});

/** What to embed for search by meaning: the same windows, in the same order, that `searchTranscript` ranks. */
export const windowsOf = (source: Source): Excerpt[] => {
  const document = readDocument(source);
  return windowsIn(document).map((window) => excerptOf(document, window));
};
