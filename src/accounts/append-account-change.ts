import { newUuid } from '../kernel/ids.ts';
import * as account from './account.ts';
import type { AccountParts } from './account-parts.ts';
import type { AccountWrites, Credential } from './account-store.ts';
import { type AccountAction, appendAll, appendOf, retryOnConflict } from './append-events.ts';
import { endingsOf } from './sign-in/end-sessions.ts';
import type { SessionEnd } from './sign-in/session.ts';
import { readAccount } from './signed-in-owner.ts';

export type ChangeDeps = Pick<AccountParts, 'log' | 'store' | 'clock'>;

/**
 * Decides on an account and appends the event with the rows beside it; decides again after a conflict. False: nothing was
 * to be done. `ends`: why the sessions of the account end with it; null: they do not.
 */
export const changeAccount = async (
  { log, store, clock }: ChangeDeps,
  { accountId, cause }: AccountAction,
  {
    decide,
    ends = null,
    write = async () => {},
  }: {
    /** Null: nothing is to be done. */
    readonly decide: (state: account.State, now: Date) => account.AccountEvent | null;
    readonly ends?: SessionEnd | null;
    readonly write?: (writes: AccountWrites, now: Date, locked: Credential) => Promise<void>;
  },
): Promise<boolean> => {
  let isChanged = false;
  await retryOnConflict(async () => {
    const { state, version } = await readAccount({ log }, accountId);
    const now = clock();
    const event = decide(state, now);
    isChanged = event !== null;
    if (event === null) return 'appended';
    const change = appendOf(account.streamOf(accountId), version, event, { id: newUuid(), cause });
    const ended = ends === null ? [] : endingsOf(await store.openSessions(accountId, now), ends, now, cause);
    return await appendAll(log, [change, ...ended], async (transaction) => {
      const writes = store.writesIn(transaction);
      const locked = await writes.lock(accountId);
      if (locked === null) return 'conflict';
      await write(writes, now, locked);
      // Also those that began since they were read.
      if (ends !== null) await writes.deleteSessions(await writes.openSessionIds(accountId, now));
      return 'appended';
    });
  });
  return isChanged;
};
