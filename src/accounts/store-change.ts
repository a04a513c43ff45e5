import type { EventLog } from '../eventlog/event-log.ts';
import { newUuid } from '../kernel/ids.ts';
import * as account from './account.ts';
import type { AccountStore, AccountWrites } from './account-store.ts';
import { type AppendResult, appendAll, type Cause, toNewEvent } from './append-events.ts';
import { endingsOf } from './end-sessions.ts';
import type { SessionEnd } from './session.ts';

type Deps = {
  readonly log: Pick<EventLog, 'append'>;
  readonly store: Pick<AccountStore, 'openSessions' | 'writesIn'>;
};

/** One event of an account and the rows beside it. `ends`: why its sessions end with it; null: they do not. */
export const storeChange = async (
  { log, store }: Deps,
  {
    cause,
    version,
    event,
    ends,
    write,
  }: {
    readonly cause: Cause;
    /** Of the account's stream, as the event was decided on. */
    readonly version: bigint;
    readonly event: account.AccountEvent;
    readonly ends: SessionEnd | null;
    readonly write: (writes: AccountWrites) => Promise<void>;
  },
): Promise<AppendResult> => {
  const { accountId, at } = event.data;
  const now = new Date(at);
  const open = ends === null ? [] : await store.openSessions(accountId, now);
  const change = {
    stream: account.streamOf(accountId),
    expected: version,
    events: [toNewEvent(event, newUuid(), cause)],
  };
  const ended = ends === null ? [] : endingsOf(open, ends, now, cause);
  return await appendAll(log, [change, ...ended], async (transaction) => {
    const writes = store.writesIn(transaction);
    if ((await writes.lock(accountId)) === null) return 'conflict';
    await write(writes);
    // Also those that began since they were read.
    if (ends !== null) await writes.deleteSessions(await writes.openSessionIds(accountId, now));
    return 'appended';
  });
};
