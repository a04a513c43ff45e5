/** The ten languages of the specification: of the website, of captcha questions and of translations. */
export const supportedLanguages = [
  'en',
  'es',
  'de',
  'fr',
  'it',
  'pt',
  'ro',
  'ja',
  'zh',
  'ko',
] as const;
export type SupportedLanguage = (typeof supportedLanguages)[number];
