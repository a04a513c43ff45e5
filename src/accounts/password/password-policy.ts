import { passwordLength } from '../../contract/account.ts';
import type { Mailbox } from '../email-address.ts';

/** `code` is for programs, `message` for people; neither repeats the password. */
export type PasswordProblem = {
  readonly code: 'too_short' | 'too_long' | 'malformed' | 'too_common' | 'own_name';
  readonly message: string;
};

const problems: Readonly<Record<PasswordProblem['code'], PasswordProblem>> = {
  too_short: { code: 'too_short', message: `A password must have at least ${passwordLength.least} characters.` },
  too_long: { code: 'too_long', message: `A password may have at most ${passwordLength.most} characters.` },
  malformed: { code: 'malformed', message: 'The password is not well-formed Unicode.' },
  too_common: { code: 'too_common', message: 'This password is among the most common ones.' },
  own_name: {
    code: 'own_name',
    message: 'A password must not be the mail address, a part of it, or the name of the service.',
  },
};

/** Words that are refused as passwords because attackers try them first. */
export type RefusedWords = {
  /** Names of the service. */
  readonly serviceNames: readonly string[];
  /** In lower case. */
  readonly commonPasswords: ReadonlySet<string>;
};

/** With the mailbox of the account, whose name is refused too. */
export type KnownWords = RefusedWords & { readonly mailbox: Mailbox };

/**
 * Checks a new password; null when it is good. Any character is allowed and nothing is trimmed; there are no rules
 * about kinds of characters (OWASP ASVS 5, 6.2).
 */
export const passwordProblem = (password: string, known: KnownWords): PasswordProblem | null => {
  if (!password.isWellFormed()) return problems.malformed;
  const length = [...password].length;
  if (length < passwordLength.least) return problems.too_short;
  if (length > passwordLength.most) return problems.too_long;
  const folded = password.normalize('NFKC').toLowerCase();
  if (known.commonPasswords.has(folded)) return problems.too_common;
  return isOwnName(folded, known) ? problems.own_name : null;
};

/** The names, also with digits and symbols around them: `steno2026!` counts as `steno`. */
const isOwnName = (folded: string, { mailbox, serviceNames }: KnownWords): boolean => {
  const typed = mailbox.typed.normalize('NFKC').toLowerCase();
  const locals = [typed.slice(0, typed.lastIndexOf('@')), mailbox.canonical.split('@')[0] ?? ''];
  const names = [...locals, ...serviceNames.map((name) => name.toLowerCase())];
  const bare = folded.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return (
    [typed, mailbox.canonical, mailbox.domain, ...locals].includes(folded) || (bare !== '' && names.includes(bare))
  );
};
