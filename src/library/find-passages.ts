import type { EmbedTexts } from '../insights/embed-texts.ts';
import { rarityOf, saturation } from '../insights/extractive/bm25.ts';
import { impactUnit, shownPassage } from '../insights/extractive/passage-index.ts';
import { countBefore } from '../insights/extractive/passages.ts';
import { mostComparedWords, type QueryWord, readQueryAgainst, topicWords } from '../insights/extractive/search.ts';
import type { Call } from '../kernel/call.ts';
import { invalidRequest } from '../kernel/refusal.ts';
import { knownShare, languageWeight } from './language-weights.ts';
import {
  type FoundPassage,
  type LibraryFilter,
  type LibraryStore,
  type SearchedLanguage,
  termOf,
} from './library-store.ts';
import { bestPassages, eachPosting, heldPassages, type StoredPostings, type TermWeights } from './postings.ts';
import {
  type Candidate,
  holdsPhrase,
  type Meaning,
  type PassageWords,
  type RankedPassage,
  rankPassages,
  wordsOf,
} from './rank-passages.ts';
import { type LibraryQuery, readSearchQuery } from './read-search-query.ts';

export type FindDeps = { readonly store: LibraryStore; readonly embed: EmbedTexts };

export type FindInput = {
  readonly query: string;
  readonly limit: number;
  readonly filter: LibraryFilter;
  /** A question in plain words: nothing in it is a phrase or excluded, and one of words of grammar alone finds nothing. */
  readonly isQuestion?: boolean;
};

/** A provider of embeddings that hangs holds a search up so long; words find without it. */
const embedTimeoutMs = 4_000;

/** Passages that are ranked closely, by their words, for each that is asked for. */
const candidatesPerHit = 3;
const leastCandidates = 30;
/** Of candidates for a phrase, most do not hold it. */
const candidatesForPhrases = 300;

/**
 * The passages of a library that answer a query best. Each language of the library reads the query with its own stems and words
 * of grammar. Refuses a query that holds only words of grammar in all of them.
 */
export const findPassages =
  ({ store, embed }: FindDeps) =>
  async (
    call: Pick<Call, 'accountId' | 'signal'>,
    { query, limit, filter, isQuestion = false }: FindInput,
  ): Promise<readonly RankedPassage[]> => {
    const { accountId } = call;
    const asked = isQuestion ? { text: query, phrases: [], excluded: [] } : readSearchQuery(query);
    const languages = await store.languages(accountId);
    if (languages.length === 0) return [];
    const queries = await readQueries(store, accountId, asked, languages);
    if (queries === null && isQuestion) return [];
    if (queries === null) throw tooCommon();
    const terms = [...termsOf(queries)];
    const excluded = excludedTerms(asked, languages);
    const sought = [...new Set([...terms.map(({ term }) => term), ...excluded])];
    const stored = await store.postings(accountId, sought, isFiltered(filter) ? sought : excluded);
    call.signal.throwIfAborted();

    const rarity = weighedRarity(rarityIn(languages, stored), queries);
    const weights = new Map<string, number>();
    for (const { term, stems, weight } of terms) {
      const added = weight * rarity(stems, term.slice(stems.length + 1)) * impactUnit;
      weights.set(term, (weights.get(term) ?? 0) + added);
    }
    const accepts = await acceptance(store, accountId, filter, stored, new Set(excluded));
    const isPhrase = asked.phrases.length > 0 || asked.excluded.some((each) => /\s/.test(each));
    const most = isPhrase ? candidatesForPhrases : Math.max(leastCandidates, candidatesPerHit * limit);
    const best = bestPassages(stored, weights, { limit: most, accepts });
    const scores = new Map(best.map(({ passage, score }) => [passage, score]));
    const found = await store.passages(accountId, [...scores.keys()]);
    const shown = found
      .map((each) => ({ ...each, text: shownPassage(each.text) }))
      .filter(({ text, stems }) => fits(asked, text, stems));
    const beyond = scoresBeyondHeads(
      stored,
      weights,
      shown.map(({ passage }) => passage).toSorted((a, b) => a - b),
    );
    const candidates = shown.map((each): Candidate => {
      const read = wordsOf(each);
      return { ...each, read, lexical: (scores.get(each.passage) ?? 0) + beyond(each, read) };
    });
    const meaning = await meaningOf({ store, embed }, call, asked.text, candidates);
    const readWords = new Map([...queries].map(([stems, { words }]) => [stems, words]));
    return rankPassages(candidates, { queries: readWords, rarity, meaning, limit });
  };

