import { en, type Messages } from './en.ts';

/** Languages of the pages: those of the specification, and one that makes every text longer, for tests. */
export const uiLanguages = ['en'] as const;
export type UiLanguage = (typeof uiLanguages)[number];

const catalogues: Readonly<Record<UiLanguage, Messages>> = { en };

/** The words of one page, with numbers and plurals as the language writes them. */
export type Words = Messages & {
  readonly language: UiLanguage;
  readonly direction: 'ltr' | 'rtl';
};

export const wordsOf = (language: UiLanguage): Words => ({
  ...catalogues[language],
  language,
  direction: 'ltr',
});

/** Puts values into `{name}` places. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));

const rules = new Map<string, Intl.PluralRules>();

/** The form of a text that fits a number, with the number put in. */
export const plural = (
  language: string,
  forms: { readonly one: string; readonly other: string },
  n: number,
): string => {
  const rule = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, rule);
  return fill(rule.select(n) === 'one' ? forms.one : forms.other, { n: number(language, n) });
};

/** A number as the language writes it. */
export const number = (language: string, n: number): string => n.toLocaleString(language);

/** The name of a language in another language; its code where there is no name. */
export const languageName = (language: string, code: string): string => {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
};

const preferred = /^\s*([a-zA-Z]{2,3})(?:-[\w-]+)?\s*(?:;\s*q=([\d.]+))?\s*$/;

/** The language of the pages for a request: its `?ui=`, else its cookie, else what its browser prefers. */
export const chooseLanguage = (wanted: readonly (string | null)[], accept: string): UiLanguage => {
  for (const code of wanted) {
    const known = uiLanguages.find((language) => language === code);
    if (known !== undefined) return known;
  }
  const ranked = accept
    .slice(0, 1_000)
    .split(',')
    .flatMap((part) => {
      const match = preferred.exec(part);
      return match?.[1] === undefined
        ? []
        : [{ code: match[1].toLowerCase(), weight: Number(match[2] ?? 1) }];
    })
    .sort((a, b) => b.weight - a.weight);
  for (const { code } of ranked) {
    const known = uiLanguages.find((language) => language === code);
    if (known !== undefined) return known;
  }
  return 'en';
};
