import { ownValue } from '../../kernel/own-value.ts';
import { checkCancelled } from './cancellation.ts';
import type { Document } from './document.ts';
import type { Passage, Token } from './passages.ts';
import { isUnspaced } from './words.ts';

export const longestTitle = 60;

/** Markup and marks of direction do not belong in a title. */
export const plainTitle = (text: string): string =>
  text
    .replace(/<[^<>]*>|[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\p{Cc}]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();

/** Words that join a clause to the one before it, or that are said before it begins. */
const openers: Readonly<Record<string, string>> = {
  en: 'and but or nor so because that which who then well okay ok um uh yeah now like also while although though if',
  es: 'y e o pero sino que porque pues entonces bueno así aunque si mientras',
  de: 'und aber oder denn weil dass also ja nun dann halt mal eben äh ähm obwohl wenn sondern',
  fr: 'et mais ou donc car parce que alors bon ben euh si quand puis',
  it: 'e ed ma o perché che quindi allora poi ecco dunque se mentre però',
  pt: 'e mas ou porque que então pois bom aí se enquanto',
  ro: 'și şi dar sau că căci deci atunci păi iar dacă însă ci',
  ja: 'で が けど でも そして だから しかし それで ので から と',
  zh: '和 但 但是 所以 因为 因為 而 而且 然后 然後 那 就 如果',
  ko: '그리고 하지만 그래서 그러나 또 만약 그런데',
};

/** What parts clauses: punctuation within a sentence, markup, marks of music and of direction. */
const breaks = String.raw`,;:!?…()\[\]{}<>"«»“”„—–|♩-♬\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff。、，；：！？「」『』（）`;
const breaking = new RegExp(`[${breaks}]|\\s-+\\s`, 'u');
/** Whether punctuation parts two words: a full stop before a number is no abbreviation. */
const isBreak = (text: string, last: Token, next: Token): boolean => {
  const between = text.slice(last.end, next.at);
  return breaking.test(between) || (/\.\s/u.test(between) && /^\d/u.test(next.word));
};
/** What belongs to the first and the last word of a clause and is no word: `l'`, `$`, `'t`, `%`. */
const [ahead, behind] = [new RegExp(`[^\\s${breaks}]+$`, 'u'), /^(?:['’]\p{L}+)?[%°€$£]?/u];
const longestJoined = 12;

/** Words of a passage, from one to before another. `isWhole`: it ends where the speaker or the punctuation ends it. */
type Clause = { readonly from: number; readonly to: number; readonly isWhole: boolean };

/** The clauses of a passage. Captions without punctuation begin a clause at a line and behind a word that joins. */
const clausesOf = (
  { tokens, text, sentences, isPunctuated }: Document,
  { firstToken, endToken }: Passage,
  isOpener: (token: Token) => boolean,
): Clause[] => {
  const clauses: Clause[] = [];
  for (const sentence of sentences) {
    const [first, end] = [Math.max(firstToken, sentence.firstToken), Math.min(endToken, sentence.endToken)];
    let from = first;
    for (let at = first + 1; at <= end; at += 1) {
      checkCancelled();
      const [last, next] = [tokens[at - 1], tokens[at]];
      const isEnd = at === end || last === undefined || next === undefined;
      const isWhole = isEnd || isBreak(text, last, next);
      if (isWhole || (!isPunctuated && (isOpener(next) || last.line !== next.line))) {
        clauses.push({ from, to: at, isWhole: isWhole && isPunctuated });
        from = at;
      }
    }
  }
  return clauses;
};

/** Lines of captions without punctuation go on in the next one, until a word joins another clause. */
const endOf = (
  { tokens, text }: Document,
  { to, isWhole }: Clause,
  end: number,
  isOpener: (token: Token) => boolean,
): number => {
  let last = to;
  while (!isWhole && last < end) {
    const [before, next] = [tokens[last - 1], tokens[last]];
    if (before === undefined || next === undefined || isOpener(next) || isBreak(text, before, next)) break;
    last += 1;
  }
  return last;
};

export type Title = { readonly text: string; readonly score: number };

/**
 * Clauses of a passage, verbatim, at most 60 characters long, the one that says most first. A clause that is longer is cut
 * behind a phrase: where a word of the topic is followed by one of grammar. `weights`: what each term says.
 */
export const clauseTitles = (
  document: Document,
  passage: Passage,
  weights: ReadonlyMap<string, number>,
): readonly Title[] => {
  const { tokens, text, language } = document;
  const words = new Set(ownValue(openers, language)?.split(' '));
  const isOpener = ({ word }: Token): boolean => words.has(word);
  const most = isUnspaced(language) ? longestTitle / 2 : longestTitle;
  return clausesOf(document, passage, isOpener)
    .flatMap((clause): Title[] => {
      let first = clause.from;
      while (first < clause.to - 1 && isOpener(tokens[first] ?? noToken)) first += 1;
      const [before, begin] = [tokens[first - 1], tokens[first]];
      if (begin === undefined) return [];
      const from = begin.at - joinedAhead(text, begin.at, language).length;
      const end = endOf(document, clause, passage.endToken, isOpener);
      const last = lastOf(document, { first, end, most: from + most, isWhole: clause.isWhole });
      if (last === null) return [];
      const to = (tokens[last]?.end ?? from) + joinedBehind(text, tokens[last]?.end ?? from);
      const shown = text.slice(from, to);
      const terms = new Set(tokens.slice(first, last + 1).map(({ term }) => term));
      const sum = [...terms].reduce((total, term) => total + (weights.get(term) ?? 0), 0);
      if (shown.length > longestTitle || plainTitle(shown) !== shown || sum === 0) return [];
      const isWhole = clause.isWhole && last === clause.to - 1;
      // Behind a word of grammar a line begins in the middle of a phrase.
      const isWithin = !document.isPunctuated && before?.term === '' && !isOpener(before);
      return [{ text: shown, score: sum * (isWhole ? 1.2 : 1) * (isWithin ? 0.6 : 1) }];
    })
    .toSorted((a, b) => b.score - a.score);
};

const noToken: Token = { word: '', term: '', at: 0, end: 0, line: 0 };

const joinedAhead = (text: string, at: number, language: string): string =>
  isUnspaced(language) ? '' : (ahead.exec(text.slice(Math.max(0, at - longestJoined), at))?.[0] ?? '');

const joinedBehind = (text: string, at: number): number =>
  behind.exec(text.slice(at, at + longestJoined))?.[0].length ?? 0;

/** The last word that a title of these words has, which ends before `most`; null: none of them carries a topic. */
const lastOf = (
  { tokens }: Document,
  { first, end, most, isWhole }: { first: number; end: number; most: number; isWhole: boolean },
): number | null => {
  let [phrase, word]: [number | null, number | null] = [null, null];
  for (let at = first; at < end; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.end > most) break;
    if (isWhole && at === end - 1) return at;
    if (token.term === '') continue;
    word = at;
    if (at === end - 1 || tokens[at + 1]?.term === '') phrase = at;
  }
  return phrase ?? word;
};
