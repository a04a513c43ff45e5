import type { Event } from '@event-driven-io/emmett';
import type { PlanKey } from '#src/contract/plan-keys.ts';
import type { AdmitWork } from '#src/credits/admit-work.ts';
import type { Charge } from '#src/credits/charge-credits.ts';
import { type CreditsEvent, evolve, initialState, type State, streamsOf } from '#src/credits/credits.ts';
import { ledgerDecider } from '#src/credits/ledger/ledger-decider.ts';
import { toNewEvent } from '#src/credits/ledger/ledger-events.ts';
import { ledgerService } from '#src/credits/ledger/ledger-service.ts';
import { type RefundHistory, refundHistory } from '#src/credits/ledger/refund-history.ts';
import { dayBook, firstBook, provisionalBook } from '#src/credits/plans/renew-period.ts';
import { commandHandler } from '#src/eventlog/commands/command-handler.ts';
import { type EventLog, metaOf, type RecordedEvent } from '#src/eventlog/event-log.ts';
import { chainedFromStart } from '#src/eventlog/hash-chain.ts';
import { type Upcasters, upcasting } from '#src/eventlog/upcasting.ts';
import type { Call } from '#src/kernel/call.ts';
import type { Clock } from '#src/kernel/clock.ts';

/** A clock that only the test advances. */
export const manualClock = (start: string) => {
  let now = new Date(start);
  const clock: Clock = () => now;
  return {
    clock,
    moveTo: (time: string) => {
      now = new Date(time);
    },
    moveBy: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
  };
};

/** A call of an account, with defaults for the fields that a test does not give. */
export const callOf = (accountId: string, given: Partial<Call> = {}): Call => ({
  accountId,
  actor: { type: 'key', id: `key_of_${accountId}` },
  channel: 'rest',
  requestId: 'req_1',
  deduplicationKey: 'operation-1',
  isRepeatable: true,
  capCredits: null,
  traceparent: null,
  signal: new AbortController().signal,
  ...given,
});

/** Admits work without a bound. */
export const admitAll: AdmitWork = (_, work) => work(() => {});

export const transcriptCharge = (amount: number, what = 'video'): Charge => ({
  what,
  operation: 'transcript',
  amount,
  requests: 1,
  videoId: 'abcdefghijk',
});

/** The ledger of one process on this log; `upcasters` are those of the log. */
export const ledgerOn = (
  log: EventLog,
  {
    clock,
    maxEvents,
    timeoutMs,
    upcasters = {},
  }: { clock: Clock; maxEvents?: number; timeoutMs?: number; upcasters?: Upcasters },
) => {
  const { versionOf } = upcasting(upcasters);
  const handler = commandHandler({
    log,
    clock,
    decider: ledgerDecider({ versionOf, ...(maxEvents === undefined ? {} : { maxEvents }) }),
    locate: async (accountId) => {
      const books = await log.streamsWithPrefix(streamsOf(accountId), { limit: 1, descending: true });
      return books[0] ?? null;
    },
    unknownKey: (accountId) => new Error(`account ${accountId} has no book`),
    snapshotEvery: 20,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const history: RefundHistory = refundHistory(log);
  return { handler, ...ledgerService({ handler, history, clock }) };
};

/** Opens the first book of an account. */
export const openBook = async (
  log: EventLog,
  accountId: string,
  { plan = 'free', clock, upcasters }: { plan?: PlanKey; clock: Clock; upcasters?: Upcasters },
): Promise<void> => {
  await append(log, accountId, firstBook({ accountId, plan }, clock()), clock, upcasters);
};

/** Opens the first book of an account that must prove its mailbox before it gets its plan. */
export const openProvisionalBook = async (
  log: EventLog,
  accountId: string,
  { credits, clock }: { credits: number; clock: Clock },
): Promise<void> => append(log, accountId, provisionalBook({ accountId, plan: 'free', credits }, clock()), clock);

/** Opens the book of an anonymous visitor for this UTC day. */
export const openDayBook = async (
  log: EventLog,
  accountId: string,
  { credits, clock }: { credits: number; clock: Clock },
): Promise<void> => {
  const day = clock().toISOString().slice(0, 10);
  await append(log, accountId, dayBook({ accountId, day, credits }, clock()), clock);
};

const append = async (
  log: EventLog,
  accountId: string,
  { stream, events }: ReturnType<typeof firstBook>,
  clock: Clock,
  upcasters: Upcasters = {},
): Promise<void> => {
  const { versionOf } = upcasting(upcasters);
  const meta = metaOf(callOf(accountId), clock().toISOString());
  const chained = chainedFromStart(
    stream,
    events.map((event) => toNewEvent(event, meta, versionOf)),
  );
  await log.append([chained]);
};

/** The events of all books of an account in order. */
export const booksOf = async (log: EventLog, accountId: string): Promise<readonly RecordedEvent<CreditsEvent>[][]> => {
  const streams = await log.streamsWithPrefix(streamsOf(accountId), { limit: 1_000 });
  const books: RecordedEvent<CreditsEvent>[][] = [];
  for (const stream of streams) books.push([...(await log.read<CreditsEvent>(stream))]);
  return books;
};

export const foldOf = (events: readonly Event[]): State =>
  events.reduce((state, event) => evolve(state, event as CreditsEvent), initialState());
