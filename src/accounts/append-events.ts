import type { Event } from '@event-driven-io/emmett';
import {
  type Append,
  type EventLog,
  isAppended,
  metaOf,
  type StoredCall,
  type Transaction,
} from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { Refusal } from '../kernel/refusal.ts';

/** Who acts, and in which request: stored with each event. */
export type Cause = Omit<StoredCall, 'accountId'>;

/** What somebody does to an account: its owner, signed in, or an operator. */
export type AccountAction = { readonly accountId: string; readonly cause: Cause };

/** What the owner of an account does in a request. */
export const byOwner = (
  { accountId, userId }: { readonly accountId: string; readonly userId: string },
  request: Omit<Cause, 'actor'>,
): AccountAction => ({ accountId, cause: { ...request, actor: { type: 'user', id: userId } } });

/** An event about an account, for its stream. `id` is derived from the operation, so that a repeat appends nothing. */
export const appendOf = (
  stream: string,
  expected: bigint,
  event: Event<string, { accountId: string; at: string }>,
  { id, cause }: { readonly id: string; readonly cause: Cause },
): Append => {
  const { accountId, at } = event.data;
  return { stream, expected, events: [newEvent(event, id, metaOf({ ...cause, accountId }, at))] };
};

/** `conflict`: the state that the decision was made on has changed; nothing is stored. */
export type AppendResult = 'appended' | 'conflict';

/** Of concurrent changes to one account, one succeeds in each round. */
const maxRounds = 20;
const busyRetryS = 1;

/** Optimistic concurrency: decides and appends again after each conflict, at most twenty times; then 503. */
export const retryOnConflict = async (round: () => Promise<AppendResult>): Promise<void> => {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    if ((await round()) === 'appended') return;
  }
  const message = 'The account is being changed by other requests at this moment.';
  throw new Refusal('SERVICE_UNAVAILABLE', message, null, busyRetryS);
};

/**
 * Appends all or nothing. `within` runs in the transaction of the append and returns 'conflict' when the rows have
 * changed since the decision: then nothing is stored.
 */
export const appendAll = async (
  log: Pick<EventLog, 'append'>,
  appends: readonly Append[],
  within: (transaction: Transaction) => Promise<AppendResult>,
): Promise<AppendResult> => {
  const seen: { rows: AppendResult } = { rows: 'appended' };
  try {
    const outcomes = await log.append(appends, {
      within: async (transaction) => {
        seen.rows = await within(transaction);
        if (seen.rows === 'conflict') throw new Error('rows changed since the decision');
      },
    });
    return outcomes.every(isAppended) ? 'appended' : 'conflict';
  } catch (error) {
    if (seen.rows === 'conflict') return 'conflict';
    throw error;
  }
};
