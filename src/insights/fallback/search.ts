import { distance } from 'fastest-levenshtein';
import {
  bm25,
  fuseRankings,
  idf,
  indexTerms,
  ranking,
  type TermIndex,
  type WeightedTerm,
} from './bm25.ts';
import { type Document, excerptOf, oncePerDocument, readDocument, tokensIn } from './document.ts';
import type { Passage } from './passages.ts';
import type { Excerpt, Source } from './source.ts';
import { stopWordsOf } from './stop-words.ts';
import { longestWindow, windowsIn } from './windows.ts';
import { placedWords, stem } from './words.ts';

/** Vectors of the query and of each window of `windowsOf`, in its order, from one embedding model. */
export type Embeddings = {
  readonly query: readonly number[];
  readonly windows: readonly (readonly number[])[];
};

export type Hit = Excerpt & { readonly score: number };

type SearchIndex = {
  readonly windows: readonly Passage[];
  readonly byTerm: TermIndex;
  readonly byWord: TermIndex;
  /** The terms of each window in their order, for phrases. */
  readonly termsOf: readonly (readonly string[])[];
  /** Each word of the video with its term, for correcting typing errors. */
  readonly vocabulary: ReadonlyMap<string, string>;
};

export const searchIndexOf = oncePerDocument((document: Document): SearchIndex => {
  const windows = windowsIn(document);
  const tokens = windows.map((window) => tokensIn(document, window));
  const termsOf = tokens.map((each) => each.map(({ term }) => term));
  const wordsOf = tokens.map((each) => each.map(({ word, term }) => (term === '' ? '' : word)));
  const vocabulary = new Map<string, string>();
  for (const { word, term } of document.tokens) if (term !== '') vocabulary.set(word, term);
  const [byTerm, byWord] = [indexTerms(termsOf), indexTerms(wordsOf)];
  return { windows, byTerm, byWord, termsOf, vocabulary };
});

export type QueryWord = {
  readonly word: string;
  readonly term: string;
  /** What is looked for: the term itself, or terms of the video that resemble it. */
  readonly matches: readonly WeightedTerm[];
};

/** The words of a query that carry a topic, corrected against the words of the video. */
export const readQuery = (document: Document, query: string): QueryWord[] => {
  const { language } = document;
  const index = searchIndexOf(document);
  const stopWords = stopWordsOf(language);
  const asked = [...placedWords(query, language)].map(({ word }) => word);
  const content = asked.filter((word) => !stopWords.has(word));
  const wanted = content.length > 0 ? content : [];
  return [...new Set(wanted)].map((word) => {
    const term = stem(word, language);
    return { word, term, matches: matchesOf(index, word, term) };
  });
};

const matchesOf = (
  { byTerm, vocabulary }: SearchIndex,
  word: string,
  term: string,
): WeightedTerm[] => {
  if (byTerm.postings.has(term)) return [{ term, weight: 1 }];
  const allowed = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
  if (allowed === 0) return [];
  const near = new Map<string, number>();
  for (const [known, knownTerm] of vocabulary) {
    if (Math.abs(known.length - word.length) > allowed || known.length < 3) continue;
    const apart = distance(word, known);
    if (apart > allowed) continue;
    const weight = 1 / (1 + apart * 0.3);
    if (weight > (near.get(knownTerm) ?? 0)) near.set(knownTerm, weight);
  }
  const best = Math.max(0, ...near.values());
  return [...near]
    .filter(([, weight]) => weight >= best)
    .slice(0, 3)
    .map(([each, weight]) => ({ term: each, weight }));
};

/** Rare words that follow each other in the query and near each other in the window. */
const phraseScores = ({ termsOf, byTerm }: SearchIndex, query: readonly QueryWord[]) => {
  const scores = new Float64Array(termsOf.length);
  const pairs = query.slice(1).flatMap((second, at) => {
    const [a, b] = [query[at]?.matches[0], second.matches[0]];
    return a === undefined || b === undefined || a.term === b.term
      ? []
      : [[a.term, b.term] as const];
  });
  for (const [a, b] of pairs) {
    const weight = idf(byTerm, a) + idf(byTerm, b);
    const list = byTerm.postings.get(a) ?? [];
    for (let at = 0; at < list.length; at += 2) {
      const window = list[at] ?? 0;
      const terms = termsOf[window] ?? [];
      const isNear = terms.some(
        (term, place) => term === a && terms.slice(place + 1, place + 4).includes(b),
      );
      if (isNear) scores[window] = (scores[window] ?? 0) + weight;
    }
  }
  return scores;
};

