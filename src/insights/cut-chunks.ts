import type { Segment } from '../extraction/captions/caption-track.ts';
import { baseLanguage } from '../kernel/languages.ts';
import { type CountTokens, piecesOf, type WordCounter, wordsOf } from '../transcripts/tokens.ts';
import { checkCancelled } from './extractive/cancellation.ts';
import { isWithStops, sentenceStarts } from './extractive/sentences.ts';
import { isUnspaced } from './extractive/words.ts';

type ChunkLine = Pick<Segment, 'text' | 'startMs' | 'endMs'>;

export type ChunkLengths = {
  /** Tokens of a chunk, at most. */
  readonly maxTokens: number;
  /** Tokens of the sentences that a chunk has in common with the one before it, at most. */
  readonly overlap: number;
};

/** A chunk before it has an address: its text, and its characters in the whole text. */
export type CutChunk = {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly tokens: number;
};

/** A word, or the part of one that belongs to a sentence: chunks are joined of these by spaces. */
type Unit = { readonly text: string; readonly line: number; readonly sentence: number };

/** The words of all lines with their sentences. In scripts without spaces a sentence can begin within a word. */
const unitsOf = (lines: readonly ChunkLine[], language: string): Unit[] => {
  const words = lines.map(({ text }) => wordsOf(text));
  const text = words.flat().join(' ');
  const starts = sentenceStarts(text, language);
  const count = isUnspaced(language) ? text.length / 2 : words.reduce((sum, { length }) => sum + length, 0);
  const isPunctuated = isWithStops(count, starts.length);
  const units: Unit[] = [];
  let [at, sentence] = [0, 0];
  const startAfter = (): number => starts[sentence + 1] ?? Number.POSITIVE_INFINITY;
  for (const [line, said] of words.entries()) {
    checkCancelled();
    for (const word of said) {
      const end = at + word.length;
      while (startAfter() <= at) sentence += 1;
      let begin = at;
      for (; isPunctuated && startAfter() < end; sentence += 1) {
        units.push({ text: text.slice(begin, startAfter()), line, sentence });
        begin = startAfter();
      }
      const part = begin === at ? word : text.slice(begin, end);
      units.push({ text: part, line, sentence: isPunctuated ? sentence : line });
      at = end + 1;
    }
  }
  return units;
};

/** Bytes of a UTF-16 code unit, at most: no vocabulary makes more tokens of it. */
const mostTokensOfUnit = 3;

type Counted = {
  readonly units: readonly Unit[];
  /** The tokens of all units before one, each behind a space. */
  readonly sums: readonly number[];
  readonly alone: CountTokens;
};

/** Counts the units; those that no chunk can hold are divided. */
const counted = async (units: readonly Unit[], maxTokens: number, counter: WordCounter): Promise<Counted> => {
  const { after, alone } = await counter.countAll(units.map(({ text }) => text));
  const isTooLong = (at: number): boolean => (after[at] ?? 0) >= maxTokens;
  if (units.some((_, at) => isTooLong(at))) {
    const most = Math.floor((maxTokens - 1) / mostTokensOfUnit);
    const cut = units.flatMap((unit, at) =>
      isTooLong(at) ? piecesOf(unit.text, most).map((text) => ({ ...unit, text })) : [unit],
    );
    return await counted(cut, maxTokens, counter);
  }
  const sums = [0];
  for (const tokens of after) sums.push((sums.at(-1) ?? 0) + tokens);
  const known = new Map<string, number>();
  const tokensAlone = (word: string): number => {
    const tokens = known.get(word) ?? alone(word);
    known.set(word, tokens);
    return tokens;
  };
  return { units, sums, alone: tokensAlone };
};

/** Units from one to before another. */
type Span = { readonly from: number; readonly to: number };

/** The tokens of units that are joined by spaces. */
const sizeOf = ({ units, sums, alone }: Counted, { from, to }: Span): number => {
  const first = (sums[from + 1] ?? 0) - (sums[from] ?? 0);
  return (sums[to] ?? 0) - (sums[from] ?? 0) - first + alone(units[from]?.text ?? '');
};

/** Runs of units that have something in common. */
const runsOf = (units: readonly Unit[], { from, to }: Span, isSame: (a: Unit, b: Unit) => boolean): Span[] => {
  const runs: Span[] = [];
  let start = from;
  for (let at = from + 1; at <= to; at += 1) {
    const [last, next] = [units[at - 1], units[at]];
    if (at < to && last !== undefined && next !== undefined && isSame(last, next)) continue;
    runs.push({ from: start, to: at });
    start = at;
  }
  return from < to ? runs : [];
};

