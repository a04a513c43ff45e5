import { checkCancelled } from './cancellation.ts';
import { type Document, termCounts } from './document.ts';
import type { Passage, Token } from './passages.ts';
import { isUnspaced } from './words.ts';

const longestPhrase = 3;

/** Words that touch but for one space, a hyphen or an apostrophe belong to one phrase. */
const isJoined = (between: string, unspaced: boolean): boolean =>
  between === '' || (!unspaced && /^[\s'’-]$/u.test(between));

/** Counts of terms over parts of a document, for phrases that mark one part. */
export type TermSpread = { readonly parts: number; readonly holding: ReadonlyMap<string, number> };

/** Counts for each term the parts that contain it. */
export const spreadOf = (document: Document, parts: readonly Passage[]): TermSpread => {
  const holding = new Map<string, number>();
  for (const part of parts) {
    checkCancelled();
    for (const term of termCounts(document, part).keys()) holding.set(term, (holding.get(term) ?? 0) + 1);
  }
  return { parts: parts.length, holding };
};

type Candidate = { text: string; count: number; terms: readonly string[] };

const isNumber = (word: string): boolean => /^[\d.,:%]+$/u.test(word);

/** Runs of words within a sentence that begin and end with a word that carries a topic. */
const candidatesIn = (
  document: Document,
  passage: Passage,
  isLeading: (term: string) => boolean,
): Map<string, Candidate> => {
  const { tokens, text, language } = document;
  const unspaced = isUnspaced(language);
  // `Bay of Fundy`, `baie de Fundy`: a phrase may hold a short word of grammar.
  const inner = unspaced ? 0 : 1;
  const found = new Map<string, Candidate>();
  for (let at = passage.firstToken; at < passage.endToken; at += 1) {
    checkCancelled();
    const first = tokens[at];
    if (first === undefined || !isLeading(first.term)) continue;
    let last: Token = first;
    let skipped = 0;
    const terms: string[] = [];
    for (let next = at; next < passage.endToken && terms.length < longestPhrase; next += 1) {
      const token = tokens[next];
      if (token === undefined) break;
      if (next > at && !isJoined(text.slice(last.end, token.at), unspaced)) break;
      last = token;
      if (token.term === '') {
        skipped += 1;
        if (skipped > inner) break;
        continue;
      }
      terms.push(token.term);
      const key = terms.join(' ');
      const shown = text.slice(first.at, token.end);
      const known = found.get(key);
      if (known === undefined) found.set(key, { text: shown, count: 1, terms: [...terms] });
      else known.count += 1;
    }
  }
  return found;
};

/** Only phrases that begin with one of so many terms are looked at. */
const leadingTerms = 80;

/** What each term of a passage says of it: much if it is said often in it and in few other parts. */
export const termWeights = (
  document: Document,
  passage: Passage,
  { parts, holding }: TermSpread,
): ReadonlyMap<string, number> =>
  new Map(
    [...termCounts(document, passage)].map(([term, count]) => [
      term,
      Math.log(1 + count) * Math.log(1 + (parts + 1) / (holding.get(term) ?? 1)),
    ]),
  );

/**
 * Phrases that mark a passage: said often in it and in few other parts. Longer ones count more when they are repeated;
 * a phrase said once ranks by its words.
 */
export const keyPhrases = (document: Document, passage: Passage, spread: TermSpread): string[] => {
  const weights = termWeights(document, passage, spread);
  const leading = new Set(
    [...weights]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, leadingTerms)
      .map(([term]) => term),
  );
  return [...candidatesIn(document, passage, (term) => leading.has(term)).values()]
    .map(({ text, count, terms }) => {
      const sum = terms.reduce((total, term) => total + (weights.get(term) ?? 0), 0);
      const plain = terms.some(isNumber) || text.length < 3 ? 0.5 : 1;
      return { text, score: (sum / terms.length ** (count > 1 ? 0.3 : 0.9)) * plain };
    })
    .toSorted((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
};
