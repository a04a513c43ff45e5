import { catalogues, type Messages, pageLanguages } from '../../contract/languages.ts';

/** Fixed words around verbatim text. */
type Wording = keyof Messages['extracts'];

/** In the language given; in English where there is no wording in it. `{topic}` and `{n}` are replaced by the values given. */
export const say = (wording: Wording, language: string, { topic = '', n = 0 } = {}): string =>
  catalogues[pageLanguages.find((one) => one === language) ?? 'en'].extracts[wording]
    .replace('{topic}', () => topic)
    .replace('{n}', String(n));
