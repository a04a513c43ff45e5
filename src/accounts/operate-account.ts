import { Refusal } from '../kernel/refusal.ts';
import type * as account from './account.ts';
import type { AccountWrites, Credential } from './account-store.ts';
import { type Cause, retryOnConflict } from './append-events.ts';
import { erase } from './erase-account.ts';
import { type OwnDeps, readAccount } from './own-account.ts';
import type { Passwords } from './passwords.ts';
import { refuseWeak, type WeaknessDeps } from './replace-password.ts';
import { issuePasswordLink } from './reset-password.ts';
import type { SessionEnd } from './session.ts';
import { storeChange } from './store-change.ts';

/** An operator who does something to an account of somebody else. */
export type Operated = { readonly accountId: string; readonly cause: Cause };

/** What operators do to accounts: no password is asked for, no limit counts. */
export type OperatorAccountCommands = {
  /** Ends its sessions, and refuses its keys and its owner from now on; false: it is suspended already. */
  suspendAccount(operated: Operated): Promise<boolean>;
  /** Takes a suspension back; false: there is none. */
  resumeAccount(operated: Operated): Promise<boolean>;
  /** Sets the password; every session ends. */
  setPassword(operated: Operated & { readonly password: string }): Promise<void>;
  /** The address of a link by which the owner sets a new password, once and within an hour. */
  issuePasswordLink(
    operated: Operated,
  ): Promise<{ readonly url: string; readonly expiresAt: Date }>;
  eraseAccountOf(operated: Operated): Promise<void>;
};

/** Null: nothing is to be done. */
export const decideSuspended = (
  accountId: string,
  now: Date,
  { status }: account.State,
): account.AccountSuspended | null =>
  status === 'open'
    ? { type: 'AccountSuspended', data: { accountId, at: now.toISOString() } }
    : null;

/** Null: nothing is to be done. */
export const decideResumed = (
  accountId: string,
  now: Date,
  { status }: account.State,
): account.AccountResumed | null =>
  status === 'suspended'
    ? { type: 'AccountResumed', data: { accountId, at: now.toISOString() } }
    : null;

type Deps = Parameters<typeof erase>[0] &
  Omit<OwnDeps, 'changesPerDay'> &
  WeaknessDeps & {
    readonly passwords: Passwords;
    readonly newToken: () => string;
    readonly baseUrl: () => Promise<string>;
  };

export const operateAccounts = (deps: Deps): OperatorAccountCommands => {
  const suspend = changing(deps, 'suspended', decideSuspended, (now) => now);
  const resume = changing(deps, null, decideResumed, () => null);
  return {
    suspendAccount: suspend,
    resumeAccount: resume,
    setPassword: async ({ accountId, cause, password }) => {
      refuseWeak(deps, password, await requireAccount(deps, accountId));
      const passwordHash = await deps.passwords.withHashingSlot((turn) => turn.hash(password));
      await retryOnConflict(async () => {
        const { version } = await readAccount(deps, accountId);
        const now = deps.clock();
        const data = { accountId, at: now.toISOString() };
        const event: account.PasswordReplaced = { type: 'PasswordReplaced', data };
        return await storeChange(deps, {
          ...{ cause, version, event, ends: 'password_replaced' },
          write: async (writes) => {
            await writes.setPassword(accountId, passwordHash);
            await writes.deleteLinks(accountId, 'password');
          },
        });
      });
    },
    issuePasswordLink: async (operated) => {
      await requireAccount(deps, operated.accountId);
      return await issuePasswordLink(deps)(operated);
    },
    eraseAccountOf: async ({ accountId, cause }) => {
      const owner = await requireAccount(deps, accountId);
      await deps.owned.block(accountId);
      try {
        await erase(deps, { accountId, cause }, owner);
      } catch (error) {
        await deps.owned.unblock(accountId);
        throw error;
      }
    },
  };
};

const requireAccount = async (
  { store }: Pick<Deps, 'store'>,
  accountId: string,
): Promise<Credential> => {
  const found = await store.find(accountId);
  if (found === null) throw new Refusal('NOT_FOUND', `There is no account ${accountId}.`);
  return found;
};

/** Appends what is decided, and writes the time of the suspension beside it. */
const changing =
  (
    deps: Deps,
    ends: Extract<SessionEnd, 'suspended'> | null,
    decide: typeof decideSuspended | typeof decideResumed,
    suspendedAt: (now: Date) => Date | null,
  ) =>
  async ({ accountId, cause }: Operated): Promise<boolean> => {
    await requireAccount(deps, accountId);
    let isChanged = false;
    await retryOnConflict(async () => {
      const { state, version } = await readAccount(deps, accountId);
      const now = deps.clock();
      const event = decide(accountId, now, state);
      isChanged = event !== null;
      if (event === null) return 'appended';
      const write = (writes: AccountWrites) => writes.setSuspended(accountId, suspendedAt(now));
      return await storeChange(deps, { cause, version, event, ends, write });
    });
    return isChanged;
  };
