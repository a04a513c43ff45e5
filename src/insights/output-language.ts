import { languageName } from '../contract/language-names.ts';
import { baseLanguage } from './extractive/words.ts';

/** Whether two codes name the same language, whatever their region. */
export const isSameLanguage = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && baseLanguage(one) === baseLanguage(other);

/** What a prompt says about the language of the answer. */
export const writeIn = (wanted: string | null | undefined, language: string | null): string => {
  const code = wanted ?? language;
  const name = code === null ? null : languageName(code.replaceAll('_', '-'));
  return name === null ? 'Write in the language of the captions.' : `Write in ${name}.`;
};
