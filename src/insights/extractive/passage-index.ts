import type { Source, SourceSegment } from '../source.ts';
import { saturation } from './bm25.ts';
import { type Document, readDocument } from './document.ts';
import { timeOf } from './passages.ts';
import { searchIndexOf } from './search.ts';

/** A passage of a stored text: bytes of it in UTF-8, and milliseconds of the video. */
export type IndexedPassage = Readonly<Record<'from' | 'length' | 'startMs' | 'endMs', number>>;

/** Passages of one text, and in which of them each term stands. */
export type PassageIndex = {
  /** Base code of the language whose stems the terms are. */
  readonly language: string;
  readonly passages: readonly IndexedPassage[];
  /** By term, pairs of a passage and of what the term adds to its score, see `impactUnit`; passages ascend. */
  readonly postings: readonly (readonly [term: string, pairs: readonly number[]])[];
};

/** Scores are kept as whole numbers of this size, so that each fits into a byte. */
export const impactUnit = 0.01;

/** Captions as one text, a line each: line breaks within a caption are vertical tabs, which read as white space too. */
export const storedText = (lines: readonly string[]): string =>
  lines.map((line) => line.replaceAll('\n', '\v')).join('\n');

/** The captions of a stored text. */
export const storedLines = (text: string): string[] => text.split('\n').map((line) => line.replaceAll('\v', '\n'));

/**
 * What a library keeps of a transcript to search it: the windows that a search over this one video ranks, with the same terms
 * and the same weights, except for the rarity of a term, which depends on all videos of a library.
 */
const indexPassages = (source: Source): PassageIndex => {
  const document = readDocument(source);
  const { windows, byTerm } = searchIndexOf(document);
  const placeOf = storedPlaces(source.segments, document);
  const passages = windows.map((window): IndexedPassage => {
    const [from, to] = [placeOf(window.from, 'start'), placeOf(window.to, 'end')];
    const { start, end } = timeOf(document, window);
    return { from, length: to - from, startMs: Math.round(start * 1_000), endMs: Math.round(end * 1_000) };
  });
  const postings = [...byTerm.postings].map(([term, counts]) => {
    const pairs = counts.map((value, at) => {
      if (at % 2 === 0) return value;
      const length = (byTerm.lengths[counts[at - 1] ?? 0] ?? 0) / Math.max(1e-9, byTerm.averageLength);
      return Math.max(1, Math.min(255, Math.round(saturation(value, length) / impactUnit)));
    });
    return [term, pairs] as const;
  });
  return { language: document.language, passages, postings };
};

export const extract = { file: 'passage-index', run: indexPassages };

/** From a place in the text of a document to the same place in the stored text, in bytes. */
const storedPlaces = (
  segments: readonly SourceSegment[],
  { lines }: Document,
): ((at: number, edge: 'start' | 'end') => number) => {
  const starts: { readonly text: string; readonly at: number }[] = [];
  let bytes = 0;
  for (const { text } of segments) {
    if (text.trim() !== '') starts.push({ text, at: bytes });
    bytes += Buffer.byteLength(text) + 1;
  }
  return (at, edge) => {
    const line = lines.findIndex(({ to }) => (edge === 'start' ? at < to : at <= to));
    const [shown, stored] = [lines[line], starts[line]];
    if (shown === undefined || stored === undefined) return Math.max(0, bytes - 1);
    return stored.at + Buffer.byteLength(stored.text.slice(0, rawOffset(stored.text, at - shown.from)));
  };
};

/** Where the caption itself has a character of the caption with its white space collapsed. */
const rawOffset = (raw: string, shown: number): number => {
  let at = raw.length - raw.trimStart().length;
  for (let left = shown; left > 0 && at < raw.length; left -= 1) {
    if (isSpace(raw[at])) while (isSpace(raw[at + 1])) at += 1;
    at += 1;
  }
  return at;
};

const isSpace = (character: string | undefined): boolean => character !== undefined && /\s/u.test(character);

/** The words of a passage of a stored text, as they are shown. */
export const shownPassage = (stored: string): string => stored.replace(/\s+/gu, ' ').trim();
