import { catalogues, type PageLanguage, pageLanguages } from '../../contract/languages.ts';

/** The words of 0 to 99 in each language. */
const numberWords = new Map(pageLanguages.map((language) => [language, catalogues[language].numberWords.split(', ')]));

/** 0 to 99 in words; throws a `RangeError` outside of that. */
export const inWords = (value: number, language: PageLanguage): string => {
  const word = numberWords.get(language)?.[value];
  if (word === undefined) throw new RangeError(`${value} has no words here`);
  return word;
};

/** Without what people leave out or write in another way: accents, hyphens and spaces. */
const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\s-]+/gu, '')
    .replaceAll('ß', 'ss');

const values: ReadonlyMap<string, string> = new Map(
  [...numberWords.values()].flatMap((words) => words.map((word, value) => [bare(word), String(value)] as const)),
);

/** A number as digits: `11`, `" 11 "`, `１１`, `Eleven`, `elf`, `十一`, `+11`, `11.`. Other text is trimmed and folded. */
export const plainAnswer = (answer: string | number): string => {
  const folded = String(answer)
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[.!。]+$/, '')
    .trim();
  if (/^\+?\d{1,6}$/.test(folded)) return String(Number(folded));
  return values.get(bare(folded)) ?? folded;
};
