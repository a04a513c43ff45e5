import { streamsOf } from '../credits/credits.ts';
import { type FailureCounter, failureCounter } from '../credits/failure-counter.ts';
import { ledgerDecider } from '../credits/ledger/ledger-decider.ts';
import { toNewEvent } from '../credits/ledger/ledger-events.ts';
import { type Ledger, ledgerService } from '../credits/ledger/ledger-service.ts';
import { refundHistory } from '../credits/ledger/refund-history.ts';
import type { LedgerContext } from '../credits/ledger-context.ts';
import type { firstBook } from '../credits/plans/renew-period.ts';
import { commandHandler } from '../eventlog/commands/command-handler.ts';
import { type Append, type EventLog, metaOf } from '../eventlog/event-log.ts';
import { chainedFromStart } from '../eventlog/hash-chain.ts';
import { upcasting } from '../eventlog/upcasting.ts';
import { upcasters } from '../events.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';

const { versionOf } = upcasting(upcasters);

/** The ledger of this process. */
export type OpenLedger = Ledger & { readonly countFailure: FailureCounter['count'] };

/** Disposing stores counted failures, and refunds charges whose responses were not sent. */
export const openLedger = (log: EventLog, clock: Clock, onCharged?: (credits: number) => void): OpenLedger => {
  const handler = commandHandler({
    log,
    clock,
    decider: ledgerDecider({ versionOf }),
    locate: async (accountId) => {
      const newest = { limit: 1, descending: true };
      return (await log.streamsWithPrefix(streamsOf(accountId), newest))[0] ?? null;
    },
    unknownKey: (accountId) => new Refusal('NOT_FOUND', `There is no account ${accountId}.`),
  });
  const ledger = ledgerService({
    ...{ handler, history: refundHistory(log), clock },
    ...(onCharged === undefined ? {} : { onCharged }),
  });
  const failures = failureCounter(ledger.record);
  return {
    ...ledger,
    countFailure: failures.count,
    [Symbol.asyncDispose]: async () => {
      await failures[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
    },
  };
};

/** The append that opens a book, for the transaction that needs it open. */
export const openingAppend = (
  { stream, events }: ReturnType<typeof firstBook>,
  context: LedgerContext,
  now: Date,
): Append => {
  const meta = metaOf(context, now.toISOString());
  return chainedFromStart(
    stream,
    events.map((event) => toNewEvent(event, meta, versionOf)),
  );
};
