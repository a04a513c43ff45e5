import { fuseRankings, ranking } from '../insights/extractive/bm25.ts';
import { cosine, leastCosine, type QueryWord } from '../insights/extractive/search.ts';
import { stopWordsOf } from '../insights/extractive/stop-words.ts';
import { placedWords, stem } from '../insights/extractive/words.ts';
import type { FoundPassage } from './library-store.ts';

/** Words of a passage, and their terms; that of a word of grammar is empty. */
export type PassageWords = { readonly words: readonly string[]; readonly terms: readonly string[] };

/** A passage that was found by its words. `lexical`: its score by them. */
export type Candidate = FoundPassage & { readonly read: PassageWords; readonly lexical: number };

/** What candidates are ranked by besides their words. */
export type Meaning = {
  readonly query: readonly number[];
  /** By passage; one without a vector counts by its words alone. */
  readonly passages: ReadonlyMap<number, readonly number[]>;
};

export type RankOptions = {
  /** The words of the query as each language reads them. */
  readonly queries: ReadonlyMap<string, readonly QueryWord[]>;
  /** How rare a term is in the library. */
  readonly rarity: (stems: string, term: string) => number;
  readonly meaning: Meaning | null;
  readonly limit: number;
};

export type RankedPassage = { readonly candidate: Candidate; readonly score: number };

/** The weights of a search over one video, see `rankWindows`. */
const weights = { lexical: 2, exact: 0.2, near: 0.3, meaning: 2 } as const;
const rankOffset = 61;

/**
 * The best candidates by their fused score, between 0 and 1; a passage that mostly repeats a better one of the same captions is
 * left out. The ranking is that of a search over one video.
 */
export const rankPassages = (candidates: readonly Candidate[], options: RankOptions): RankedPassage[] => {
  const { meaning, limit } = options;
  const lists = [
    { weight: weights.lexical, scores: Float64Array.from(candidates, ({ lexical }) => lexical) },
    { weight: weights.exact, scores: Float64Array.from(candidates, (each) => exactScore(each, options)) },
    { weight: weights.near, scores: Float64Array.from(candidates, (each) => nearScore(each, options)) },
    ...(meaning === null
      ? []
      : [{ weight: weights.meaning, scores: Float64Array.from(candidates, (each) => likeness(each, meaning)) }]),
  ];
  const fused = fuseRankings(
    candidates.length,
    lists.map(({ scores, weight }) => ({ ranked: ranking(scores), weight })),
  );
  const most = lists.reduce((sum, { weight }) => sum + weight / rankOffset, 0);
  const chosen: RankedPassage[] = [];
  for (const at of ranking(fused)) {
    const candidate = candidates[at];
    if (candidate === undefined || chosen.length >= limit) break;
    if (chosen.some((each) => repeats(each.candidate, candidate))) continue;
    chosen.push({ candidate, score: (fused[at] ?? 0) / most });
  }
  return chosen;
};

/** Reads the words of a passage. */
export const wordsOf = ({ text, stems }: Pick<Candidate, 'text' | 'stems'>): PassageWords => {
  const stopWords = stopWordsOf(stems);
  const words = placedWords(text, stems).map(({ word }) => word);
  return { words, terms: words.map((word) => (stopWords.has(word) ? '' : stem(word, stems))) };
};

/** Words of the query as they are written, by their rarity. */
const exactScore = (
  { stems, read }: Candidate,
  { queries, rarity }: Pick<RankOptions, 'queries' | 'rarity'>,
): number => {
  const rarities = new Map(queries.get(stems)?.map(({ word, term }) => [word, rarity(stems, term)]));
  return read.words.reduce((sum, word) => sum + (rarities.get(word) ?? 0), 0);
};

/** Words that follow each other in the query and stand near each other in the passage, by their rarity. */
const nearScore = (
  { stems, read: { terms } }: Candidate,
  { queries, rarity }: Pick<RankOptions, 'queries' | 'rarity'>,
): number => {
  const query = queries.get(stems) ?? [];
  return query.slice(1).reduce((sum, second, at) => {
    const [a, b] = [query[at]?.matches[0]?.term, second.matches[0]?.term];
    if (a === undefined || b === undefined || a === b) return sum;
    const isNear = terms.some((term, place) => term === a && terms.slice(place + 1, place + 4).includes(b));
    return isNear ? sum + rarity(stems, a) + rarity(stems, b) : sum;
  }, 0);
};

const likeness = ({ passage }: Candidate, { query, passages }: Meaning): number => {
  const vector = passages.get(passage);
  // A vector of another width is of another model.
  if (vector === undefined || vector.length !== query.length) return 0;
  const alike = cosine(query, vector);
  return alike >= leastCosine ? alike : 0;
};

/** Whether one passage covers more than a third of the shorter of the two. */
const repeats = (a: FoundPassage, b: FoundPassage): boolean => {
  if (a.videoId !== b.videoId || a.version !== b.version) return false;
  const shared = Math.min(a.from + a.length, b.from + b.length) - Math.max(a.from, b.from);
  return shared > 0.34 * Math.max(1, Math.min(a.length, b.length));
};

/** Whether the words of a phrase stand in a text one after the other. */
export const holdsPhrase = (text: string, phrase: string, stems: string): boolean => {
  const sought = placedWords(phrase, stems).map(({ word }) => word);
  const words = placedWords(text, stems).map(({ word }) => word);
  return (
    sought.length > 0 &&
    words.some((_, at) => at + sought.length <= words.length && sought.every((word, next) => words[at + next] === word))
  );
};
