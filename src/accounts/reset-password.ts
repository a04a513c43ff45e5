import type * as account from './account.ts';
import type { AccountStore, Credential } from './account-store.ts';
import type { Cause } from './append-events.ts';
import { bucketOf, emptyTally } from './attempts.ts';
import { type ChangeDeps, changeAccount } from './change-account.ts';
import { tokenHash } from './end-sessions.ts';
import { badLink, linkLifeMs, linkUrl, ownerOfLink, useLink } from './links.ts';
import { mailboxHash, parseMailbox } from './mailbox.ts';
import { assertOpen } from './own-account.ts';
import type { RefusedWords } from './password-policy.ts';
import type { Passwords } from './passwords.ts';
import { refuseWeak } from './replace-password.ts';

type Deps = ChangeDeps &
  RefusedWords & {
    readonly store: AccountStore;
    readonly passwords: Passwords;
    readonly mailboxKey: Uint8Array;
  };

/** Throws UNAUTHENTICATED for an account that is unknown or erased. */
export const decideRequested = (
  accountId: string,
  by: 'owner' | 'operator',
  now: Date,
  state: account.State,
): account.PasswordResetRequested => {
  assertOpen(state);
  return { type: 'PasswordResetRequested', data: { accountId, by, at: now.toISOString() } };
};

/** A link that sets a new password once, within an hour: its address is given out here and stored nowhere. */
export const issuePasswordLink =
  (
    deps: ChangeDeps & {
      readonly newToken: () => string;
      readonly baseUrl: () => Promise<string>;
    },
  ) =>
  async (operated: {
    readonly accountId: string;
    readonly cause: Cause;
  }): Promise<{ readonly url: string; readonly expiresAt: Date }> => {
    const { accountId } = operated;
    const token = deps.newToken();
    const expiresAt = new Date(deps.clock().getTime() + linkLifeMs.password);
    await changeAccount(deps, operated, {
      decide: (state, now) => decideRequested(accountId, 'operator', now, state),
      write: (writes) =>
        writes.insertLink({
          tokenSha256: tokenHash(token),
          accountId,
          purpose: 'password',
          expiresAt,
        }),
    });
    return { url: linkUrl(await deps.baseUrl(), 'password', token), expiresAt };
  };

/** The request of somebody who holds a link. */
export type Reset = {
  readonly token: string;
  readonly password: string;
  readonly cause: Omit<Cause, 'actor'>;
};

/**
 * Sets the password by a link. Every session ends, every link for a password is used up, and the owner need not wait
 * for wrong passwords of before. A password that is refused leaves the link good.
 */
export const resetPassword =
  (deps: Deps) =>
  async ({ token, password, cause: request }: Reset): Promise<void> => {
    const owner = await ownerOfLink(deps.store, token, 'password', deps.clock());
    if (owner === null) throw badLink();
    refuseWeak(deps, password, owner);
    const passwordHash = await deps.passwords.withHashingSlot((slot) => slot.hash(password));
    const { accountId, userId } = owner;
    const cause: Cause = { ...request, actor: { type: 'user', id: userId } };
    await changeAccount(
      deps,
      { accountId, cause },
      {
        decide: (_, now) => ({ type: 'PasswordReset', data: { accountId, at: now.toISOString() } }),
        ends: 'password_replaced',
        write: async (writes, now) => {
          await useLink(writes, { token, accountId, purpose: 'password' }, now);
          await writes.setPassword(accountId, passwordHash);
        },
      },
    );
    await forgetFailures(deps, owner);
  };

const forgetFailures = async (
  { store, mailboxKey, clock }: Deps,
  { email }: Pick<Credential, 'email'>,
): Promise<void> => {
  const canonical = parseMailbox(email)?.canonical ?? email;
  const bucket = bucketOf('sign-in', mailboxKey, `mailbox ${mailboxHash(canonical, mailboxKey)}`);
  await store.changeTallies([bucket], () => ({
    tallies: [emptyTally(clock().getTime())],
    result: undefined,
  }));
};
