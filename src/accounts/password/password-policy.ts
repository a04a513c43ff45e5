import { passwordLength } from '../../contract/account.ts';
import type { Mailbox } from '../email-address.ts';

const problems = {
  too_short: `A password must have at least ${passwordLength.least} characters.`,
  too_long: `A password may have at most ${passwordLength.most} characters.`,
  malformed: 'The password is not well-formed Unicode.',
  too_common: 'This password is among the most common ones.',
  own_name: 'A password must not be the mail address, a part of it, or the name of the service.',
} as const;

/** `code` is for programs, `message` for people; neither repeats the password. */
type PasswordProblem = { readonly code: keyof typeof problems; readonly message: string };

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
  const code = problemCode(password, known);
  return code === null ? null : { code, message: problems[code] };
};

const problemCode = (password: string, known: KnownWords): PasswordProblem['code'] | null => {
  if (!password.isWellFormed()) return 'malformed';
  const length = [...password].length;
  if (length < passwordLength.least) return 'too_short';
  if (length > passwordLength.most) return 'too_long';
  const folded = password.normalize('NFKC').toLowerCase();
  if (known.commonPasswords.has(folded)) return 'too_common';
  return isOwnName(folded, known) ? 'own_name' : null;
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
