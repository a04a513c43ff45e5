import type { SummaryLength } from '../../contract/operations/summarize.ts';
import type { Source } from '../source.ts';
import { checkCancelled } from './cancellation.ts';
import { centroidOf, dot, sentenceVectors } from './centrality.ts';
import { chapterPassages } from './chapters.ts';
import { type Document, readDocument } from './document.ts';
import { isUnspaced } from './words.ts';

/** Words; where they are written without spaces, pairs of characters. */
export const wordsWanted: Readonly<Record<SummaryLength, readonly [least: number, most: number]>> = {
  short: [60, 90],
  medium: [150, 220],
  detailed: [400, 600],
};

/** Relevance against repetition in maximal marginal relevance. */
const relevance = 0.7;
/** The first sentences of a chapter tell what it is about. */
const leadBonus = 0.15;

type Choice = { readonly sentence: number; readonly chapter: number };

const sizeOf = ({ language, sentences }: Document, sentence: number): number => {
  const passage = sentences[sentence];
  if (passage === undefined) return 0;
  return isUnspaced(language) ? (passage.to - passage.from) / 2 : passage.endToken - passage.firstToken;
};

/** The sentences that start within each chapter. */
const sentencesByChapter = (document: Document): number[][] => {
  const chapters = chapterPassages(document);
  const groups: number[][] = chapters.map(() => []);
  let chapter = 0;
  for (const [at, { firstLine }] of document.sentences.entries()) {
    while (chapter + 1 < chapters.length && firstLine >= (chapters[chapter + 1]?.firstLine ?? 0)) {
      chapter += 1;
    }
    groups[chapter]?.push(at);
  }
  return groups;
};

/** The sentences of one chapter by maximal marginal relevance, the best first. */
const rankedSentences = (document: Document, group: readonly number[], wanted: number): number[] => {
  const vectors = sentenceVectors(document);
  const vectorOf = (at: number) => vectors[at] ?? new Map<string, number>();
  const centroid = centroidOf(group.map(vectorOf));
  const left = new Map(
    group.map((at, place) => {
      checkCancelled();
      const size = sizeOf(document, at);
      const isFragment = size < 6 || size > 60;
      const lead = place < 2 ? leadBonus / (place + 1) : 0;
      return [at, (dot(vectorOf(at), centroid) + lead) * (isFragment ? 0.4 : 1)] as const;
    }),
  );
  const closest = new Map<number, number>();
  const ranked: number[] = [];
  while (left.size > 0 && ranked.length < wanted) {
    checkCancelled();
    let [best, highest] = [-1, Number.NEGATIVE_INFINITY];
    for (const [at, score] of left) {
      const value = relevance * score - (1 - relevance) * (closest.get(at) ?? 0);
      if (value > highest) [best, highest] = [at, value];
    }
    left.delete(best);
    ranked.push(best);
    for (const at of left.keys()) {
      closest.set(at, Math.max(closest.get(at) ?? 0, dot(vectorOf(at), vectorOf(best))));
    }
  }
  return ranked;
};

/** Takes sentences from the chapter of which the least is told yet, until the length is reached. */
const choose = (document: Document, least: number, most: number): Choice[] => {
  const groups = sentencesByChapter(document);
  // The longest summary has some sixty sentences, so the work does not grow with the square of a chapter's length.
  const wanted = Math.ceil(80 / Math.max(1, groups.length)) + 8;
  const queues = groups
    .map((group, chapter) => ({
      chapter,
      total: group.reduce((sum, at) => sum + sizeOf(document, at), 0),
      taken: 0,
      ranked: rankedSentences(document, group, wanted),
    }))
    .filter(({ total }) => total > 0);
  const chosen: Choice[] = [];
  for (let size = 0; size < least; ) {
    const fits = (sentence: number): boolean => size + sizeOf(document, sentence) <= most;
    const [queue] = queues
      .filter(({ ranked }) => ranked.some(fits))
      .toSorted((a, b) => a.taken / a.total - b.taken / b.total || b.total - a.total);
    const sentence = queue?.ranked.find(fits);
    if (queue === undefined || sentence === undefined) break;
    queue.ranked.splice(queue.ranked.indexOf(sentence), 1);
    queue.taken += sizeOf(document, sentence);
    size += sizeOf(document, sentence);
    chosen.push({ sentence, chapter: queue.chapter });
  }
  return chosen.toSorted((a, b) => a.sentence - b.sentence);
};

export type SummaryPart = { readonly chapter: number; readonly text: string };

/** Sentences of the transcript, verbatim and in its order, spread over its chapters; those that are cut end with an ellipsis. */
export const summarySentences = (document: Document, length: SummaryLength): SummaryPart[] => {
  const [least, most] = wordsWanted[length];
  return choose(document, least, most).flatMap(({ sentence, chapter }) => {
    const passage = document.sentences[sentence];
    return passage === undefined
      ? []
      : [{ chapter, text: withEllipsis(document.text.slice(passage.from, passage.to)) }];
  });
};

/** A part of a sentence says by an ellipsis that it goes on; what ends as a sentence stays as it is. */
export const withEllipsis = (text: string): string =>
  /[.!?…。！？｡؟۔।][\p{Pe}\p{Pf}\p{Pi}"'’]*$/u.test(text) ? text : `${text.replace(/[\s,;:、，；：–—-]+$/u, '')}…`;

/** One paragraph; a detailed summary has one for each chapter. Fragments without full stops stand in lines of their own. */
export const extractSummary = (source: Source, { length }: { readonly length: SummaryLength }): string => {
  const document = readDocument(source);
  const parts = summarySentences(document, length);
  if (!document.isPunctuated) return parts.map(({ text }) => text).join('\n');
  const between = isUnspaced(document.language) ? '' : ' ';
  const paragraphs = length === 'detailed' ? [...Map.groupBy(parts, ({ chapter }) => chapter).values()] : [parts];
  return paragraphs.map((paragraph) => paragraph.map(({ text }) => text).join(between)).join('\n\n');
};

export const extract = { file: 'summarize', run: extractSummary };