const cosine = (a: readonly number[], b: readonly number[]): number => {
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    dot += value * other;
    lengthA += value * value;
    lengthB += other * other;
  }
  return lengthA === 0 || lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB);
};

/** Windows less alike than this are not found by embeddings alone. */
const leastCosine = 0.2;

const embeddingScores = (size: number, { query, windows }: Embeddings): Float64Array =>
  Float64Array.from({ length: size }, (_, at) => {
    const alike = cosine(query, windows[at] ?? []);
    return alike >= leastCosine ? alike : 0;
  });

/** Share of the query, weighed by rarity, that a window has. */
export const coverage = (
  { byTerm, termsOf }: SearchIndex,
  query: readonly QueryWord[],
  window: number,
): number => {
  const terms = new Set(termsOf[window]);
  let [found, all] = [0, 0];
  for (const { matches, term } of query) {
    const rarity = matches[0] === undefined ? idf(byTerm, term) : idf(byTerm, matches[0].term);
    all += rarity;
    const weight = matches.find((each) => terms.has(each.term))?.weight ?? 0;
    found += rarity * weight;
  }
  return all === 0 ? 0 : found / all;
};

export type RankedWindow = { readonly window: number; readonly score: number };

/** Windows by their fused score, the best first; those that mostly repeat a better one are left out. */
export const rankWindows = (
  document: Document,
  query: readonly QueryWord[],
  embeddings: Embeddings | undefined,
  limit: number,
): RankedWindow[] => {
  const index = searchIndexOf(document);
  const size = index.windows.length;
  const stems = query.flatMap(({ matches }) => matches);
  const exact = query.map(({ word }) => ({ term: word, weight: 1 }));
  const lexical = bm25(index.byTerm, stems);
  const lists = [
    { scores: lexical, weight: 2 },
    { scores: bm25(index.byWord, exact), weight: 0.5 },
    { scores: phraseScores(index, query), weight: 0.5 },
    ...(embeddings === undefined ? [] : [{ scores: embeddingScores(size, embeddings), weight: 2 }]),
  ];
  const fused = fuseRankings(
    size,
    lists.map(({ scores, weight }) => ({ ranked: ranking(scores), weight })),
  );
  const best = lists.reduce((sum, { weight }) => sum + weight / 61, 0);
  const chosen: RankedWindow[] = [];
  for (const window of ranking(fused)) {
    if (chosen.length >= limit) break;
    const passage = index.windows[window];
    const isRepeat = chosen.some((each) => overlap(index.windows[each.window], passage) > 0.34);
    if (!isRepeat) chosen.push({ window, score: (fused[window] ?? 0) / best });
  }
  return chosen;
};

/** Share of the shorter passage that the other one covers. */
const overlap = (a: Passage | undefined, b: Passage | undefined): number => {
  if (a === undefined || b === undefined) return 0;
  const shared = Math.min(a.to, b.to) - Math.max(a.from, b.from);
  return Math.max(0, shared) / Math.max(1, Math.min(a.to - a.from, b.to - b.from));
};

/** A single caption may last longer than a hit may. */
export const asHit = (excerpt: Excerpt): Excerpt => ({
  ...excerpt,
  end: Math.min(excerpt.end, excerpt.start + longestWindow),
});

/** The passages that answer a query best, by falling score between 0 and 1. Empty where no word of it is said. */
export const searchTranscript = (
  source: Source,
  {
    query,
    limit,
    embeddings,
  }: {
    readonly query: string;
    readonly limit: number;
    readonly embeddings?: Embeddings | undefined;
  },
): Hit[] => {
  const document = readDocument(source);
  const { windows } = searchIndexOf(document);
  const found = rankWindows(document, readQuery(document, query), embeddings, limit);
  return found.flatMap(({ window, score }) => {
    const passage = windows[window];
    if (passage === undefined) return [];
    return [{ ...asHit(excerptOf(document, passage)), score: Math.round(score * 1e4) / 1e4 }];
  });
};
