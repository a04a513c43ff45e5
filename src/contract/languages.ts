import de from './languages/de.json' with { type: 'json' };
import en from './languages/en.json' with { type: 'json' };
import es from './languages/es.json' with { type: 'json' };
import fr from './languages/fr.json' with { type: 'json' };
import it from './languages/it.json' with { type: 'json' };
import ja from './languages/ja.json' with { type: 'json' };
import ko from './languages/ko.json' with { type: 'json' };
import pt from './languages/pt.json' with { type: 'json' };
import ro from './languages/ro.json' with { type: 'json' };
import zh from './languages/zh.json' with { type: 'json' };

/**
 * The languages of the pages, each with its words; English first. A language is its file and its place in this list.
 * `{name}` in a text is replaced by a value; a text that names a number has a form for each plural category.
 */
export const pageTexts = { en, es, de, fr, it, pt, ro, ja, zh, ko } as const;

export type PageLanguage = keyof typeof pageTexts;

export const pageLanguages = Object.keys(pageTexts) as PageLanguage[];

/** The languages that a transcript can be translated into: those of the specification. */
export const translationLanguages = ['en', 'es', 'de', 'fr', 'it', 'pt', 'ro', 'ja', 'zh', 'ko'] as const;

export type TranslationLanguage = (typeof translationLanguages)[number];

/** A text that names a number: a form for each plural category of the language that has it; `other` stands for the rest. */
export type PluralForms = {
  readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string;
} & { readonly other: string };

type Widen<T> = T extends string
  ? string
  : T extends readonly string[]
    ? readonly string[]
    : T extends { readonly one: string; readonly other: string }
      ? PluralForms
      : { readonly [K in keyof T]: Widen<T[K]> };

/** The words of a language: those of English. */
export type Messages = Widen<typeof en>;

type Texts = { readonly [key: string]: string | readonly string[] | Texts };

const isTexts = (node: Texts[string] | undefined): node is Texts => typeof node === 'object' && !Array.isArray(node);

const isPlural = (node: Texts): boolean => typeof node['other'] === 'string';

/** English, with every text that the translation has in its place. */
export const withTranslation = (english: Texts, translation: Texts): Texts =>
  Object.fromEntries(
    Object.entries(english).map(([key, text]) => {
      const own = translation[key] ?? text;
      return [key, isTexts(text) && isTexts(own) && !isPlural(own) ? withTranslation(text, own) : own];
    }),
  );

/** The words of each language; a text that a language lacks is the English one. */
export const catalogues = Object.fromEntries(
  Object.entries(pageTexts).map(([language, texts]) => [language, withTranslation(en, texts)]),
) as Readonly<Record<PageLanguage, Messages>>;
