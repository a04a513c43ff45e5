import { distance } from 'fastest-levenshtein';
import type { Hit, SearchInput } from '../../contract/operations/search.ts';
import { memoizeByObject } from '../../kernel/memoize.ts';
import type { Excerpt, Source } from '../source.ts';
import { bm25, fuseRankings, idf, indexTerms, ranking, type TermIndex, type WeightedTerm } from './bm25.ts';
import { checkCancelled } from './cancellation.ts';
import { type Document, excerptOf, readDocument, tokensIn } from './document.ts';
import type { Passage } from './passages.ts';
import { stopWordsOf } from './stop-words.ts';
import { longestWindow, windowsIn } from './windows.ts';
import { placedWords, stem } from './words.ts';

/** Vectors of the query and of each window of `windowsOf`, in its order, from one embedding model. */
export type Embeddings = { readonly query: readonly number[]; readonly windows: readonly (readonly number[])[] };

type SearchIndex = {
  readonly windows: readonly Passage[];
  readonly byTerm: TermIndex;
  /** The terms of each window in their order, for phrases. */
  readonly termsOf: readonly (readonly string[])[];
  /** Each word of the video with its term, for correcting typing errors. */
  readonly vocabulary: ReadonlyMap<string, string>;
};

export const searchIndexOf = memoizeByObject((document: Document): SearchIndex => {
  const windows = windowsIn(document);
  const termsOf = windows.map((window) => {
    checkCancelled();
    return tokensIn(document, window).map(({ term }) => term);
  });
  const vocabulary = new Map<string, string>();
  for (const { word, term } of document.tokens) if (term !== '') vocabulary.set(word, term);
  return { windows, byTerm: indexTerms(termsOf), termsOf, vocabulary };
});

export type QueryWord = {
  readonly word: string;
  readonly term: string;
  /** Written like a name or a number: the topic hangs on it more than on other words. */
  readonly isName: boolean;
  /** What is looked for: the term itself, or terms of the video that resemble it. */
  readonly matches: readonly WeightedTerm[];
};

/** The polite ending of a question: left on its verb, the two are cut into words that nobody says. */
const japaneseEnding = /(?:でしょう|ました|ません|ます|でした|です)?か[?？。\s]*$/;

/** The words that a query is read against: those of one video, or of many in one language. */
export type Vocabulary = {
  readonly language: string;
  /** Whether a term is said at all. */
  readonly isSaid: (term: string) => boolean;
  /** Words that are said, with their terms: what a word of the query may resemble. */
  readonly words: ReadonlyMap<string, string>;
};

/** A word of a query that carries a topic. */
export type TopicWord = Pick<QueryWord, 'word' | 'term' | 'isName'>;

/** The words of a query that carry a topic, each once; none where it holds only words of grammar. */
export const topicWords = (query: string, language: string): TopicWord[] => {
  const stopWords = stopWordsOf(language);
  const asked = new Map<string, boolean>();
  const asking = language === 'ja' ? query.replace(japaneseEnding, '') : query;
  for (const { word, at, end } of placedWords(asking, language)) {
    if (stopWords.has(word)) continue;
    const isName = at > 0 && /^[\p{Lu}\p{N}\p{Script=Katakana}]/u.test(query.slice(at, end));
    asked.set(word, isName || asked.get(word) === true);
  }
  return [...asked].map(([word, isName]) => ({ word, isName, term: stem(word, language) }));
};

/** The words of a query that carry a topic, corrected against the words that are said. */
export const readQueryAgainst = ({ language, isSaid, words }: Vocabulary, query: string): QueryWord[] => {
  const stopWords = stopWordsOf(language);
  return topicWords(query, language).flatMap(({ word, term, isName }, at) => {
    const isHeard = isSaid(term);
    if (!isHeard && resemblesOneOf(stopWords, word)) return [];
    const asWritten = isHeard ? [{ term, weight: 1 }] : [];
    const matches = at < mostComparedWords ? matchesOf({ isSaid, words }, word, term) : asWritten;
    return [{ word, term, isName, matches }];
  });
};

/** The same against the words of one video. */
export const readQuery = (document: Document, query: string): QueryWord[] => {
  const { byTerm, vocabulary } = searchIndexOf(document);
  const isSaid = (term: string): boolean => byTerm.postings.has(term);
  return readQueryAgainst({ language: document.language, isSaid, words: vocabulary }, query);
};

/** Further words of a query are looked for as they are written: each comparison with the words of a video takes milliseconds. */
export const mostComparedWords = 50;