/** As many of neighbouring spans together as fit. */
const joinedWithin = (text: Counted, spans: readonly Span[], maxTokens: number): Span[] => {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    const both = last === undefined ? null : { from: last.from, to: span.to };
    if (both !== null && sizeOf(text, both) <= maxTokens) joined[joined.length - 1] = both;
    else joined.push(span);
  }
  return joined;
};

/** The sentences; one that no chunk can hold is divided at lines, and a line of that length at words. */
const sentencesOf = (text: Counted, maxTokens: number): Span[] => {
  const { units } = text;
  const whole = runsOf(units, { from: 0, to: units.length }, (a, b) => a.sentence === b.sentence);
  return whole.flatMap((sentence) => {
    checkCancelled();
    if (sizeOf(text, sentence) <= maxTokens) return [sentence];
    const lines = runsOf(units, sentence, (a, b) => a.line === b.line);
    const parts = lines.flatMap((line) =>
      sizeOf(text, line) <= maxTokens
        ? [line]
        : joinedWithin(
            text,
            runsOf(units, line, () => false),
            maxTokens,
          ),
    );
    return joinedWithin(text, parts, maxTokens);
  });
};

/** Chunks of sentences of one chapter: each begins with the last sentences of the one before, as far as the overlap allows. */
const chunksOf = (text: Counted, sentences: readonly Span[], { maxTokens, overlap }: ChunkLengths): Span[] => {
  const spanOf = (first: number, last: number): Span => ({
    from: sentences[first]?.from ?? 0,
    to: sentences[last]?.to ?? 0,
  });
  const chunks: Span[] = [];
  let first = 0;
  for (let at = 1; at < sentences.length; at += 1) {
    if (sizeOf(text, spanOf(first, at)) <= maxTokens) continue;
    chunks.push(spanOf(first, at - 1));
    let next = at;
    while (
      next - 1 > first &&
      sizeOf(text, spanOf(next - 1, at - 1)) <= overlap &&
      sizeOf(text, spanOf(next - 1, at)) <= maxTokens
    )
      next -= 1;
    first = next;
  }
  if (sentences.length > 0) chunks.push(spanOf(first, sentences.length - 1));
  return chunks;
};

/** Sentences by the chapter in whose seconds they begin. */
const byChapter = (
  sentences: readonly Span[],
  startOf: (span: Span) => number,
  startsS: readonly number[],
): Span[][] => {
  const groups: Span[][] = [[]];
  let next = 0;
  for (const sentence of sentences) {
    const second = Math.floor(startOf(sentence) / 1_000);
    let isNew = false;
    for (; Math.floor(startsS[next] ?? Number.POSITIVE_INFINITY) <= second; next += 1) isNew = true;
    if (isNew) groups.push([]);
    groups.at(-1)?.push(sentence);
  }
  return groups;
};

/**
 * Cuts captions into chunks of whole sentences; where nothing is punctuated, of whole lines. `chapterStartsS`: rising
 * seconds, over which no chunk goes; none: sentences alone decide.
 */
export const cutChunks = async (
  lines: readonly ChunkLine[],
  language: string | null,
  lengths: ChunkLengths & { readonly chapterStartsS: readonly number[] },
  counter: WordCounter,
): Promise<CutChunk[]> => {
  const text = await counted(unitsOf(lines, baseLanguage(language)), lengths.maxTokens, counter);
  const { units } = text;
  const places = [0];
  for (const unit of units) places.push((places.at(-1) ?? 0) + unit.text.length + 1);
  const lineAt = (unit: number): ChunkLine | undefined => lines[units[unit]?.line ?? 0];
  const startOf = ({ from }: Span): number => lineAt(from)?.startMs ?? 0;
  const endOf = ({ from, to }: Span): number => {
    const spoken = lines.slice(units[from]?.line ?? 0, (units[to - 1]?.line ?? 0) + 1);
    return spoken.reduce((end, { endMs }) => Math.max(end, endMs), 0);
  };
  return byChapter(sentencesOf(text, lengths.maxTokens), startOf, lengths.chapterStartsS)
    .flatMap((group) => chunksOf(text, group, lengths))
    .map((chunk) => ({
      from: places[chunk.from] ?? 0,
      to: (places[chunk.to] ?? 1) - 1,
      text: units
        .slice(chunk.from, chunk.to)
        .map((unit) => unit.text)
        .join(' '),
      startMs: startOf(chunk),
      endMs: endOf(chunk),
      tokens: sizeOf(text, chunk),
    }));
};
