const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The English name of a language code; null: there is no such language. */
export const languageName = (code: string): string | null => {
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(code)) return null;
  try {
    return names.of(code) ?? null;
  } catch {
    return null;
  }
};

const baseOf = (code: string): string => code.toLowerCase().split(/[-_]/)[0] ?? '';

/** Whether two codes name the same language, whatever their region. */
export const isSameLanguage = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && baseOf(one) === baseOf(other);

/** What a prompt says about the language of the answer. */
export const writeIn = (outputLanguage: string | null, language: string | null): string => {
  const code = outputLanguage ?? language;
  const name = code === null ? null : languageName(code.replaceAll('_', '-'));
  return name === null ? 'Write in the language of the captions.' : `Write in ${name}.`;
};
