import type { Command } from '@event-driven-io/emmett';
import { uuidOf } from '../kernel/ids.ts';
import * as account from './account.ts';
import type { Credential } from './account-store.ts';
import {
  type Addition,
  appendAll,
  type Cause,
  retryOnConflict,
  toNewEvent,
} from './append-events.ts';
import { type PasswordCheck, wrongCredentials } from './check-password.ts';
import { endingsOf } from './end-sessions.ts';
import { assertOpen, type Own, type OwnDeps, ownerOf, readAccount } from './own-account.ts';

export type EraseAccount = Command<'EraseAccount', { accountId: string }, { now: Date }>;

export const decide = (
  { data: { accountId }, metadata: { now } }: EraseAccount,
  state: account.State,
): account.AccountErased => {
  assertOpen(state);
  return { type: 'AccountErased', data: { accountId, at: now.toISOString() } };
};

type Deps = OwnDeps & {
  readonly checkPassword: PasswordCheck;
  readonly belongings: Belongings;
};

/** What works without a session and ends with the account: keys, webhooks, jobs. */
export type Belongings = {
  /** From now on nothing is added to them; what was added before is committed. */
  readonly refuse: (accountId: string) => Promise<void>;
  /** Takes `refuse` back when the account could not be erased. */
  readonly admit: (accountId: string) => Promise<void>;
  /** Their end, to be stored in the transaction of the erasure. */
  readonly end: (ending: {
    readonly accountId: string;
    readonly now: Date;
    readonly cause: Cause;
  }) => Promise<readonly Addition[]>;
};

/**
 * Erases the person: name, address, password, sessions, origins. The log holds none of these, so every hash
 * chain stays as it is. What remains under the account's id names nobody any more.
 */
export const eraseAccount =
  (deps: Deps) =>
  async (own: Own & { readonly password: string }): Promise<void> => {
    const { belongings } = deps;
    const { accountId } = own;
    const owner = await ownerOf(deps, accountId);
    await deps.checkPassword({
      bucket: `account ${accountId}`,
      network: own.network,
      password: own.password,
      find: async () => owner,
    });

    // A client that keeps creating keys must not outrun the erasure.
    await belongings.refuse(accountId);
    try {
      await erase(deps, own, owner);
    } catch (error) {
      await belongings.admit(accountId);
      throw error;
    }
  };

/**
 * Sessions that begin meanwhile are deleted with the profile; the account's own event is their end. After a conflict it
 * is the end of all: each sign-in above the most sessions of an account ends an older one, and would win every round.
 */
export const erase = async (
  { log, store, clock, belongings }: Pick<Deps, 'log' | 'store' | 'clock' | 'belongings'>,
  { accountId, cause }: Pick<Own, 'accountId' | 'cause'>,
  owner: Credential,
): Promise<void> => {
  let isFirstRound = true;
  await retryOnConflict(async () => {
    const { state, version } = await readAccount({ log }, accountId);
    const now = clock();
    const erased = decide({ type: 'EraseAccount', data: { accountId }, metadata: { now } }, state);
    const ends = await belongings.end({ accountId, now, cause });
    const open = isFirstRound ? await store.openSessions(accountId, now) : [];
    isFirstRound = false;
    const change = {
      stream: account.streamOf(accountId),
      expected: version,
      events: [toNewEvent(erased, uuidOf(`account-erased|${accountId}`), cause)],
    };
    const appends = [
      change,
      ...endingsOf(open, 'account_erased', now, cause),
      ...ends.flatMap((addition) => addition.appends),
    ];
    return appendAll(log, appends, async (transaction) => {
      const writes = store.writesIn(transaction);
      const locked = await writes.lock(accountId);
      if (locked?.passwordHash !== owner.passwordHash) throw wrongCredentials();
      for (const { within } of ends) {
        if ((await within?.(transaction)) === 'conflict') return 'conflict';
      }
      await writes.erase(accountId);
      return 'appended';
    });
  });
};