const tooCommon = () => {
  const message =
    'The query has no words to search for, or only common words such as "the" or "and". Add words that say what it is about.';
  return invalidRequest(message, { path: 'q', code: 'too_common' });
};

const fits = ({ phrases, excluded }: LibraryQuery, text: string, stems: string): boolean =>
  phrases.every((phrase) => holdsPhrase(text, phrase, stems)) &&
  !excluded.some((phrase) => holdsPhrase(text, phrase, stems));

/** Relatives and corrections are looked for of so many words of a query; a longer one has enough words as they are written. */
const mostResembled = 12;

/** A query by language: its words, and the share of them that the language knows. */
type ReadQueries = ReadonlyMap<string, { readonly words: readonly QueryWord[]; readonly known: number }>;

/** The words of the query in each language, corrected against the vocabulary of the library; null: words of grammar alone. */
const readQueries = async (
  store: LibraryStore,
  accountId: string,
  { text }: LibraryQuery,
  languages: readonly SearchedLanguage[],
): Promise<ReadQueries | null> => {
  const read = languages.map(({ stems }) => ({
    stems,
    words: topicWords(text, stems)
      .slice(0, mostComparedWords)
      .map(({ word, term }) => ({ stems, word, term })),
  }));
  // One word may be grammar in one language and a topic in another; several are of one language.
  const isGrammar = /\s/u.test(text) && read.some(({ words }) => words.length === 0);
  if (isGrammar || read.every(({ words }) => words.length === 0)) return null;
  const vocabulary = await store.resembling(
    accountId,
    read.flatMap(({ words }) => words.slice(0, mostResembled)),
    read.flatMap(({ words }) => words.slice(mostResembled)),
  );
  const known = new Set(vocabulary);
  return new Map(
    languages.map(({ stems }) => {
      const prefix = termOf(stems, '');
      const words = new Map<string, string>();
      for (const term of vocabulary) {
        if (term.startsWith(prefix)) words.set(term.slice(prefix.length), term.slice(prefix.length));
      }
      const isSaid = (term: string): boolean => known.has(termOf(stems, term));
      const read = readQueryAgainst({ language: stems, isSaid, words }, text);
      return [stems, { words: read, known: knownShare(text, stems, isSaid) }] as const;
    }),
  );
};

type Rarity = (stems: string, term: string) => number;

/** The rarity of terms, such that scores in several languages compare. */
const weighedRarity = (rarity: Rarity, queries: ReadQueries): Rarity => {
  const weights = new Map(
    [...queries].map(([stems, { words, known }]) => [
      stems,
      languageWeight(known, words, (term) => rarity(stems, term)),
    ]),
  );
  return (stems, term) => rarity(stems, term) * (weights.get(stems) ?? 0);
};

function* termsOf(queries: ReadQueries) {
  for (const [stems, { words }] of queries) {
    for (const { matches } of words) {
      for (const { term, weight } of matches) yield { stems, term: termOf(stems, term), weight };
    }
  }
}

/** Terms of single words that may not stand in a passage; phrases are looked for in its text. */
const excludedTerms = ({ excluded }: LibraryQuery, languages: readonly SearchedLanguage[]): string[] =>
  languages.flatMap(({ stems }) =>
    excluded.flatMap((text) => {
      const words = topicWords(text, stems);
      return words.length === 1 ? words.map(({ term }) => termOf(stems, term)) : [];
    }),
  );

const rarityIn = (languages: readonly SearchedLanguage[], stored: readonly StoredPostings[]): Rarity => {
  const sizes = new Map(languages.map(({ stems, passages }) => [stems, passages]));
  const holding = new Map<string, number>();
  for (const { term, passages } of stored) holding.set(term, (holding.get(term) ?? 0) + passages);
  return (stems, term) => {
    const size = sizes.get(stems) ?? 0;
    return rarityOf(Math.min(size, holding.get(termOf(stems, term)) ?? 0), size);
  };
};

