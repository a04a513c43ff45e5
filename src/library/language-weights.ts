import type { QueryWord } from '../insights/extractive/search.ts';
import { stopWordsOf } from '../insights/extractive/stop-words.ts';
import { placedWords, stem } from '../insights/extractive/words.ts';

/** What a language keeps that knows no word of a query: one misspelt word is known in none. */
const leastKnown = 0.1;

/**
 * The share of the words of a query that a language knows, as words of grammar or as words of its texts. `isSaid`: whether a
 * text of the library holds a term of this language.
 */
export const knownShare = (query: string, stems: string, isSaid: (term: string) => boolean): number => {
  const stopWords = stopWordsOf(stems);
  const words = placedWords(query, stems).map(({ word }) => word);
  const known = words.filter((word) => stopWords.has(word) || isSaid(stem(word, stems)));
  return leastKnown + (1 - leastKnown) * (known.length / Math.max(1, words.length));
};

/**
 * What a score in one language is multiplied by to compare with those in other languages: how much of the query the language
 * knows, for each unit of what all words of the query could score there. Without it, one word that two languages share decides.
 */
export const languageWeight = (
  known: number,
  words: readonly QueryWord[],
  rarityOf: (term: string) => number,
): number => {
  const all = words.reduce((sum, { term, matches }) => sum + rarityOf(matches[0]?.term ?? term), 0);
  return all === 0 ? 0 : known / all;
};
