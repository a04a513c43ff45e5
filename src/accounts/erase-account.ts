import type { Command } from '@event-driven-io/emmett';
import { uuidOf } from '../kernel/ids.ts';
import * as account from './account.ts';
import { type PasswordCheck, wrongCredentials } from './check-password.ts';
import { endingsOf } from './end-sessions.ts';
import { assertOpen, type Own, type OwnDeps, ownerOf, readAccount } from './own-account.ts';
import { type Addition, type Cause, recorded, settle, untilSettled } from './recording.ts';

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
  /** Ends everything that works without a session, in the same transaction: keys, webhooks, running jobs. */
  readonly endBelongings: (belongings: {
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
    const { log, store, clock } = deps;
    const { accountId, cause } = own;
    const owner = await ownerOf(deps, accountId);
    await deps.checkPassword({
      bucket: `account ${accountId}`,
      network: own.network,
      password: own.password,
      find: async () => owner,
    });

    await untilSettled(async () => {
      const { state, version } = await readAccount(deps, accountId);
      const now = clock();
      const erased = decide(
        { type: 'EraseAccount', data: { accountId }, metadata: { now } },
        state,
      );
      const open = await store.openSessions(accountId, now);
      const belongings = await deps.endBelongings({ accountId, now, cause });
      const change = {
        stream: account.streamOf(accountId),
        expected: version,
        events: [recorded(erased, uuidOf(`account-erased|${accountId}`), cause)],
      };
      const appends = [
        change,
        ...endingsOf(open, 'account_erased', now, cause),
        ...belongings.flatMap((addition) => addition.appends),
      ];
      return settle(log, appends, async (transaction) => {
        const writes = store.writesIn(transaction);
        const locked = await writes.lock(accountId);
        if (locked?.passwordHash !== owner.passwordHash) throw wrongCredentials();
        const known = new Set(open.map(({ sessionId }) => sessionId));
        const opened = await writes.openSessionIds(accountId, now);
        if (opened.some((id) => !known.has(id))) return 'moved';
        for (const { within } of belongings) {
          if ((await within?.(transaction)) === 'moved') return 'moved';
        }
        await writes.erase(accountId);
        return 'settled';
      });
    });
  };
