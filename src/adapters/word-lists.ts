import { readFileSync } from 'node:fs';

const read = (name: string): ReadonlySet<string> =>
  new Set(
    readFileSync(new URL(`./word-lists/${name}`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );

/** Mail domains whose mailboxes anyone can have for a while: A-labels, lower case, some 9,000. Read anew each time. */
export const disposableDomains = (): ReadonlySet<string> => read('disposable-domains.txt');

/** The 5,000 most common passwords of at least 8 characters, lower case. Read anew each time. */
export const commonPasswords = (): ReadonlySet<string> => read('common-passwords.txt');
