import {
  catalogues,
  type Messages,
  type PageLanguage,
  type PluralForms,
  pageLanguages,
} from '../../../contract/languages.ts';
import { lengthened } from './pseudo-locale.ts';

/** `en-XA` is English with every text longer and accented, for looking at layouts. Only `?ui=pseudo` chooses it. */
type UiLanguage = PageLanguage | 'en-XA';

const pseudo = lengthened(catalogues.en);

/** The words of one page, with numbers and plurals as the language writes them. */
export type Words = Messages & { readonly language: UiLanguage };

export const wordsOf = (language: UiLanguage): Words => ({
  ...(language === 'en-XA' ? pseudo : catalogues[language]),
  language,
});

/** The text of a name among texts; undefined: there is none, and the contract says what it is. */
export const labelIn = (texts: object, name: string): string | undefined => {
  const text: unknown = Object.hasOwn(texts, name) ? Reflect.get(texts, name) : undefined;
  return typeof text === 'string' ? text : undefined;
};

/** Puts values into `{name}` places. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));

/** A format for each language, which is made once. */
const perLanguage = <Format>(make: (language: string) => Format): ((language: string) => Format) => {
  const made = new Map<string, Format>();
  return (language) => {
    const format = made.get(language) ?? make(language);
    made.set(language, format);
    return format;
  };
};

const rulesOf = perLanguage((language) => new Intl.PluralRules(language));
const numbersOf = perLanguage((language) => new Intl.NumberFormat(language));
const hoursOf = perLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'unit', unit: 'hour', unitDisplay: 'long' }),
);
const listsOf = perLanguage((language) => new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' }));
const namesOf = perLanguage((language) => new Intl.DisplayNames([language], { type: 'language' }));

/** The form of a text that fits a number, with the number put in. */
export const plural = (language: string, forms: PluralForms, n: number): string =>
  fill(forms[rulesOf(language).select(n)] ?? forms.other, { n: number(language, n) });

/** A number as a language of the pages writes it. */
export const number = (language: string, n: number): string => numbersOf(language).format(n);

/** A time in hours: 24 hours. */
export const hours = (language: string, n: number): string => hoursOf(language).format(n);

/** Names in a sentence or a cell, as a language of the pages lists them. */
export const listOf = (language: string, names: readonly string[]): string => listsOf(language).format(names);

/** The name of a language in a language of the pages; its code where there is no name. */
export const languageName = (language: UiLanguage, code: string): string => {
  try {
    return namesOf(language).of(code) ?? code;
  } catch {
    return code;
  }
};

/** The query of the address of a transcript in a language; null: in the usual one. */
export const languageQuery = (language: string | null): string =>
  language === null ? '' : `?lang=${encodeURIComponent(language)}`;

/** The `dir` of lines in a language: from right to left, their times and the rule are on the right. Null: it is not known. */
export const directionOf = (language: string | null): 'rtl' | undefined => {
  try {
    return new Intl.Locale(language ?? 'und').getTextInfo().direction === 'rtl' ? 'rtl' : undefined;
  } catch {
    return undefined;
  }
};

const preferred = /^\s*([a-zA-Z]{2,3})(?:-[\w-]+)?\s*(?:;\s*q=([\d.]+))?\s*$/;

/** The language of the pages for a request: its `?ui=` (the first of `wanted`), else its cookie, else what its browser prefers. */
export const chooseLanguage = (wanted: readonly (string | null)[], accept: string): UiLanguage => {
  if (wanted[0] === 'pseudo') return 'en-XA';
  const ranked = accept
    .slice(0, 1_000)
    .split(',')
    .flatMap((part) => {
      const match = preferred.exec(part);
      return match?.[1] === undefined ? [] : [{ code: match[1].toLowerCase(), weight: Number(match[2] ?? 1) }];
    })
    .sort((a, b) => b.weight - a.weight);
  const codes = [...wanted, ...ranked.map(({ code }) => code)];
  const known = codes.flatMap((code) => pageLanguages.find((language) => language === code) ?? []);
  return known[0] ?? 'en';
};
