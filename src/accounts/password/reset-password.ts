import { linkLifeMs } from '../../contract/sign-in.ts';
import { newToken } from '../../kernel/ids.ts';
import type * as account from '../account.ts';
import { badLink, linkUrl, ownerOfLink, useLink } from '../account-links.ts';
import type { AccountParts } from '../account-parts.ts';
import { type ChangeDeps, changeAccount } from '../append-account-change.ts';
import { type AccountAction, byOwner, type Cause } from '../append-events.ts';
import { bucketOf, emptyTally } from '../attempt-limits.ts';
import { canonicalOf, mailboxHash } from '../email-address.ts';
import { deviceToken } from '../sign-in/device-cookie.ts';
import { tokenHash } from '../sign-in/end-sessions.ts';
import { mailboxAndNetwork, wholeMailbox } from '../sign-in/log-in.ts';
import { assertOpen } from '../signed-in-owner.ts';
import type { RefusedWords } from './password-policy.ts';
import { refuseWeak } from './replace-password.ts';

type Deps = ChangeDeps & RefusedWords & Pick<AccountParts, 'passwords' | 'mailboxKeys' | 'deviceKeys'>;

/** Throws UNAUTHENTICATED for an account that is unknown or erased. */
export const decideRequested =
  (accountId: string, by: 'owner' | 'operator') =>
  (state: account.State, now: Date): account.PasswordResetRequested => {
    assertOpen(state);
    return { type: 'PasswordResetRequested', data: { accountId, by, at: now.toISOString() } };
  };

/** A link that sets a new password once, within an hour: its address is given out here and stored nowhere. */
export const issuePasswordLink =
  (deps: ChangeDeps & Pick<AccountParts, 'baseUrl'>) =>
  async (operated: AccountAction): Promise<{ readonly url: string; readonly expiresAt: Date }> => {
    const { accountId } = operated;
    const token = newToken();
    const expiresAt = new Date(deps.clock().getTime() + linkLifeMs.password);
    await changeAccount(deps, operated, {
      decide: decideRequested(accountId, 'operator'),
      write: (writes) =>
        writes.insertLink({ tokenSha256: tokenHash(token), accountId, purpose: 'password', expiresAt }),
    });
    return { url: linkUrl(await deps.baseUrl(), 'password', token), expiresAt };
  };

/** The request of somebody who holds a link. */
export type Reset = {
  readonly token: string;
  readonly password: string;
  /** The rate limit key of the address. */
  readonly network: string;
  readonly cause: Omit<Cause, 'actor'>;
};

/**
 * Sets the password by a link. Every session ends, every link for a password is used up, and the owner need not wait
 * for wrong passwords of before: whoever reads the mailbox gets the cookie of a browser that was signed in. A password
 * that is refused leaves the link good.
 */
export const resetPassword =
  (deps: Deps) =>
  async ({ token, password, network, cause: request }: Reset): Promise<{ readonly deviceToken: string }> => {
    const owner = await ownerOfLink(deps.store, token, 'password', deps.clock());
    if (owner === null) throw badLink();
    refuseWeak(deps, password, owner);
    const passwordHash = await deps.passwords.withHashingSlot((slot) => slot.hash(password));
    const { accountId } = owner;
    await changeAccount(deps, byOwner(owner, request), {
      decide: (_, now) => ({ type: 'PasswordReset', data: { accountId, at: now.toISOString() } }),
      ends: 'password_replaced',
      write: async (writes, now) => {
        await useLink(writes, { token, accountId, purpose: 'password' }, now);
        await writes.setPassword(accountId, passwordHash);
      },
    });
    const address = canonicalOf(owner.email);
    await forgetFailures(deps, address, network);
    return { deviceToken: deviceToken(address, deps.deviceKeys) };
  };

const forgetFailures = async ({ store, mailboxKeys, clock }: Deps, address: string, network: string): Promise<void> => {
  const mailboxKey = mailboxKeys.current.bytes;
  const hash = mailboxHash(address, mailboxKey);
  const buckets = [wholeMailbox(hash), mailboxAndNetwork(hash, network)];
  await store.changeTallies(
    buckets.map((name) => bucketOf('sign-in', mailboxKey, name)),
    () => ({ tallies: buckets.map(() => emptyTally(clock().getTime())), result: undefined }),
  );
};
