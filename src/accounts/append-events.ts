import type { Event } from '@event-driven-io/emmett';
import {
  type Append,
  type AppendOutcome,
  type EventLog,
  metaOf,
  type NewEvent,
  type StoredCall,
  type Transaction,
} from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { Refusal } from '../kernel/refusal.ts';

/** Who acts, and in which request: stored with each event. */
export type Cause = Omit<StoredCall, 'accountId'>;

/** Events of another module for the same transaction; `within` writes its rows, or says that its state has changed. */
export type Addition = {
  readonly appends: readonly Append[];
  readonly within?: (transaction: Transaction) => Promise<AppendResult>;
};

/** An event of an account with its metadata. `id` is derived from the operation, so that a repeat appends nothing. */
export const toNewEvent = <E extends Event<string, { accountId: string; at: string }>>(
  event: E,
  id: string,
  cause: Cause,
): NewEvent<E> => newEvent(event, id, metaOf({ ...cause, accountId: event.data.accountId }, event.data.at));

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

const isAppended = ({ outcome }: AppendOutcome): boolean => outcome === 'appended';
