import { languageName } from '../contract/language-names.ts';

const baseOf = (code: string): string => code.toLowerCase().split(/[-_]/)[0] ?? '';

/** Whether two codes name the same language, whatever their region. */
export const isSameLanguage = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && baseOf(one) === baseOf(other);

/** What a prompt says about the language of the answer. */
export const writeIn = (wanted: string | null | undefined, language: string | null): string => {
  const code = wanted ?? language;
  const name = code === null ? null : languageName(code.replaceAll('_', '-'));
  return name === null ? 'Write in the language of the captions.' : `Write in ${name}.`;
};
