import type { EmbedTexts } from '../insights/embed-texts.ts';
import { rarityOf } from '../insights/extractive/bm25.ts';
import { impactUnit, shownPassage } from '../insights/extractive/passage-index.ts';
import { countBefore } from '../insights/extractive/passages.ts';
import { mostComparedWords, type QueryWord, readQueryAgainst, topicWords } from '../insights/extractive/search.ts';
import type { Call } from '../kernel/call.ts';
import { invalidRequest } from '../kernel/refusal.ts';
import { knownShare, languageWeight } from './language-weights.ts';
import { type LibraryFilter, type LibraryStore, type SearchedLanguage, termOf } from './library-store.ts';
import { bestPassages, eachPosting, type StoredPostings } from './postings.ts';
import { type Candidate, holdsPhrase, type Meaning, type RankedPassage, rankPassages } from './rank-passages.ts';
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
    const stored = await store.postings(accountId, [...new Set([...terms.map(({ term }) => term), ...excluded])]);
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
    const candidates = found
      .map((each): Candidate => ({ ...each, text: shownPassage(each.text), lexical: scores.get(each.passage) ?? 0 }))
      .filter(({ text, stems }) => fits(asked, text, stems));
    const meaning = await meaningOf({ store, embed }, call, asked.text, candidates);
    const wordsOf = new Map([...queries].map(([stems, { words }]) => [stems, words]));
    return rankPassages(candidates, { queries: wordsOf, rarity, meaning, limit });
  };

const tooCommon = () => {
  const message = 'The query holds only words that every text has, such as "the" or "and". Say what it is about.';
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
  const isFiltered = Object.values(filter).some((value) => value !== null);
  if (!isFiltered) return (passage) => !barred.has(passage);
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
