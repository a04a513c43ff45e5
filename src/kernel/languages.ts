/** The language of a tag (BCP 47) without region and script, in lower case; empty for null. */
export const baseLanguage = (language: string | null): string => (language ?? '').toLowerCase().split(/[-_]/)[0] ?? '';

/** Whether two tags name one language, of any region; false where one is not known. */
export const isSameLanguage = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && baseLanguage(one) === baseLanguage(other);
