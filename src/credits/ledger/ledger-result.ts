import type { CommandResult } from '../../eventlog/commands/command-handler.ts';
import type { NewEvent, RecordedEvent } from '../../eventlog/event-log.ts';
import { type CreditsEvent, type State, streamOf } from '../credits.ts';
import type { RefundHistory } from './refund-history.ts';

/** What a ledger command posted. */
export type LedgerResult = {
  /** Credits taken from the balance. A repeat returns those of the first time, less refunded charges. */
  readonly credits: number;
  /** Id of its first event that is not a refunded charge, null if there is none. */
  readonly eventId: string | null;
  readonly eventIds: readonly string[];
  readonly isRepeat: boolean;
  readonly lastPosition: bigint;
};

/** The result of a command. A repeat leaves out a charge that was refunded in between because its answer was lost. */
export const resultOf = (
  { events, state, ...done }: CommandResult<State, CreditsEvent>,
  refundedBefore?: ReadonlyMap<string, number>,
): LedgerResult => {
  const standing = events.filter(({ id, type, data }) => {
    if (type === 'BudgetReached') return false;
    const isCharge = type === 'CreditsCharged' && 'amount' in data;
    const refunded = (state.refunds.get(id) ?? 0) + (refundedBefore?.get(id) ?? 0);
    return !isCharge || refunded < data.amount;
  });
  return {
    credits: standing.reduce((sum, { type, data }) => {
      const isSpent = type === 'CreditsCharged' || type === 'ReservationSettled';
      return isSpent && 'amount' in data ? sum + data.amount : sum;
    }, 0),
    eventId: standing[0]?.id ?? null,
    eventIds: standing.map(({ id }) => id),
    isRepeat: done.isRepeat,
    lastPosition: done.lastPosition,
  };
};

/**
 * Refunds, in books before the open one, of charges that a repeated command has found in an earlier book; by charge. Null
 * if the command found none, so that only a repeat reads other books.
 */
export const refundedSince = (
  { events, state }: Pick<CommandResult<State, CreditsEvent>, 'events' | 'state'>,
  history: Pick<RefundHistory, 'refundsBetween'>,
): Promise<ReadonlyMap<string, number>> | null => {
  const [after] = events.filter(isRecordedCharge).toSorted((one, other) => Number(one.position - other.position));
  if (after === undefined) return null;
  // The book of the state, not the one that is open by now: what it gave back is in the state.
  const before = streamOf(state.accountId, state.period, state.part);
  return after.stream < before ? history.refundsBetween(state.accountId, { after, before }) : null;
};

/** Whether this is a charge that the log had before the command: events of the command itself have no stream yet. */
const isRecordedCharge = (
  event: NewEvent<CreditsEvent>,
): event is RecordedEvent<CreditsEvent> & NewEvent<CreditsEvent> =>
  event.type === 'CreditsCharged' && 'stream' in event;
