import type { Event } from '@event-driven-io/emmett';
import type {
  Append,
  AppendOutcome,
  EventLog,
  NewEvent,
  Transaction,
} from '../eventlog/event-log.ts';
import { metaOf, type StoredCall } from '../eventlog/event-meta.ts';
import { currentSchemaVersion } from '../eventlog/upcasting.ts';
import { Refusal } from '../kernel/refusal.ts';

/** Why something is recorded: who acts and in which request. */
export type Cause = Omit<StoredCall, 'accountId'>;

/** What another room adds to a transaction of this one; `within` says whether what it adds is still so. */
export type Addition = {
  readonly appends: readonly Append[];
  readonly within?: (transaction: Transaction) => Promise<Settled>;
};

/** An event of an account with what surrounds it. `id` is made from what happened. */
export const recorded = <E extends Event<string, { accountId: string; at: string }>>(
  event: E,
  id: string,
  cause: Cause,
): NewEvent<E> => ({
  id,
  type: event.type,
  schemaVersion: currentSchemaVersion,
  data: event.data,
  meta: metaOf({ ...cause, accountId: event.data.accountId }, event.data.at),
});

/** The append found the world as it was decided on, or somebody was faster. */
export type Settled = 'settled' | 'moved';

/** Of those who change one account at the same time, one is done in each round. */
const maxRounds = 20;
const busyRetryS = 1;

/** Decides and appends anew while others are faster, at most twenty times; then 503. */
export const untilSettled = async (round: () => Promise<Settled>): Promise<void> => {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    if ((await round()) === 'settled') return;
  }
  const message = 'The account is being changed by somebody else at this moment.';
  throw new Refusal('SERVICE_UNAVAILABLE', message, null, busyRetryS);
};

/**
 * Appends all or nothing. `within` answers 'moved' when the rows are no longer what was decided on:
 * then nothing is stored.
 */
export const settle = async (
  log: Pick<EventLog, 'append'>,
  appends: readonly Append[],
  within: (transaction: Transaction) => Promise<Settled>,
): Promise<Settled> => {
  const seen: { rows: Settled } = { rows: 'settled' };
  try {
    const outcomes = await log.append(appends, {
      within: async (transaction) => {
        seen.rows = await within(transaction);
        if (seen.rows === 'moved') throw new Error('rows moved under a decision');
      },
    });
    return outcomes.every(isAppended) ? 'settled' : 'moved';
  } catch (error) {
    if (seen.rows === 'moved') return 'moved';
    throw error;
  }
};

const isAppended = ({ outcome }: AppendOutcome): boolean => outcome === 'appended';
