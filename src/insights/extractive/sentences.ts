import { checkCancelled } from './cancellation.ts';
import { firstTokenAfter, type Line, lineAt, type Passage, type Token } from './passages.ts';
import { sentenceBreaks } from './words.ts';

/** Abbreviations after which Intl.Segmenter ends a sentence wrongly. Lower case, without the last full stop. */
const abbreviations = new Set(
  `dr mr mrs ms prof st sr jr vs etc e.g i.e u.s u.k u.n no vol fig approx inc ltd co corp gen col capt lt sgt rev hon
  z.b d.h u.a usw bzw ca nr hr fr str abb s.o s.u o.ä dipl ing m mme mlle mm p.ex c.-à-d av env éd sra srta dra ud uds
  p.ej ee.uu núm pág sig sigg dott dott.ssa avv ecc ad.es pag es exmo exma d dna ex dl dna dlui ș.a ş.a nr art`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

const endsInAbbreviation = (text: string): boolean => {
  const [, word = ''] = /(\S+)\.["”»)]*\s*$/u.exec(text.slice(-24)) ?? [];
  const bare = word.toLowerCase().replace(/^[^\p{L}]+/u, '');
  return abbreviations.has(bare) || /^\p{L}$/u.test(bare) || /^(\p{L}\.)+\p{L}$/u.test(bare);
};

const isEnder = /[.!?…。！？｡؟۔।։]/u;

/** Fewer full stops than one in so many words: the text was never punctuated. */
const wordsPerStop = 45;
/** A sentence longer than this is cut by captions. */
const longestSentence = 60;
/** Groups of captions without punctuation: they end at a pause, or where they are long enough. */
const [pauseSeconds, shortestGroup, fullGroup] = [0.7, 6, 22];

type TokenizedTranscript = {
  readonly text: string;
  readonly plain: string;
  readonly lines: readonly Line[];
  readonly tokens: readonly Token[];
  readonly language: string;
};

/** Where sentences start, by their punctuation. */
export const sentenceStarts = (plain: string, language: string): number[] => {
  const starts: number[] = [];
  for (const at of sentenceBreaks(plain, language)) {
    const before = plain.slice(Math.max(0, at - 24), at);
    if (at === 0 || (isEnder.test(before.trimEnd().slice(-4)) && !endsInAbbreviation(before.trimEnd())))
      starts.push(at);
  }
  return starts;
};

/** Whether a text of so many words is punctuated at all. */
export const isWithStops = (words: number, sentences: number): boolean => words < wordsPerStop * sentences;

/** Cuts a stretch without punctuation at captions: at pauses, and where a group has words enough. */
const cutByLines = (read: TokenizedTranscript, from: number, to: number): number[] => {
  const { lines, tokens } = read;
  const starts = [from];
  let line = lineAt(lines, from);
  let counted = firstTokenAfter(tokens, from, 'at');
  for (line += 1; line < lines.length; line += 1) {
    checkCancelled();
    const [last, next] = [lines[line - 1], lines[line]];
    if (last === undefined || next === undefined || next.from >= to) break;
    const before = firstTokenAfter(tokens, next.from, 'at');
    const count = before - counted;
    const isPause = next.start - last.end > pauseSeconds && count >= shortestGroup;
    const left = firstTokenAfter(tokens, to, 'at') - before;
    if (!isPause && (count < fullGroup || left < shortestGroup)) continue;
    starts.push(next.from);
    counted = before;
  }
  return starts;
};

/** The part between two places without the white space around it; null without a word. */
const passage = ({ text, lines, tokens }: TokenizedTranscript, from: number, to: number): Passage | null => {
  const firstToken = firstTokenAfter(tokens, from, 'at');
  const endToken = firstTokenAfter(tokens, to, 'at');
  if (firstToken === endToken) return null;
  const part = text.slice(from, to);
  const start = from + part.length - part.trimStart().length;
  const end = start + part.trim().length;
  const [firstLine, endLine] = [lineAt(lines, start), lineAt(lines, end - 1) + 1];
  return { from: start, to: end, firstLine, endLine, firstToken, endToken };
};

/**
 * The sentences of a transcript, in order, without overlap. By punctuation where there is any; captions without it are
 * grouped by pauses and length.
 */
export const splitSentences = (read: TokenizedTranscript) => {
  const { text, plain, tokens, language } = read;
  const starts = sentenceStarts(plain, language);
  const isPunctuated = isWithStops(tokens.length, starts.length);
  const whole = isPunctuated ? starts : [0];
  const ends = [...whole.slice(1), text.length];
  const sentences = whole.flatMap((from, at) => {
    checkCancelled();
    const to = ends[at] ?? text.length;
    const count = firstTokenAfter(tokens, to, 'at') - firstTokenAfter(tokens, from, 'at');
    const isLong = count > (isPunctuated ? longestSentence : fullGroup);
    const cuts = isLong ? cutByLines(read, from, to) : [from];
    return cuts.flatMap((cut, index) => passage(read, cut, cuts[index + 1] ?? to) ?? []);
  });
  return { sentences, isPunctuated };
};
