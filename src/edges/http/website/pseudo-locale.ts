import type { Messages } from '../../../contract/languages.ts';

/** Combines with the letter before it. */
const accent = '\u0301';

/** Accented, and longer by two fifths, as German is than English. Places of values stay as they are. */
const lengthen = (text: string): string => {
  const accented = text
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? part : part.replace(/[aeiou]/gi, `$&${accent}`).normalize()))
    .join('');
  return `[${accented}${' one two three four five six'.repeat(9).slice(0, Math.ceil(text.length * 0.4))}]`;
};

/** The same catalogue with every text longer: shows which layouts depend on short words. */
export const lengthened = (messages: Messages): Messages =>
  JSON.parse(JSON.stringify(messages), (_, value) => (typeof value === 'string' ? lengthen(value) : value));
