import { catalogues, type Messages, type PageLanguage } from '../../contract/languages.ts';
import { inWords } from './number-words.ts';

/** A question whose answer is a whole number. */
export type Question = { readonly text: string; readonly answer: number };

type Arithmetic = {
  /** The sentences about two numbers `{a}` and `{b}`, in the words of a language: no other number stands in them, and no word changes with the two. */
  readonly sign: keyof Messages['captcha'];
  /** Inclusive. */
  readonly first: readonly [number, number];
  readonly second: readonly [number, number];
  readonly answer: (first: number, second: number) => number;
};

const kinds: readonly Arithmetic[] = [
  { sign: 'plus', first: [2, 20], second: [2, 12], answer: (a, b) => a + b },
  { sign: 'minus', first: [12, 30], second: [2, 11], answer: (a, b) => a - b },
  { sign: 'times', first: [2, 9], second: [2, 9], answer: (a, b) => a * b },
];

/** How many wordings there are in a language, each with its arithmetic; the tests ask each of them. */
export const questionCount = (language: PageLanguage): number =>
  kinds.reduce((sum, { sign }) => sum + catalogues[language].captcha[sign].length, 0);

/** Question `wording` (0 to `questionCount` − 1) about two numbers; `pick(n)` draws one from 0 to n − 1. */
export const questionOf = (wording: number, pick: (below: number) => number, language: PageLanguage): Question => {
  let index = wording;
  for (const { sign, first, second, answer } of kinds) {
    const templates = catalogues[language].captcha[sign];
    const template = templates[index];
    if (template === undefined) {
      index -= templates.length;
      continue;
    }
    const a = first[0] + pick(first[1] - first[0] + 1);
    const b = second[0] + pick(second[1] - second[0] + 1);
    const text = template.replace('{a}', inWords(a, language)).replace('{b}', inWords(b, language));
    return { text: text.charAt(0).toUpperCase() + text.slice(1), answer: answer(a, b) };
  }
  throw new RangeError(`there is no question ${wording}`);
};
