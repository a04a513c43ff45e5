import { baseLanguage } from '../kernel/languages.ts';
import { textSegments } from '../kernel/text-segments.ts';
import { segmenterOf } from './extractive/words.ts';
import { plainLine } from './model-text.ts';
import { type Excerpt, endOf, type SourceSegment, timestampOfSeconds } from './source.ts';

/** Captions from `first` to `last`, both included. */
export type Span = { readonly first: number; readonly last: number };

/** Letters and digits alone, in one form: what two texts share when only their writing differs. */
export const compact = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const isWithin = (n: number, { length }: { readonly length: number }): boolean =>
  Number.isInteger(n) && n >= 0 && n < length;

/** Shorter quotes would be found anywhere. */
const fewestQuoted = 4;
/** Quotes that are longer than the captions around them cannot be aligned anyway. */
const mostQuoted = 2_000;
const alignedAtLeast = 0.9;

/**
 * The captions that a quote stands in, looked for from the caption before `n` to the second after it; null: it is not
 * there. Spaces, case and punctuation do not count, and a tenth of the words may differ.
 */
export const spanOfQuote = (
  segments: readonly SourceSegment[],
  { n, quote }: { readonly n: number; readonly quote: string },
): Span | null => {
  const wanted = compact(quote);
  const isUsable = wanted.length >= fewestQuoted && wanted.length <= mostQuoted;
  if (!isUsable || !isWithin(n, segments)) return null;
  const from = Math.max(0, n - 1);
  const spans = spansWithin(from, Math.min(segments.length - 1, n + 2));
  const exact = spans.find((span) => compact(textOf(segments, span)).includes(wanted));
  if (exact !== undefined) return exact;
  const words = wordsOf(quote);
  // Scripts without spaces have no words here, and a few words align by chance.
  if (words.length < 4) return null;
  const whole = spans.find((span) => alignment(words, wordsOf(textOf(segments, span))) >= alignedAtLeast);
  return whole ?? null;
};

/** Every run of captions in these bounds, shortest first. */
const spansWithin = (from: number, to: number): readonly Span[] =>
  Array.from({ length: to - from + 1 }, (_, more) =>
    Array.from({ length: to - from - more + 1 }, (_, start) => ({ first: from + start, last: from + start + more })),
  ).flat();

/** Which part of `words` appears in `text` in the same order. */
const alignment = (words: readonly string[], text: readonly string[]): number => {
  let row = new Array<number>(text.length + 1).fill(0);
  for (const word of words) {
    const next = [0];
    for (const [at, other] of text.entries()) {
      const best = word === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0);
      next.push(best);
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / words.length;
};

/** The text of captions, verbatim but for control characters. */
export const textOf = (segments: readonly SourceSegment[], { first, last }: Span): string =>
  segments
    .slice(first, last + 1)
    .map(({ text }) => plainLine(text))
    .filter((text) => text !== '')
    .join(' ');

/** When captions begin and end, seconds. */
export const timesOf = (segments: readonly SourceSegment[], { first, last }: Span): Pick<Excerpt, 'start' | 'end'> => {
  const start = segments[first]?.start ?? 0;
  const end = segments[last];
  return { start, end: Math.max(start, end === undefined ? 0 : endOf(end)) };
};

/** Captions with their time. */
export const excerptOf = (segments: readonly SourceSegment[], span: Span): Excerpt => {
  const times = timesOf(segments, span);
  return { ...times, timestamp: timestampOfSeconds(times.start), text: textOf(segments, span) };
};

/** A span that a model named, with its numbers in order; null: one of them is no caption. */
export const spanOf = (segments: readonly SourceSegment[], named: Span): Span | null => {
  if (!isWithin(named.first, segments) || !isWithin(named.last, segments)) return null;
  return named.first <= named.last ? named : { first: named.last, last: named.first };
};

/** Numbers as digits, without the characters that group them. */
const numbersIn = (text: string): readonly string[] =>
  [...text.normalize('NFKC').matchAll(/\d+(?:[.,\u00a0\u202f' ]\d{3})*(?:[.,]\d+)?/g)].map(([number]) =>
    number.replace(/[.,\u00a0\u202f' ]/g, ''),
  );

/** The numbers of a text that its sources do not hold. */
export const foreignNumbers = (text: string, sources: readonly string[]): readonly string[] => {
  const known = new Set(sources.flatMap(numbersIn));
  return [...new Set(numbersIn(text))].filter((number) => !known.has(number));
};

/** Capitalised words within sentences that their source does not hold: names that were made up. */
export const foreignNames = (text: string, source: string): readonly string[] => {
  const known = new Set(wordsOf(source));
  const names = [...text.matchAll(/(?<=[\p{Ll}\p{N},;] )\p{Lu}[\p{L}\p{M}]{2,}/gu)].map(([name]) => name);
  return [...new Set(names)].filter((name) => wordsOf(name).some((word) => !known.has(word)));
};

/** The sentences of a text, with their ends. */
export const sentencesOf = (text: string, language: string | null): readonly string[] =>
  [...textSegments(text, segmenterOf(baseLanguage(language), 'sentence'))].map(({ segment }) => segment);

/** Words; of scripts without spaces, half their characters. */
export const wordCountOf = (text: string): number => {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  const words = text
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, ' ')
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu);
  return (words?.length ?? 0) + Math.ceil(ideographs / 2);
};
