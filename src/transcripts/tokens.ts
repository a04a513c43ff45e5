import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { elapsedMs } from '../kernel/clock.ts';

/** The tokens of a text for a language model. */
export type CountTokens = (text: string) => number;

/** The port of the tokenizer; the vocabulary is loaded when it is first used. */
export type Tokenizer = { readonly name: string; readonly load: () => Promise<CountTokens> };

/** A longer word is cut before it is counted: the time to count one grows with the square of its length. */
export const longestWord = 256;

/** Work on the event loop stops for other requests after this time. */
const sliceMs = 8;

/** Counts of words that are in many texts. */
const mostWords = 60_000;

export type WordCounter = {
  /** The name of the vocabulary. */
  readonly tokenizer: string;
  /** Counts words; waits between them so that other requests go on. */
  readonly countAll: (words: readonly string[]) => Promise<readonly WordTokens[]>;
  /** The tokens of words with one space between. */
  readonly countText: (words: readonly string[]) => Promise<number>;
};

/** `after`: behind a space. The vocabulary never joins a word to the one before it, so that sums of these are exact. */
export type WordTokens = { readonly alone: number; readonly after: number };

/** Counts the tokens of texts by their words, each word once. */
export const wordCounter = ({ name, load }: Tokenizer): WordCounter => {
  const known = new LRUCache<string, WordTokens>({ max: mostWords });
  const countAll: WordCounter['countAll'] = async (words) => {
    const count = await load();
    const counts: WordTokens[] = [];
    let sinceMs = elapsedMs();
    for (const word of words) {
      let found = known.get(word);
      if (found === undefined) {
        found = { alone: count(word), after: count(` ${word}`) };
        if (word.length <= 40) known.set(word, found);
        if (elapsedMs() - sinceMs > sliceMs) {
          await nextTurn();
          sinceMs = elapsedMs();
        }
      }
      counts.push(found);
    }
    return counts;
  };
  return {
    tokenizer: name,
    countAll,
    countText: async (words) => {
      const counts = await countAll(words);
      return counts.reduce((sum, { alone, after }, at) => sum + (at === 0 ? alone : after), 0);
    },
  };
};

/** The words of a text, as they are counted and joined by spaces. */
export const wordsOf = (text: string): readonly string[] => {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  return words.some(({ length }) => length > longestWord) ? words.flatMap(piecesOf) : words;
};

/** The pieces of a word that is too long, none cut within a character. */
const piecesOf = (word: string): readonly string[] => {
  if (word.length <= longestWord) return [word];
  const pieces: string[] = [];
  for (let from = 0; from < word.length; ) {
    let to = Math.min(word.length, from + longestWord);
    if (to < word.length && /[\ud800-\udbff]/.test(word.charAt(to - 1))) to -= 1;
    pieces.push(word.slice(from, to));
    from = to;
  }
  return pieces;
};
