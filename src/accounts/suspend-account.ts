import { Refusal } from '../kernel/refusal.ts';
import type * as account from './account.ts';
import type { AccountParts } from './account-parts.ts';
import type { AccountSearch, Credential } from './account-store.ts';
import { changeAccount } from './append-account-change.ts';
import type { AccountAction } from './append-events.ts';
import { mailboxHashes } from './email-address.ts';
import { erase } from './erase-account.ts';
import { requireMailbox } from './field-refusals.ts';
import type { RefusedWords } from './password/password-policy.ts';
import { refuseWeak } from './password/replace-password.ts';
import { issuePasswordLink } from './password/reset-password.ts';

/** An account as operators see it. */
export type AccountRecord = Omit<Credential, 'password'>;

const withoutHash = ({ password: _, ...account }: Credential): AccountRecord => account;

/** The event of this type on an account of this status; null for any other: nothing is to be done. */
const decideWhile =
  (status: account.State['status'], type: 'AccountSuspended' | 'AccountResumed', accountId: string) =>
  (state: account.State, now: Date): account.AccountEvent | null =>
    state.status === status ? { type, data: { accountId, at: now.toISOString() } } : null;

type Deps = Parameters<typeof erase>[0] & RefusedWords & Pick<AccountParts, 'passwords' | 'baseUrl'>;

/** What operators do to accounts: no password is asked for, no limit counts. */
export const accountActions = (deps: Deps) => ({
  /** Accounts by their id, a page at a time. */
  listAccounts: async (search: AccountSearch): Promise<readonly AccountRecord[]> =>
    (await deps.store.list(search)).map(withoutHash),
  /** The account with this id or mail address, null when there is none. */
  findAccount: async (
    wanted: { readonly accountId: string } | { readonly email: string },
  ): Promise<AccountRecord | null> => {
    const found =
      'accountId' in wanted
        ? await deps.store.find(wanted.accountId)
        : await deps.store.findByMailbox(mailboxHashes(requireMailbox(wanted.email).canonical, deps.mailboxKeys));
    return found === null ? null : withoutHash(found);
  },
  /** Ends its sessions, and refuses its keys and its owner from now on; false: it is suspended already. */
  suspendAccount: async (operated: AccountAction): Promise<boolean> => {
    const { accountId } = await requireAccount(deps, operated.accountId);
    return await changeAccount(deps, operated, {
      decide: decideWhile('open', 'AccountSuspended', accountId),
      ends: 'suspended',
      write: (writes, now) => writes.setSuspended(accountId, now),
    });
  },
  /** Takes a suspension back; false: there is none. */
  resumeAccount: async (operated: AccountAction): Promise<boolean> => {
    const { accountId } = await requireAccount(deps, operated.accountId);
    return await changeAccount(deps, operated, {
      decide: decideWhile('suspended', 'AccountResumed', accountId),
      write: (writes) => writes.setSuspended(accountId, null),
    });
  },
  /** Sets the password; every session ends. */
  setPassword: async (operated: AccountAction & { readonly password: string }): Promise<void> => {
    const { accountId, password } = operated;
    refuseWeak(deps, password, await requireAccount(deps, accountId));
    const passwordHash = await deps.passwords.withHashingSlot((slot) => slot.hash(password));
    await changeAccount(deps, operated, {
      decide: (_, now) => ({ type: 'PasswordReplaced', data: { accountId, at: now.toISOString() } }),
      ends: 'password_replaced',
      write: async (writes) => {
        await writes.setPassword(accountId, passwordHash);
        await writes.deleteLinks(accountId, 'password');
      },
    });
  },
  /** The address of a link by which the owner sets a new password, once and within an hour. */
  issuePasswordLink: async (operated: AccountAction) => {
    await requireAccount(deps, operated.accountId);
    return await issuePasswordLink(deps)(operated);
  },
  eraseAccountOf: async (operated: AccountAction): Promise<void> =>
    erase(deps, operated, await requireAccount(deps, operated.accountId)),
});

const requireAccount = async ({ store }: Pick<Deps, 'store'>, accountId: string): Promise<Credential> => {
  const found = await store.find(accountId);
  if (found === null) throw new Refusal('NOT_FOUND', `There is no account ${accountId}.`);
  return found;
};
