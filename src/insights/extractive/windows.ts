import { memoizeByObject } from '../../kernel/memoize.ts';
import type { Excerpt, Source } from '../source.ts';
import { checkCancelled } from './cancellation.ts';
import { type Document, excerptOf, readDocument } from './document.ts';
import { type Passage, timeOf } from './passages.ts';

/** A hit is at most so long, so that it can be watched at once. */
export const longestWindow = 60;
/** Longer windows find more and point less exactly: measured in the bench `insights`. */
const fullWindow = { seconds: 55, words: 150 };

/** From the first sentence to before another. */
export const spanOf = ({ sentences }: Document, first: number, end: number): Passage | null => {
  const [a, b] = [sentences[first], sentences[end - 1]];
  if (a === undefined || b === undefined) return null;
  const { from, firstLine, firstToken } = a;
  return { from, firstLine, firstToken, to: b.to, endLine: b.endLine, endToken: b.endToken };
};

const fits = (document: Document, passage: Passage): boolean => {
  const { start, end } = timeOf(document, passage);
  const count = passage.endToken - passage.firstToken;
  return end - start <= fullWindow.seconds && count <= fullWindow.words;
};

/** Runs of whole sentences that overlap by half, so that an answer is not cut. The last one reaches the end. */
export const windowsIn = memoizeByObject((document: Document): Passage[] => {
  const windows: Passage[] = [];
  const count = document.sentences.length;
  let first = 0;
  while (first < count) {
    checkCancelled();
    let end = first + 1;
    let window = spanOf(document, first, end);
    while (end < count) {
      const longer = spanOf(document, first, end + 1);
      if (longer === null || !fits(document, longer)) break;
      window = longer;
      end += 1;
    }
    if (window !== null) windows.push(window);
    if (end >= count) break;
    first += Math.max(1, Math.floor((end - first) / 2));
  }
  return windows;
});

/** What to embed for search by meaning: the same windows, in the same order, that `searchTranscript` ranks. */
export const windowsOf = (source: Source): Excerpt[] => {
  const document = readDocument(source);
  return windowsIn(document).map((window) => excerptOf(document, window));
};

export const extract = { file: 'windows', run: windowsOf };
