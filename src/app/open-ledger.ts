import { dayBook, firstBook, provisionalBook } from '../credits/book-lifecycle.ts';
import { streamsOf } from '../credits/credits.ts';
import { type FailureCounter, failureCounter } from '../credits/failure-counter.ts';
import { ledgerDecider } from '../credits/ledger-decider.ts';
import { toNewEvent } from '../credits/ledger-events.ts';
import { type Ledger, ledgerService } from '../credits/ledger-service.ts';
import type { OperationContext } from '../credits/operation-context.ts';
import type { PlanKey } from '../credits/plans.ts';
import { refundHistory } from '../credits/refund-history.ts';
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
export const openLedger = (
  log: EventLog,
  clock: Clock,
  onCharged?: (credits: number) => void,
): OpenLedger => {
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

/** The append that opens the first book of an account, for the transaction that creates the account. */
export const firstBookAppend = (
  opening: { readonly accountId: string; readonly plan: PlanKey; readonly now: Date },
  context: OperationContext,
): Append => begun(firstBook(opening, opening.now), context, opening.now);

/** The append that opens the first book of an account that must prove its mailbox before it gets its plan. */
export const provisionalBookAppend = (
  opening: {
    readonly accountId: string;
    readonly plan: PlanKey;
    readonly credits: number;
    readonly now: Date;
  },
  context: OperationContext,
): Append => begun(provisionalBook(opening, opening.now), context, opening.now);

/** The append that opens the book of an anonymous visitor for a day, before the first charge of that day. */
export const dayBookAppend = (
  opening: {
    readonly accountId: string;
    readonly day: string;
    readonly credits: number;
    readonly now: Date;
  },
  context: OperationContext,
): Append => begun(dayBook(opening, opening.now), context, opening.now);

const begun = (
  { stream, events }: ReturnType<typeof firstBook>,
  context: OperationContext,
  now: Date,
): Append => {
  const meta = metaOf(context, now.toISOString());
  return chainedFromStart(
    stream,
    events.map((event) => toNewEvent(event, meta, versionOf)),
  );
};
