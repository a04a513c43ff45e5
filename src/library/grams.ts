import { leastShared } from '../insights/extractive/search.ts';
import { type SoughtWord, termOf } from './library-store.ts';

/** FNV-1a, 32 bits, signed. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
};

/** Every three letters that follow each other. */
const triples = (text: string): string[] => {
  const letters = [...text];
  return letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''));
};

const hashed = (libraryId: number, stems: string, grams: readonly string[]): number[] => [
  ...new Set(grams.map((gram) => hashOf(`${libraryId}|${stems}|${gram}`))),
];

const [first, last] = ['\u0002', '\u0003'];

/** Hashes of the three-letter parts of a term, with its beginning and its end marked, within one library and language. */
export const gramsOf = (libraryId: number, term: string): number[] => {
  const at = term.indexOf(' ');
  return hashed(libraryId, term.slice(0, at), triples(`${first}${term.slice(at + 1)}${last}`));
};

/** What is looked up in the vocabulary of a library for the relatives of some words. */
export type RelativesLookup = {
  /** Terms as they are written: the words themselves, and texts within them. */
  readonly exact: readonly string[];
  /** Ranges of terms that begin as a word does: from the first to before the second. */
  readonly ranges: readonly (readonly [low: string, high: string])[];
  /** Grams that terms around a word have. */
  readonly around: readonly (readonly number[])[];
};

/** Texts within words that are looked up, at most. */
const mostParts = 400;

/** Words that are too short to have relatives are looked up as they are. */
export const relativesLookup = (libraryId: number, words: readonly SoughtWord[]): RelativesLookup => {
  const long = words.filter(({ word }) => word.length >= leastShared(word));
  const parts = long.flatMap(({ stems, word }) => partsOf(word).map((part) => termOf(stems, part)));
  return {
    exact: [...new Set([...words.map(({ stems, term }) => termOf(stems, term)), ...parts.slice(0, mostParts)])],
    ranges: long.map(({ stems, word }) => {
      const low = termOf(stems, word.slice(0, Math.max(leastShared(word), Math.ceil(0.6 * word.length))));
      return [low, `${low}\u{10ffff}`] as const;
    }),
    around: long.flatMap(({ stems, word }) => {
      const inner = hashed(libraryId, stems, triples(word));
      return inner.length < 3 ? [] : [inner];
    }),
  };
};

/** Texts within a word that are long enough to be a word of its family. */
const partsOf = (word: string): string[] => {
  const least = leastShared(word);
  const parts: string[] = [];
  for (let from = 0; from + least <= word.length; from += 1) {
    for (let to = from + least; to <= word.length; to += 1) parts.push(word.slice(from, to));
  }
  return parts;
};

/**
 * Grams of which a term with one or two typing errors still has one set: an error takes three neighbours away, so the first
 * two, the last two, the first and the last, or two in the middle are left.
 */
export const correctionsLookup = (libraryId: number, { stems, term }: SoughtWord): readonly (readonly number[])[] => {
  const grams = gramsOf(libraryId, termOf(stems, term));
  if (grams.length < 3) return [];
  const at = (place: number): number => grams.at(place) ?? 0;
  const middle = Math.floor(grams.length / 2);
  return [
    [at(0), at(1)],
    [at(-2), at(-1)],
    [at(0), at(-1)],
    [at(middle - 1), at(middle)],
  ];
};
