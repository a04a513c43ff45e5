import type { Command } from '@event-driven-io/emmett';
import type { Append, Transaction } from '../eventlog/event-log.ts';
import { readState } from '../eventlog/read/read-state.ts';
import { uuidOf } from '../kernel/ids.ts';
import * as account from './account.ts';
import type { Credential } from './account-store.ts';
import {
  type AccountAction,
  type AppendResult,
  appendAll,
  appendOf,
  type Cause,
  retryOnConflict,
} from './append-events.ts';
import * as mailbox from './email-address.ts';
import { countersOfOwner } from './password/replace-password.ts';
import { claimIdOf } from './registration/register-account.ts';
import { type PasswordCheck, wrongCredentials } from './sign-in/check-password.ts';
import { endingsOf } from './sign-in/end-sessions.ts';
import { assertOpen, type OwnDeps, ownerOf, readAccount } from './signed-in-owner.ts';

export type EraseAccount = Command<'EraseAccount', { accountId: string }, { now: Date }>;

/** Throws UNAUTHENTICATED for an account that is erased already. */
export const decide = (
  { data: { accountId }, metadata: { now } }: EraseAccount,
  state: account.State,
): account.AccountErased => {
  assertOpen(state);
  return { type: 'AccountErased', data: { accountId, at: now.toISOString() } };
};

type ErasureDeps = Pick<OwnDeps, 'log' | 'store' | 'clock' | 'mailboxKeys'> & { readonly owned: OwnedResources };

/** Keys, webhooks and jobs: what acts without a session and ends with the account. */
export type OwnedResources = {
  /** Refuses further appends to them. When it resolves, earlier appends are committed. */
  readonly block: (accountId: string) => Promise<void>;
  /** Undoes `block` after a failed erasure. */
  readonly unblock: (accountId: string) => Promise<void>;
  /** Their end events, for the transaction of the erasure; `within` writes their rows, or says that their state has changed. */
  readonly end: (ending: {
    readonly accountId: string;
    readonly now: Date;
    readonly cause: Cause;
  }) => Promise<{
    readonly appends: readonly Append[];
    readonly within: (transaction: Transaction) => Promise<AppendResult>;
  }>;
};

/**
 * Erases the personal data: name, address, password, sessions, origins. The log holds none of them, so every hash chain
 * stays valid. The remaining events under the account id identify nobody.
 */
export const eraseAccount =
  (deps: OwnDeps & ErasureDeps & { readonly checkPassword: PasswordCheck }) =>
  async (own: AccountAction & { readonly password: string }): Promise<void> => {
    const { accountId } = own;
    const owner = await ownerOf(deps, accountId);
    await deps.checkPassword({ ...countersOfOwner(deps, accountId), password: own.password, find: async () => owner });
    await erase(deps, own, owner);
  };

/** Erases an account without asking for its password; `owner`: its row. If that fails, its keys and webhooks work again. */
export const erase = async (deps: ErasureDeps, erasure: AccountAction, owner: Credential): Promise<void> => {
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
  { log, store, clock, owned, mailboxKeys }: ErasureDeps,
  { accountId, cause }: AccountAction,
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
    const id = uuidOf(`account-erased|${accountId}`);
    const hash = mailbox.mailboxHash(mailbox.canonicalOf(owner.email), mailboxKeys.current.bytes);
    const appends = [
      appendOf(account.streamOf(accountId), version, erased, { id, cause }),
      ...(await claimOf(log, hash, { accountId, now, cause })),
      ...endingsOf(open, 'account_erased', now, cause),
      ...ends.appends,
    ];
    return appendAll(log, appends, async (transaction) => {
      const writes = store.writesIn(transaction);
      const locked = await writes.lock(accountId);
      if (locked?.password.hash !== owner.password.hash) throw wrongCredentials();
      if ((await ends.within(transaction)) === 'conflict') return 'conflict';
      await writes.erase(accountId);
      return 'appended';
    });
  });
};

/**
 * The claim by which the mailbox stays with an erased account for a day. Its stream lacks one where the account was made
 * under another key.
 */
const claimOf = async (
  log: OwnDeps['log'],
  hash: string,
  { accountId, now, cause }: { readonly accountId: string; readonly now: Date; readonly cause: Cause },
): Promise<readonly Append[]> => {
  const stream = mailbox.streamOf(hash);
  const { state, version } = await readState(log, stream, mailbox);
  if (state.claimedBy === accountId) return [];
  const claim: mailbox.MailboxClaimed = { type: 'MailboxClaimed', data: { accountId, at: now.toISOString() } };
  return [appendOf(stream, version, claim, { id: claimIdOf(hash, version), cause })];
};
