import { inWords } from './number-words.ts';

/** A question whose answer is a whole number. */
export type Question = { readonly text: string; readonly answer: number };

type Arithmetic = {
  readonly templates: readonly string[];
  /** Inclusive. */
  readonly first: readonly [number, number];
  readonly second: readonly [number, number];
  readonly answer: (first: number, second: number) => number;
};

const plus = [
  'What is {a} plus {b}?',
  'How much is {a} plus {b}?',
  'What do you get for {a} plus {b}?',
  'Please work out {a} plus {b}.',
  '{a} plus {b} is what?',
  'What is the sum of {a} and {b}?',
  'Add {a} and {b}. What do you get?',
  'Add {b} to {a}. What is the result?',
  'What is {a} added to {b}?',
  'Which number is {b} more than {a}?',
  'If you have {a} apples and get {b} more, how many apples do you have?',
  'A bus holds {a} people and {b} more get on. How many people are on it?',
  'There are {a} birds in a tree and {b} more arrive. How many birds are there?',
  'Anna has {a} stamps, Ben has {b}. How many stamps do they have together?',
  'A shelf holds {a} books and gets {b} more. How many books does it hold?',
  'You read {a} pages today and {b} more tomorrow. How many pages in total?',
];

const minus = [
  'What is {a} minus {b}?',
  'How much is {a} minus {b}?',
  'What do you get for {a} minus {b}?',
  'Please work out {a} minus {b}.',
  '{a} minus {b} is what?',
  'What is the difference between {a} and {b}?',
  'Subtract {b} from {a}. What do you get?',
  'Take {b} away from {a}. What is left?',
  'Which number is {b} less than {a}?',
  'If you have {a} pears and give away {b}, how many pears are left?',
  'A bus holds {a} people and {b} get off. How many people are left?',
  'There are {a} birds in a tree and {b} fly away. How many birds are left?',
  'Of {a} eggs, {b} are used. How many eggs are left?',
  'A rope is {a} metres long and {b} metres are cut off. How many metres are left?',
  'From {a} coins you spend {b}. How many coins are left?',
];

const times = [
  'What is {a} times {b}?',
  'How much is {a} times {b}?',
  'What do you get for {a} times {b}?',
  'Please work out {a} times {b}.',
  '{a} times {b} is what?',
  'What is {a} multiplied by {b}?',
  'Multiply {a} by {b}. What do you get?',
  'What is the product of {a} and {b}?',
  'There are {a} boxes with {b} pens each. How many pens are there?',
  'There are {a} tables with {b} chairs each. How many chairs are there?',
  'You walk {a} kilometres a day for {b} days. How many kilometres is that?',
  'A book has {a} chapters of {b} pages each. How many pages does it have?',
];

const kinds: readonly Arithmetic[] = [
  { templates: plus, first: [2, 20], second: [2, 12], answer: (a, b) => a + b },
  { templates: minus, first: [12, 30], second: [2, 11], answer: (a, b) => a - b },
  { templates: times, first: [2, 9], second: [2, 9], answer: (a, b) => a * b },
];

/** Every wording with its arithmetic; the tests ask each of them. */
export const questionCount = kinds.reduce((sum, { templates }) => sum + templates.length, 0);

/**
 * Question number `wording` (0 to `questionCount` − 1) about two numbers that `pick` draws:
 * `pick(n)` is a whole number from 0 to n − 1.
 */
export const questionOf = (wording: number, pick: (below: number) => number): Question => {
  let index = wording;
  for (const { templates, first, second, answer } of kinds) {
    const template = templates[index];
    if (template === undefined) {
      index -= templates.length;
      continue;
    }
    const a = first[0] + pick(first[1] - first[0] + 1);
    const b = second[0] + pick(second[1] - second[0] + 1);
    const text = template.replace('{a}', inWords(a)).replace('{b}', inWords(b));
    return { text: text.charAt(0).toUpperCase() + text.slice(1), answer: answer(a, b) };
  }
  throw new RangeError(`there is no question ${wording}`);
};
