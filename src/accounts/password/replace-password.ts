import { invalidRequest } from '../../kernel/refusal.ts';
import type { AccountParts } from '../account-parts.ts';
import type { Credential } from '../account-store.ts';
import { changeAccount } from '../append-account-change.ts';
import type { AccountAction } from '../append-events.ts';
import { parseMailbox } from '../email-address.ts';
import { requireGoodPassword } from '../field-refusals.ts';
import { type FailureCounter, type PasswordCheck, wrongCredentials } from '../sign-in/check-password.ts';
import { countChange, decideWhileOpen, type OwnDeps, ownerOf } from '../signed-in-owner.ts';
import type { RefusedWords } from './password-policy.ts';

type Deps = OwnDeps & RefusedWords & Pick<AccountParts, 'passwords'> & { readonly checkPassword: PasswordCheck };

/** Replaces the password after a check of the present one. Every session ends, also the present one. */
export const replacePassword =
  (deps: Deps) =>
  async (own: AccountAction & { readonly current: string; readonly next: string }): Promise<void> => {
    const { accountId } = own;
    const owner = await ownerOf(deps, accountId);
    refuseWeak(deps, own.next, owner);
    await deps.checkPassword({ ...countersOfOwner(deps, accountId), password: own.current, find: async () => owner });
    refuseSame(own);
    await countChange(deps, accountId, 'replace_password');
    const passwordHash = await deps.passwords.withHashingSlot((slot) => slot.hash(own.next));

    await changeAccount(deps, own, {
      decide: decideWhileOpen('PasswordReplaced', accountId),
      ends: 'password_replaced',
      write: async (writes, _, locked) => {
        if (locked.password.hash !== owner.password.hash) throw wrongCredentials();
        await writes.setPassword(accountId, passwordHash);
        await writes.deleteLinks(accountId, 'password');
      },
    });
  };

/** Throws INVALID_REQUEST for a new password that is the present one in any Unicode composition, as hashes have it. */
const refuseSame = ({ current, next }: { readonly current: string; readonly next: string }): void => {
  if (current.normalize('NFKC') !== next.normalize('NFKC')) return;
  const message = 'The new password is the same as the current one.';
  throw invalidRequest(message, { path: 'new_password', code: 'same' });
};

/** Failures of a browser that is signed in: strangers behind its address do not count. */
export const countersOfOwner = (
  { settings }: Pick<OwnDeps, 'settings'>,
  accountId: string,
): Pick<Parameters<PasswordCheck>[0], 'failures' | 'ways'> => {
  const failures: FailureCounter = { bucket: `account ${accountId}`, throttle: settings.signIn.perMailboxAndNetwork };
  return { failures, ways: [[failures]] };
};

/** Throws INVALID_REQUEST, for the field `new_password`, for a password that the policy refuses. */
export const refuseWeak = (words: RefusedWords, password: string, { email }: Pick<Credential, 'email'>): void => {
  const mailbox = parseMailbox(email);
  if (mailbox === null) throw new Error('a stored mail address cannot be read');
  requireGoodPassword(password, { ...words, mailbox }, 'new_password');
};