/** Few of the passages that add most to a score may be of those that a filter admits. */
const isFiltered = (filter: LibraryFilter): boolean => Object.values(filter).some((value) => value !== null);

/**
 * What terms add to the score of a passage that stands in none of their heads, as if it were of average length. Nearly every
 * passage that a long list leaves out of its head is of that kind.
 */
const scoresBeyondHeads = (
  stored: readonly StoredPostings[],
  weights: TermWeights,
  candidates: readonly number[],
): ((passage: Pick<FoundPassage, 'passage' | 'stems'>, read: PassageWords) => number) => {
  const known = new Map<string, Set<number>>();
  for (const { term, isHead } of stored) if (isHead) known.set(term, new Set());
  const runs = new Set(stored.map(({ run }) => run))
    .values()
    .toArray()
    .toSorted((a, b) => a - b);
  const ofCandidates = new Set(
    candidates.map((passage) => runs[countBefore(runs.length, (at) => (runs[at] ?? 0) <= passage) - 1]),
  );
  for (const one of stored) {
    const within = ofCandidates.has(one.run) ? known.get(one.term) : undefined;
    if (within !== undefined) for (const passage of heldPassages(one, candidates)) within.add(passage);
  }
  return ({ passage, stems }, { terms }) => {
    const prefix = termOf(stems, '');
    const missed = new Map<string, number>();
    for (const [term, within] of known) {
      if (term.startsWith(prefix) && !within.has(passage)) missed.set(term.slice(prefix.length), 0);
    }
    for (const term of terms) {
      const count = missed.get(term);
      if (count !== undefined) missed.set(term, count + 1);
    }
    let sum = 0;
    for (const [term, count] of missed) {
      if (count > 0) sum += (weights.get(termOf(stems, term)) ?? 0) * (saturation(count, 1) / impactUnit);
    }
    return sum;
  };
};

/** Which passages may be found: those that a filter admits and that hold no excluded term. */
const acceptance = async (
  store: LibraryStore,
  accountId: string,
  filter: LibraryFilter,
  stored: readonly StoredPostings[],
  excluded: ReadonlySet<string>,
): Promise<(passage: number) => boolean> => {
  const barred = new Set<number>();
  for (const each of stored) if (excluded.has(each.term)) eachPosting(each, (passage) => barred.add(passage));
  if (!isFiltered(filter)) return (passage) => !barred.has(passage);
  const ranges = await store.admitted(accountId, filter);
  return (passage) => {
    if (barred.has(passage)) return false;
    const after = countBefore(ranges.length, (at) => (ranges[at]?.[0] ?? 0) <= passage);
    return passage < (ranges[after - 1]?.[1] ?? 0);
  };
};

/** Vectors of the query and of the candidates, where a model makes them. What it made is kept for later searches. */
const meaningOf = async (
  { store, embed }: FindDeps,
  { accountId, signal }: Pick<Call, 'accountId' | 'signal'>,
  text: string,
  candidates: readonly Candidate[],
): Promise<Meaning | null> => {
  const options = { caller: accountId, signal, timeoutMs: embedTimeoutMs };
  const query = candidates.length === 0 ? null : await embed([text], options);
  const [vector] = query?.vectors ?? [];
  if (query === null || vector === undefined) return null;
  const ids = candidates.map(({ passage }) => passage);
  const known = new Map(await store.vectors(accountId, query.model, ids));
  const missing = candidates.filter(({ passage }) => known.get(passage)?.length !== vector.length);
  const made =
    missing.length === 0
      ? null
      : await embed(
          missing.map((each) => each.text),
          options,
        );
  if (made !== null) {
    const added = new Map(missing.map(({ passage }, at) => [passage, made.vectors[at] ?? []] as const));
    for (const [passage, each] of added) known.set(passage, each);
    await store.saveVectors(accountId, made.model, added);
  }
  return { query: vector, passages: known };
};