/** A word of grammar with one typing error must not be taken for a topic. */
const resemblesOneOf = (stopWords: ReadonlySet<string>, word: string): boolean =>
  word.length >= leastShared(word) - 1 &&
  word.length >= 3 &&
  stopWords.values().some((each) => each.length >= 3 && editsWithin(1, each, word) <= 1);

/** Edits between two words; two letters that changed places are one. */
const editsBetween = (a: string, b: string): number => {
  const edits = distance(a, b);
  if (edits !== 2 || a.length !== b.length) return edits;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const isSwap = a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  return isSwap ? 1 : 2;
};

/** The edits between two words whose lengths allow so few; else infinite. */
export const editsWithin = (most: number, a: string, b: string): number =>
  Math.abs(a.length - b.length) > most ? Number.POSITIVE_INFINITY : editsBetween(a, b);

/** Words that differ by typing errors: one in a short word, two in a long one; only the nearest. */
const corrections = (vocabulary: SearchIndex['vocabulary'], word: string, own: string): WeightedTerm[] => {
  const allowed = word.length >= 7 ? 2 : word.length >= leastShared(word) - 1 ? 1 : 0;
  if (allowed === 0) return [];
  const near = new Map<string, number>();
  for (const [known, term] of vocabulary) {
    checkCancelled();
    if (known.length < 2 || Math.abs(known.length - word.length) > allowed + 2) continue;
    // The query may have another ending than the video, so stems are compared too.
    const apart = Math.min(editsWithin(allowed, word, known), editsWithin(allowed - 1, own, term) + 0.5);
    if (apart <= allowed && apart < (near.get(term) ?? allowed + 1)) near.set(term, apart);
  }
  const least = Math.min(...near.values());
  return [...near]
    .filter(([, apart]) => apart === least)
    .slice(0, 3)
    .map(([term]) => ({ term, weight: 1 - 0.15 * least }));
};

/** Letters that both words begin with. */
const sharedPrefix = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

/** The weight in characters of a short word: two of Chinese, Japanese or Korean say as much as five letters. */
export const leastShared = (word: string): number => (/[\u3040-\u9fff\uac00-\ud7a3]/u.test(word) ? 2 : 5);

/** Words of one family that have different stems, and parts of compounds. */
const relatives = (vocabulary: SearchIndex['vocabulary'], word: string, own: string): WeightedTerm[] => {
  const least = leastShared(word);
  if (word.length < least) return [];
  const found = new Map<string, number>();
  for (const [known, term] of vocabulary) {
    checkCancelled();
    if (term === own || known.length < least) continue;
    const shorter = Math.min(known.length, word.length);
    const shared = sharedPrefix(word, known);
    const isPart = shorter >= least && (word.includes(known) || known.includes(word));
    if (!isPart && (shared < least || shared < 0.6 * Math.max(known.length, word.length))) continue;
    const alike = Math.max(shared, isPart ? shorter : 0) / Math.max(known.length, word.length);
    if (alike > (found.get(term) ?? 0)) found.set(term, alike);
  }
  return [...found]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([term, alike]) => ({ term, weight: 0.7 * alike }));
};

const matchesOf = (
  { isSaid, words }: Pick<Vocabulary, 'isSaid' | 'words'>,
  word: string,
  term: string,
): WeightedTerm[] => {
  const exact = isSaid(term) ? [{ term, weight: 1 }] : corrections(words, word, term);
  const taken = new Set(exact.map((each) => each.term));
  return [...exact, ...relatives(words, word, term).filter((each) => !taken.has(each.term))];
};

/** Words of the query as they are written, without regard to stems, by their rarity. */
const exactScores = (
  { tokens }: Document,
  { windows, byTerm }: SearchIndex,
  query: readonly QueryWord[],
): Float64Array => {
  const scores = new Float64Array(windows.length);
  const rarities = new Map(query.map(({ word, term }) => [word, idf(byTerm, term)]));
  let first = 0;
  for (const [at, { word }] of tokens.entries()) {
    checkCancelled();
    const rarity = rarities.get(word);
    if (rarity === undefined) continue;
    while ((windows[first]?.endToken ?? Number.POSITIVE_INFINITY) <= at) first += 1;
    for (let window = first; (windows[window]?.firstToken ?? at + 1) <= at; window += 1) {
      scores[window] = (scores[window] ?? 0) + rarity;
    }
  }
  return scores;
};

