import type { Done } from '../eventlog/commands/command-handler.ts';
import type { NewEvent, RecordedEvent } from '../eventlog/event-log.ts';
import { type CreditsEvent, type State, streamOf } from './credits.ts';
import type { RefundHistory } from './keep-ledger.ts';

/**
 * What books before the open one gave back for those of these events that are charges of earlier books, by charge. Null
 * where there are none: only a repeat finds such a charge, and nothing is read for any other command.
 */
export const refundedSince = (
  { events, state }: Pick<Done<State, CreditsEvent>, 'events' | 'state'>,
  history: Pick<RefundHistory, 'refundsBetween'>,
): Promise<ReadonlyMap<string, number>> | null => {
  const [after] = events
    .filter(isRecordedCharge)
    .toSorted((one, other) => Number(one.position - other.position));
  if (after === undefined) return null;
  // The book of the state, not the one that is open by now: what it gave back is in the state.
  const before = streamOf(state.accountId, state.period, state.part);
  return after.stream < before ? history.refundsBetween(state.accountId, { after, before }) : null;
};

/** It was in the log before the command: what the command itself wrote is not read from there. */
const isRecordedCharge = (
  event: NewEvent<CreditsEvent>,
): event is RecordedEvent<CreditsEvent> & NewEvent<CreditsEvent> =>
  event.type === 'CreditsCharged' && 'stream' in event;
