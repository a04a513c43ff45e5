import type { Clip } from '../../contract/operations/clips.ts';
import { clipLimits } from '../../contract/passage-limits.ts';
import { type Source, timestampOfSeconds } from '../source.ts';
import { checkCancelled } from './cancellation.ts';
import { chapterPassages } from './chapters.ts';
import { type Document, excerptOf, readDocument } from './document.ts';
import { keyPhrases, spreadOf, type TermSpread } from './key-phrases.ts';
import { areApart, lineAt, linesOf, type Passage, timeOf } from './passages.ts';
import { rankedQuotes, traitsOf } from './quotes.ts';
import { say } from './templates.ts';
import { plainTitle } from './titles.ts';

const { most, shortestS, longestS } = clipLimits;
/** Seconds. */
const wanted = 35;

/**
 * Grows from a sentence by whole sentences until it is long enough to stand alone: one sentence before it leads up to
 * it, the others follow. It leaves its chapter only where that is too short for a clip.
 */
const around = (document: Document, sentence: number): Passage | null => {
  const { sentences } = document;
  const passageOf = (from: number, to: number): Passage | null => {
    const [start, end] = [sentences[from], sentences[to]];
    return start === undefined || end === undefined ? null : linesOf(document, start.firstLine, end.endLine);
  };
  const secondsOf = (passage: Passage | null): number => {
    if (passage === null) return Number.POSITIVE_INFINITY;
    const { start, end } = timeOf(document, passage);
    return end - start;
  };
  const chapter = chapterPassages(document).find(({ endLine }) => (sentences[sentence]?.firstLine ?? 0) < endLine);
  const isInside = (passage: Passage | null): boolean =>
    passage !== null && passage.firstLine >= (chapter?.firstLine ?? 0) && passage.endLine <= (chapter?.endLine ?? 0);
  let [first, last] = [sentence, sentence];
  let passage = passageOf(first, last);
  const lead = passageOf(first - 1, last);
  if (secondsOf(lead) <= wanted && isInside(lead)) [first, passage] = [first - 1, lead];
  const mayBe = (longer: Passage | null): boolean =>
    secondsOf(longer) <= longestS && (isInside(longer) || secondsOf(passage) < shortestS);
  while (secondsOf(passage) < wanted) {
    checkCancelled();
    const after = passageOf(first, last + 1);
    const before = passageOf(first - 1, last);
    if (mayBe(after)) [last, passage] = [last + 1, after];
    else if (mayBe(before)) [first, passage] = [first - 1, before];
    else break;
  }
  const seconds = secondsOf(passage);
  return seconds >= shortestS && seconds <= longestS ? passage : null;
};

/** The sentence that a clip opens with, or its first caption where no sentence starts there. */
const openingOf = (document: Document, { firstLine, from, to }: Passage): string => {
  const sentence = document.sentences.find((each) => each.from >= from && each.to <= to);
  const line = document.lines[firstLine];
  const first = sentence !== undefined && lineAt(document.lines, sentence.from) === firstLine;
  return first ? document.text.slice(sentence.from, sentence.to) : document.text.slice(line?.from ?? 0, line?.to ?? 0);
};

/** Why a quote makes a clip, the strongest reason first. */
const reasons = [
  ['isQuestion', 'whyQuestion'],
  ['hasNumber', 'whyNumber'],
  ['hasContrast', 'whyContrast'],
  ['isPersonal', 'whyPersonal'],
] as const;

const labelled = (document: Document, clip: Passage, quote: Passage, spread: TermSpread): Clip => {
  const { language } = document;
  const [phrase] = keyPhrases(document, clip, spread);
  const label = plainTitle(phrase ?? '') || say('video', language);
  const traits = traitsOf(document, quote);
  const [, why] = reasons.find(([trait]) => traits[trait]) ?? [null, 'whyTopic'];
  const excerpt = excerptOf(document, clip);
  return {
    ...excerpt,
    end_timestamp: timestampOfSeconds(excerpt.end),
    opening_line: openingOf(document, clip),
    label,
    why: say(why, language, { topic: label }),
  };
};

/** Passages around the best quotes, without overlap, in the order of the video. */
export const extractClips = (source: Source): Clip[] => {
  const document = readDocument(source);
  const at = new Map(document.sentences.map((sentence, index) => [sentence, index] as const));
  const chosen: { clip: Passage; quote: Passage }[] = [];
  for (const quote of rankedQuotes(document).slice(0, 200)) {
    checkCancelled();
    if (chosen.length >= most) break;
    const clip = around(document, at.get(quote) ?? 0);
    if (clip === null) continue;
    if (chosen.every((other) => areApart(document, other.clip, clip))) chosen.push({ clip, quote });
  }
  const spread = spreadOf(document, chapterPassages(document));
  return chosen
    .toSorted((a, b) => a.clip.from - b.clip.from)
    .map(({ clip, quote }) => labelled(document, clip, quote, spread));
};

export const extract = { file: 'clips', run: extractClips };
