import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { elapsedMs } from '../kernel/clock.ts';
import { once } from '../kernel/memoize.ts';

/** The tokens of a text for a language model. */
export type CountTokens = (text: string) => number;

/** The port of the tokenizer; the vocabulary is loaded when it is first used. */
export type Tokenizer = { readonly name: string; readonly load: () => Promise<CountTokens> };

/** A longer word is cut before it is counted: the time to count one grows with the square of its length. */
const longestWord = 256;

/** Work on the event loop stops for other requests after this time. */
const sliceMs = 8;

/** Counts of words that are in many texts. */
const mostWords = 60_000;

export type WordCounter = ReturnType<typeof wordCounter>;

type CountedWords = {
  /** The tokens of each word behind a space. The vocabulary never joins a word to the one before it: sums of these are exact. */
  readonly after: readonly number[];
  /** The tokens of a word that a text begins with. */
  readonly alone: CountTokens;
};

/** Counts the tokens of texts by their words, each word once. */
export const wordCounter = ({ name, load }: Tokenizer) => {
  // Its tables have their full size from the start: they are made for the first text.
  const wordCache = once(() => new LRUCache<string, number>({ max: mostWords }));
  /** Counts words; waits between them so that other requests go on. */
  const countAll = async (words: readonly string[]): Promise<CountedWords> => {
    const alone = await load();
    const known = wordCache();
    // Words of this text: faster than the cache of all, which keeps an order.
    const own = new Map<string, number>();
    const after: number[] = [];
    let sinceMs = elapsedMs();
    for (const word of words) {
      let found = own.get(word);
      if (found === undefined) {
        found = known.get(word) ?? alone(` ${word}`);
        own.set(word, found);
        if (word.length <= 40) known.set(word, found);
        if (elapsedMs() - sinceMs > sliceMs) {
          await nextTurn();
          sinceMs = elapsedMs();
        }
      }
      after.push(found);
    }
    return { after, alone };
  };
  return {
    /** The name of the vocabulary. */
    tokenizer: name,
    countAll,
    /** The tokens of words with one space between. */
    countText: async (words: readonly string[]): Promise<number> => {
      const [first] = words;
      if (first === undefined) return 0;
      const { after, alone } = await countAll(words);
      return after.reduce((sum, tokens) => sum + tokens, alone(first) - (after[0] ?? 0));
    },
  };
};

/** The words of a text, as they are counted and joined by spaces. */
export const wordsOf = (text: string): readonly string[] => {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  return words.some(({ length }) => length > longestWord)
    ? words.flatMap((word) => piecesOf(word, longestWord))
    : words;
};

/** The pieces of a word that is longer than `most`, none cut within a character. */
export const piecesOf = (word: string, most: number): readonly string[] => {
  if (word.length <= most) return [word];
  const pieces: string[] = [];
  for (let from = 0; from < word.length; ) {
    let to = Math.min(word.length, from + most);
    if (to < word.length && /[\ud800-\udbff]/.test(word.charAt(to - 1))) to -= 1;
    pieces.push(word.slice(from, to));
    from = to;
  }
  return pieces;
};
