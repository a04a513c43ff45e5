import type { Command } from '@event-driven-io/emmett';
import type * as account from './account.ts';
import type { Credential } from './account-store.ts';
import { changeAccount } from './change-account.ts';
import { type PasswordCheck, wrongCredentials } from './check-password.ts';
import { requireGoodPassword } from './field-refusals.ts';
import { parseMailbox } from './mailbox.ts';
import { assertOpen, countChange, type Own, type OwnDeps, ownerOf } from './own-account.ts';
import type { RefusedWords } from './password-policy.ts';
import type { Passwords } from './passwords.ts';

export type ReplacePassword = Command<'ReplacePassword', { accountId: string }, { now: Date }>;

export const decide = (
  { data: { accountId }, metadata: { now } }: ReplacePassword,
  state: account.State,
): account.PasswordReplaced => {
  assertOpen(state);
  return { type: 'PasswordReplaced', data: { accountId, at: now.toISOString() } };
};

type Deps = OwnDeps &
  RefusedWords & {
    readonly checkPassword: PasswordCheck;
    readonly passwords: Passwords;
  };

/** Replaces the password after a check of the present one. Every session ends, also the present one. */
export const replacePassword =
  (deps: Deps) =>
  async (own: Own & { readonly current: string; readonly next: string }): Promise<void> => {
    const { accountId } = own;
    const owner = await ownerOf(deps, accountId);
    refuseWeak(deps, own.next, owner);
    await deps.checkPassword({
      bucket: `account ${accountId}`,
      network: own.network,
      password: own.current,
      find: async () => owner,
    });
    await countChange(deps, accountId, 'replace_password');
    const passwordHash = await deps.passwords.withHashingSlot((slot) => slot.hash(own.next));

    await changeAccount(deps, own, {
      decide: (state, now) =>
        decide({ type: 'ReplacePassword', data: { accountId }, metadata: { now } }, state),
      ends: 'password_replaced',
      write: async (writes, _, locked) => {
        if (locked.passwordHash !== owner.passwordHash) throw wrongCredentials();
        await writes.setPassword(accountId, passwordHash);
        await writes.deleteLinks(accountId, 'password');
      },
    });
  };

export const refuseWeak = (
  words: RefusedWords,
  password: string,
  { email }: Pick<Credential, 'email'>,
): void => {
  const mailbox = parseMailbox(email);
  if (mailbox === null) throw new Error('a stored mail address cannot be read');
  requireGoodPassword(password, { ...words, mailbox }, 'new_password');
};
