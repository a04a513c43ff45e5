import { languageName } from '../contract/language-names.ts';

/** What a prompt says about the language of the answer. */
export const writeIn = (wanted: string | null | undefined, language: string | null): string => {
  const code = wanted ?? language;
  const name = code === null ? null : languageName(code.replaceAll('_', '-'));
  return name === null ? 'Write in the language of the captions.' : `Write in ${name}.`;
};
