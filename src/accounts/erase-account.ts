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
  readonly owned: OwnedResources;
};

/** Keys, webhooks and jobs: what acts without a session and ends with the account. */
export type OwnedResources = {
  /** Refuses further appends to them. When it resolves, earlier appends are committed. */
  readonly block: (accountId: string) => Promise<void>;
  /** Undoes `block` after a failed erasure. */
  readonly unblock: (accountId: string) => Promise<void>;
  /** Their end events, for the transaction of the erasure. */
  readonly end: (ending: {
    readonly accountId: string;
    readonly now: Date;
    readonly cause: Cause;
  }) => Promise<readonly Addition[]>;
};

/**
 * Erases the personal data: name, address, password, sessions, origins. The log holds none of them, so every hash chain
 * stays valid. The remaining events under the account id identify nobody.
 */
export const eraseAccount =
  (deps: Deps) =>
  async (own: Own & { readonly password: string }): Promise<void> => {
    const { accountId } = own;
    const owner = await ownerOf(deps, accountId);
    await deps.checkPassword({
      bucket: `account ${accountId}`,
      network: own.network,
      password: own.password,
      find: async () => owner,
    });
    await erase(deps, own, owner);
  };

type ErasureDeps = Pick<Deps, 'log' | 'store' | 'clock' | 'owned'>;
type Erasure = Pick<Own, 'accountId' | 'cause'>;

export const erase = async (
  deps: ErasureDeps,
  erasure: Erasure,
  owner: Credential,
): Promise<void> => {
  // A client that keeps creating keys must not outrun the erasure.
  await deps.owned.block(erasure.accountId);
  try {
    await appendErasure(deps, erasure, owner);
  } catch (error) {
    await deps.owned.unblock(erasure.accountId);
    throw error;
  }
};

/**
 * Sessions that begin meanwhile are deleted with the profile; `AccountErased` ends them. After a conflict it ends all
 * sessions: each sign-in above the maximum ends an older session, and would cause a conflict in every round.
 */
const appendErasure = async (
  { log, store, clock, owned }: ErasureDeps,
  { accountId, cause }: Erasure,
  owner: Credential,
): Promise<void> => {
  let isFirstRound = true;
  await retryOnConflict(async () => {
    const { state, version } = await readAccount({ log }, accountId);
    const now = clock();
    const erased = decide({ type: 'EraseAccount', data: { accountId }, metadata: { now } }, state);
    const ends = await owned.end({ accountId, now, cause });
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
