import type { Messages } from '../../../contract/languages.ts';
import { ownValue } from '../../../kernel/own-value.ts';

const accents: Readonly<Record<string, string>> = {
  ...{ a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú', A: 'Á', E: 'É', I: 'Í', O: 'Ó', U: 'Ú' },
};

/** Accented, and longer by two fifths, as German is than English. Places of values stay as they are. */
const lengthen = (text: string): string => {
  const accented = text
    .split(/(\{\w+\})/)
    .map((part) =>
      part.startsWith('{') ? part : part.replace(/[aeiou]/gi, (letter) => ownValue(accents, letter) ?? letter),
    )
    .join('');
  return `[${accented}${' one two three four five six'.repeat(9).slice(0, Math.ceil(text.length * 0.4))}]`;
};

/** The same catalogue with every text longer: shows which layouts depend on short words. */
export const lengthened = (messages: Messages): Messages =>
  JSON.parse(JSON.stringify(messages), (_, value) => (typeof value === 'string' ? lengthen(value) : value));
