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
