import { newUuid } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as account from './account.ts';
import type { Credential } from './account-store.ts';
import { appendAll, type Cause, retryOnConflict, toNewEvent } from './append-events.ts';
import { endingsOf } from './end-sessions.ts';
import { erase } from './erase-account.ts';
import { type OwnDeps, readAccount } from './own-account.ts';
import type { Passwords } from './passwords.ts';
import { refuseWeak, type WeaknessDeps } from './replace-password.ts';
import type { SessionEnd } from './session.ts';

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
  WeaknessDeps & { readonly passwords: Passwords };

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
        const replaced: account.PasswordReplaced = { type: 'PasswordReplaced', data };
        return await store(deps, { accountId, cause, now, version }, replaced, {
          ends: 'password_replaced',
          write: (writes) => writes.setPassword(accountId, passwordHash),
        });
      });
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
      return await store(deps, { accountId, cause, now, version }, event, {
        ends,
        write: (writes) => writes.setSuspended(accountId, suspendedAt(now)),
      });
    });
    return isChanged;
  };

/** One event of the account and the rows beside it, with the end of its sessions where `ends` says why. */
const store = async (
  deps: Deps,
  at: Operated & { readonly now: Date; readonly version: bigint },
  event: account.AccountEvent,
  {
    ends,
    write,
  }: {
    readonly ends: SessionEnd | null;
    readonly write: (writes: ReturnType<Deps['store']['writesIn']>) => Promise<void>;
  },
) => {
  const { accountId, cause, now, version } = at;
  const open = ends === null ? [] : await deps.store.openSessions(accountId, now);
  const change = {
    stream: account.streamOf(accountId),
    expected: version,
    events: [toNewEvent(event, newUuid(), cause)],
  };
  const ended = ends === null ? [] : endingsOf(open, ends, now, cause);
  return await appendAll(deps.log, [change, ...ended], async (transaction) => {
    const writes = deps.store.writesIn(transaction);
    if ((await writes.lock(accountId)) === null) return 'conflict';
    await write(writes);
    // Also those that began since they were read.
    if (ends !== null) await writes.deleteSessions(await writes.openSessionIds(accountId, now));
    return 'appended';
  });
};
