import { stemmer as en } from '@orama/stemmers/english';
import { stemmer as fr } from '@orama/stemmers/french';
import { stemmer as de } from '@orama/stemmers/german';
import { stemmer as it } from '@orama/stemmers/italian';
import { stemmer as pt } from '@orama/stemmers/portuguese';
import { stemmer as ro } from '@orama/stemmers/romanian';
import { stemmer as es } from '@orama/stemmers/spanish';
import { baseLanguage } from '../../kernel/languages.ts';
import { ownValue } from '../../kernel/own-value.ts';
import { textSegments } from '../../kernel/text-segments.ts';
import { checkCancelled } from './cancellation.ts';

/** Particles and the commonest verb endings of Korean, which stand at the end of the word; the longest first. */
const koreanEndings = `
  했습니다 하였습니다 되었습니다 이었습니다 였습니다 습니다 합니다 됩니다 입니다
  하였다 되었다 이었다 했다 됐다 였다 한다 된다 이다 에서는 에서도 으로는
  으로서 으로써 이라고 라고 에게서 에게 한테 께서 에서 으로 부터 까지
  처럼 보다 마다 조차 이나 이며 하며 하고 하는 하여 해서 했던 되는 되어
  들은 들이 들을 들의 들에 어요 아요 해요 예요 이에요 인데 는데 지만
  은 는 이 가 을 를 의 에 와 과 로 도 만 들 한 할 된 고
`
  .split(/\s+/)
  .filter(Boolean)
  .toSorted((a, b) => b.length - a.length);

/** Particles that no common noun ends with: they are cut off even after one syllable. */
const afterOneSyllable = /^(은|는|를)$/u;

/** The word without its last particle; at least one syllable is left, two before most endings of one syllable. */
const stripKoreanEnding = (word: string): string => {
  if (!/^[가-힣]+$/u.test(word)) return word;
  const ending = koreanEndings.find((each) => {
    const left = word.length - each.length;
    return word.endsWith(each) && left >= (each.length > 1 || afterOneSyllable.test(each) ? 1 : 2);
  });
  return ending === undefined ? word : word.slice(0, -ending.length);
};

type Stemmer = (word: string) => string;

const stemmers: Readonly<Record<string, Stemmer>> = {
  de,
  en,
  es,
  fr,
  it,
  ko: stripKoreanEnding,
  pt,
  ro: (word) => ro(word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ')),
};

/** Written without spaces between words; lengths are counted in characters. */
export const isUnspaced = (language: string): boolean => /^(ja|zh|yue|th|km|lo|my)$/.test(language);

const segmenters = new Map<string, Intl.Segmenter>();

/** Making a segmenter takes milliseconds, so each is kept. A tag that ICU refuses is read by the root rules. */
export const segmenterOf = (language: string, granularity: 'word' | 'sentence'): Intl.Segmenter => {
  const base = /^[a-z]{2,3}$/.test(language) ? language : 'und';
  const key = `${base} ${granularity}`;
  const known = segmenters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.Segmenter(base, { granularity });
  segmenters.set(key, made);
  return made;
};

/** Where sentences begin, as offsets into the text. */
export const sentenceBreaks = (text: string, language: string): number[] => {
  const breaks: number[] = [];
  for (const { index } of textSegments(text, segmenterOf(language, 'sentence'))) {
    checkCancelled();
    breaks.push(index);
  }
  return breaks;
};

export type Word = { readonly word: string; readonly at: number; readonly end: number };

/** Scripts without spaces between words need the dictionaries of ICU; for others they are ten times slower. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** An apostrophe parts words, so that `l'acqua` is found by `acqua`. */
const spacedWord = /\p{N}+(?:[.,:]\p{N}+)*(?!\p{L})|[\p{L}\p{M}\p{N}_]+/gu;

const isApostrophe = (character: string | undefined): boolean => character === "'" || character === '’';

const normal = (word: string): string => (/[^\p{ASCII}]/u.test(word) ? word.normalize('NFKC') : word).toLowerCase();

/** The words of a text in lower case, with their places. Single letters beside an apostrophe are left out. */
export const placedWords = (text: string, language: string): Word[] => {
  const found: Word[] = [];
  if (unspacedScript.test(text)) {
    const segments = textSegments(text, segmenterOf(language, 'word'));
    for (const { segment, index, isWordLike } of segments) {
      checkCancelled();
      if (isWordLike !== true) continue;
      found.push({ word: normal(segment), at: index, end: index + segment.length });
    }
    return found;
  }
  for (const { 0: word, index: at } of text.matchAll(spacedWord)) {
    checkCancelled();
    const end = at + word.length;
    const isElided = word.length === 1 && (isApostrophe(text[end]) || isApostrophe(text[at - 1]));
    if (!isElided) found.push({ word: normal(word), at, end });
  }
  return found;
};

/** The words of a text in their order, in the normal form in which they are compared. `language`: BCP 47; null: not known. */
export const words = (text: string, language: string | null): string[] =>
  placedWords(text, baseLanguage(language)).map(({ word }) => word);

/** Accents of Latin, Greek and Cyrillic letters are dropped: people leave them out when they search. */
export const fold = (word: string): string =>
  /[^\p{ASCII}]/u.test(word)
    ? word
        .normalize('NFD')
        .replace(/[\u0300-\u036f\u064b-\u065f]/gu, '')
        .normalize('NFC')
    : word;

/** Stems of the words seen last, by language: one takes up to 50 microseconds. */
const stems = new Map<string, Map<string, string>>();
const stemsKept = 60_000;

/** What two forms of one word have in common; the folded word where the language has no stemmer. */
export const stem = (word: string, language: string): string => {
  const known = stems.get(language)?.get(word);
  if (known !== undefined) return known;
  const stemmer = ownValue(stemmers, language);
  if (stemmer === undefined || /\d/.test(word) || word.length > 40) return fold(word);
  const made = fold(stemmer(word)) || fold(word);
  if (stems.values().reduce((sum, kept) => sum + kept.size, 0) >= stemsKept) stems.clear();
  const kept = stems.get(language) ?? new Map<string, string>();
  stems.set(language, kept.set(word, made));
  return made;
};