/** Rare words that follow each other in the query and near each other in the window. */
const phraseScores = ({ termsOf, byTerm }: SearchIndex, query: readonly QueryWord[]) => {
  const scores = new Float64Array(termsOf.length);
  const pairs = query.slice(1).flatMap((second, at) => {
    const [a, b] = [query[at]?.matches[0], second.matches[0]];
    return a === undefined || b === undefined || a.term === b.term ? [] : [[a.term, b.term] as const];
  });
  for (const [a, b] of pairs) {
    const weight = idf(byTerm, a) + idf(byTerm, b);
    const list = byTerm.postings.get(a) ?? [];
    for (let at = 0; at < list.length; at += 2) {
      checkCancelled();
      const window = list[at] ?? 0;
      const terms = termsOf[window] ?? [];
      const isNear = terms.some((term, place) => term === a && terms.slice(place + 1, place + 4).includes(b));
      if (isNear) scores[window] = (scores[window] ?? 0) + weight;
    }
  }
  return scores;
};

/** How often each window says the words of a query as they are written, words of grammar included. */
const timesSaid = (document: Document, query: string): Float64Array => {
  const words = placedWords(query, document.language).map(({ word }) => word);
  return Float64Array.from(searchIndexOf(document).windows, (window) => {
    checkCancelled();
    const said = tokensIn(document, window);
    const isSaid = (at: number): boolean => words.every((word, n) => said[at + n]?.word === word);
    return said.filter((_, at) => words.length > 0 && isSaid(at)).length;
  });
};

/** The cosine similarity of two vectors, from -1 to 1; 0 for a vector of zeros. */
export const cosine = (a: readonly number[], b: readonly number[]): number => {
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
export const leastCosine = 0.2;

const embeddingScores = (size: number, { query, windows }: Embeddings): Float64Array =>
  Float64Array.from({ length: size }, (_, at) => {
    checkCancelled();
    const alike = cosine(query, windows[at] ?? []);
    return alike >= leastCosine ? alike : 0;
  });

/** A question may say in other words what the video says; a name is said as it is. */
const [nameWeight, unsaidWeight] = [1.5, 0.6];

/** Share of the query, weighed by rarity, that a passage with these terms has. */
export const coverage = (
  { byTerm }: Pick<SearchIndex, 'byTerm'>,
  query: readonly QueryWord[],
  terms: ReadonlySet<string>,
): number => {
  let [found, all] = [0, 0];
  for (const { matches, term, isName } of query) {
    const [match] = matches;
    const usual = match === undefined ? unsaidWeight : 1;
    const rarity = idf(byTerm, match?.term ?? term) * (isName ? nameWeight : usual);
    all += rarity;
    found += rarity * (matches.find((each) => terms.has(each.term))?.weight ?? 0);
  }
  return all === 0 ? 0 : found / all;
};

export type RankedWindow = { readonly window: number; readonly score: number };

/** Windows by their fused score, the best first; those that mostly repeat a better one are left out. */
export const rankWindows = (
  document: Document,
  query: readonly QueryWord[],
  embeddings: Embeddings | null,
  limit: number,
  lexical = bm25(
    searchIndexOf(document).byTerm,
    query.flatMap(({ matches }) => matches),
  ),
): RankedWindow[] => {
  const index = searchIndexOf(document);
  const size = index.windows.length;
  const lists = [
    { scores: lexical, weight: 2 },
    { scores: exactScores(document, index, query), weight: 0.2 },
    { scores: phraseScores(index, query), weight: 0.3 },
    ...(embeddings === null ? [] : [{ scores: embeddingScores(size, embeddings), weight: 2 }]),
  ];
  const fused = fuseRankings(
    size,
    lists.map(({ scores, weight }) => ({ ranked: ranking(scores), weight })),
  );
  const best = lists.reduce((sum, { weight }) => sum + weight / 61, 0);
  const chosen: RankedWindow[] = [];
  for (const window of ranking(fused)) {
    checkCancelled();
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

/** The passages that answer a query best, by falling score between 0 and 1. Empty where nothing of it is said. */
export const searchTranscript = (
  source: Source,
  { query, limit, embeddings = null }: SearchInput & { readonly embeddings?: Embeddings | null },
): Hit[] => {
  const document = readDocument(source);
  const { windows } = searchIndexOf(document);
  const words = readQuery(document, query);
  // Words of grammar alone, such as "of the", carry no topic, but may be what is looked for.
  const lexical = words.length > 0 ? undefined : timesSaid(document, query);
  const found = rankWindows(document, words, embeddings, limit, lexical);
  return found.flatMap(({ window, score }) => {
    const passage = windows[window];
    if (passage === undefined) return [];
    return [{ ...asHit(excerptOf(document, passage)), score: Math.round(score * 1e4) / 1e4 }];
  });
};

export const extract = { file: 'search', run: searchTranscript };
