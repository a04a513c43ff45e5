import { memoizeByObject } from '../../kernel/memoize.ts';
import { type Excerpt, type Source, timestampOfSeconds } from '../source.ts';
import { detectLanguage } from './detect-language.ts';
import { type Line, type Passage, type Token, timeOf } from './passages.ts';
import { splitSentences } from './sentences.ts';
import { stopWordsOf } from './stop-words.ts';
import { placedWords, stem } from './words.ts';

export type Document = {
  readonly language: string;
  /** The captions in one line, verbatim but for white space. */
  readonly text: string;
  readonly lines: readonly Line[];
  readonly tokens: readonly Token[];
  readonly sentences: readonly Passage[];
  /** Automatic captions often have no full stops; their sentences are groups of captions. */
  readonly isPunctuated: boolean;
};

/** What is written but not said: markup, marks of direction, and cues such as [Music]. */
const unspoken =
  /<\/?[a-z][^<>]{0,200}>|\{\\[^{}]{0,80}\}|\[[^[\]]{0,60}\]|[♩-♬\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/giu;

const joined = ({ segments }: Source): { text: string; lines: Line[] } => {
  const parts: string[] = [];
  const lines: Line[] = [];
  let length = 0;
  for (const { text, start, duration } of segments) {
    const shown = text.replace(/\s+/gu, ' ').trim();
    if (shown === '') continue;
    if (parts.length > 0) length += 1;
    // Whole milliseconds: 16.35 + 36.15 is not 52.5 in binary fractions.
    const end = Math.round((start + Math.max(0, duration)) * 1000) / 1000;
    lines.push({ from: length, to: length + shown.length, start, end });
    parts.push(shown);
    length += shown.length;
  }
  return { text: parts.join(' '), lines };
};

const tokensOf = (plain: string, lines: readonly Line[], language: string): Token[] => {
  const stopWords = stopWordsOf(language);
  const tokens: Token[] = [];
  for (const [line, { from, to }] of lines.entries()) {
    for (const { word, at, end } of placedWords(plain.slice(from, to), language)) {
      const term = stopWords.has(word) ? '' : stem(word, language);
      tokens.push({ word, term, at: from + at, end: from + end, line });
    }
  }
  return tokens;
};

const read = (source: Source): Document => {
  const { text, lines } = joined(source);
  const plain = text.replace(unspoken, (mark) => ' '.repeat(mark.length));
  const language = detectLanguage(source.language, plain);
  const tokens = tokensOf(plain, lines, language);
  return { language, text, lines, tokens, ...splitSentences({ text, plain, lines, tokens, language }) };
};

/** A source is one object for all the operations on one extraction: its index is built once for all searches. */
export const readDocument = memoizeByObject(read);

/** From the first token of a passage to its last. */
export const tokensIn = ({ tokens }: Document, { firstToken, endToken }: Passage): Token[] =>
  tokens.slice(firstToken, endToken);

/** How often each term is said in a passage, in the order of the first. */
export const termCounts = (document: Document, passage: Passage): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { term } of tokensIn(document, passage)) if (term !== '') counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
};

/** The text of a passage as in the captions, with its times in seconds. */
export const excerptOf = (document: Document, passage: Passage): Excerpt => {
  const { start, end } = timeOf(document, passage);
  const timestamp = timestampOfSeconds(start);
  return { start, end, timestamp, text: document.text.slice(passage.from, passage.to) };
};
