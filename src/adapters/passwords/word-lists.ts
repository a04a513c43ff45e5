import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import frequencyLists from 'zxcvbn/lib/frequency_lists.js';

const minLength = 8;
const count = 5_000;

/** Mail domains whose mailboxes anyone can have for a while: A-labels, lower case, some 9,000. */
export const disposableDomains = (): ReadonlySet<string> => disposableEmailBlocklistSet();

/** The 5,000 most common passwords of at least 8 characters, lower case. */
export const commonPasswords = (): ReadonlySet<string> =>
  new Set(frequencyLists.passwords.filter(({ length }) => length >= minLength).slice(0, count));
