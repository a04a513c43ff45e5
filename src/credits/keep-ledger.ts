import type { CommandHandler, Done } from '../eventlog/commands/command-handler.ts';
import type { Decider, Fold } from '../eventlog/commands/decide-batch.ts';
import type { RecordedEvent } from '../eventlog/event-log.ts';
import { metaOf } from '../eventlog/event-meta.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Charge } from './charge-credits.ts';
import * as credits from './credits.ts';
import { givingBack } from './give-back.ts';
import type { Reservation } from './grants.ts';
import { holdBalance } from './hold-balance.ts';
import { decide, idsOf, type LedgerCommand } from './ledger.ts';
import { ownMeta, toNewEvent, type VersionOf } from './ledger-events.ts';
import { namedOnce } from './named-once.ts';
import { bookTurn, expiries } from './open-book.ts';
import type { Origin } from './origin.ts';
import { periodNamed } from './periods.ts';
import type { PlanKey } from './plans.ts';
import type { Operation } from './prices.ts';
import type { EndedOperation } from './record-operation.ts';
import { BookTurned } from './refund-charge.ts';
import { refundedSince } from './repeated-charges.ts';

/** A state as a snapshot holds it. */
type Kept = Omit<credits.State, 'reservations' | 'spentByKey' | 'refunds'> & {
  readonly reservations: readonly Reservation[];
  readonly spentByKey: readonly [string, number][];
  readonly refunds: readonly [string, number][];
};

/** The fold of a book as the serial decider keeps it. Raise the version with every change of `evolve` or `State`. */
export const ledgerFold: Fold<credits.State, credits.CreditsEvent> = {
  initialState: credits.initialState,
  evolve: credits.evolve,
  copy: credits.copyOf,
  version: 7,
  toJson: (state) => ({
    ...state,
    reservations: [...state.reservations.values()],
    spentByKey: [...state.spentByKey],
    refunds: [...state.refunds],
  }),
  fromJson: (json) => {
    const kept = json as Kept;
    return {
      ...kept,
      reservations: new Map(kept.reservations.map((one) => [one.reservationId, one])),
      spentByKey: new Map(kept.spentByKey),
      refunds: new Map(kept.refunds),
    };
  },
};

/** The decisions of this room in the shape of the serial decider. `maxEvents`: the bound of one book. */
export const ledgerDecider = ({
  versionOf,
  maxEvents = credits.maxEventsPerBook,
}: {
  readonly versionOf: VersionOf;
  readonly maxEvents?: number;
}): Decider<credits.State, LedgerCommand, credits.CreditsEvent> => {
  const textOf = lastText();
  const ownEvent = (event: credits.CreditsEvent) => toNewEvent(event, ownMeta(event), versionOf);
  return {
    fold: ledgerFold,
    idsOf,
    decide: (command, state, known, clock) => {
      // What a book says never changes later: a process whose clock is behind stamps its events with the moment of
      // the newest one, not into a period that another process has closed.
      const text = textOf(clock);
      const now = text < state.at ? new Date(state.at) : clock;
      const meta = metaOf(command.data.origin, text < state.at ? state.at : text);
      return decide(command, state, { now, known }).map((event) =>
        toNewEvent(event, meta, versionOf),
      );
    },
    due: (state, clock) => {
      const text = textOf(clock);
      return expiries(state, text < state.at ? state.at : text).map(ownEvent);
    },
    continuedIn: ({ nextStream }) => nextStream,
    turn: (state, at) => {
      const text = textOf(at.now);
      const now = text < state.at ? state.at : text;
      const turn = bookTurn(state, { version: at.version, stream: at.stream, now }, maxEvents);
      if (turn === null) return null;
      return {
        nextStream: turn.nextStream,
        closing: turn.closing.map(ownEvent),
        opening: (hash) => turn.opening(hash).map(ownEvent),
      };
    },
  };
};

/**
 * When time alone makes something happen in a book, Unix milliseconds. A state does not change once it can be seen, and
 * every request asks this of the same one twice.
 */
const dueTimes = (): ((state: Readonly<credits.State>) => number) => {
  const known = new WeakMap<Readonly<credits.State>, number>();
  return (state) => {
    const found = known.get(state);
    if (found !== undefined) return found;
    const ends = state.grants.flatMap(({ expiresAt }) => expiresAt ?? []);
    const due = Math.min(...[state.closesAt, ...ends].map((time) => Date.parse(time)));
    // No clock that is behind brings back a time that the book is past.
    const dueAt = Date.parse(state.at) < due ? due : Number.NEGATIVE_INFINITY;
    known.set(state, dueAt);
    return dueAt;
  };
};

/** The commands of a group share one moment: its text is made once for all of them. */
const lastText = (): ((moment: Date) => string) => {
  let last: { readonly moment: Date; readonly text: string } | null = null;
  return (moment) => {
    if (last?.moment !== moment) last = { moment, text: moment.toISOString() };
    return last.text;
  };
};

/** What a ledger command did, as its caller can prove it. */
export type Posted = {
  /** Credits that this command took from the balance, those of its first time where it is a repeat; without charges that were given back. */
  readonly credits: number;
  /** Id of its first event, null when there is none; a charge that was given back is none. */
  readonly eventId: string | null;
  readonly eventIds: readonly string[];
  readonly isRepeat: boolean;
  readonly lastPosition: bigint;
};

/** What can be spent now; `remaining` leaves out what is reserved. */
export type Balance = {
  readonly plan: PlanKey;
  readonly remaining: number;
  readonly reserved: number;
  readonly period: string;
  readonly opensAt: string;
  readonly closesAt: string;
  /** What each key has spent and reserved in this period. */
  readonly spentByKey: ReadonlyMap<string, number>;
};

/** Finds what has to be known of the past: charges, and what closed books refunded of them. */
export type RefundHistory = {
  eventById(id: string): Promise<RecordedEvent<credits.CreditsEvent> | null>;
  /** What all books before the open one gave back for a charge, and which book is the open one. */
  refundedBefore(
    charge: RecordedEvent<credits.CreditsEvent>,
    accountId: string,
  ): Promise<{ readonly refunded: number; readonly openBook: string }>;
  /** What was given back after an event of the books, up to where the book `before` begins; by charge. */
  refundsBetween(
    accountId: string,
    between: {
      readonly after: Pick<RecordedEvent, 'stream' | 'version'>;
      readonly before: string;
    },
  ): Promise<ReadonlyMap<string, number>>;
};

export type Ledger = ReturnType<typeof keepLedger>;

/**
 * The doors of the ledger. Every one that posts is durable when it resolves. Refusals: INSUFFICIENT_CREDITS;
 * a `ConcurrencyError` error means that other writers did not let it through and nothing was posted.
 */
export const keepLedger = ({
  serial,
  hasEvent,
  history,
  clock,
}: {
  readonly serial: CommandHandler<credits.State, LedgerCommand, credits.CreditsEvent>;
  readonly hasEvent: (id: string) => Promise<boolean>;
  readonly history: RefundHistory;
  readonly clock: Clock;
}) => {
  const run = async (command: LedgerCommand): Promise<Posted> => {
    const done = await serial.run(command.data.origin.accountId, command);
    const refunds = refundedSince(done, history);
    return refunds === null ? postedOf(done) : postedOf(done, await refunds);
  };

  const dueOf = dueTimes();
  /** The state of the open book; a book whose time is over is turned first. */
  const open = async (origin: Origin, fresh: boolean): Promise<Readonly<credits.State>> => {
    const state = await serial.peek(origin.accountId, { fresh });
    if (clock().getTime() < dueOf(state)) return state;
    return (await serial.run(origin.accountId, { type: 'KeepBook', data: { origin } })).state;
  };

  const once = namedOnce({ run, eventById: history.eventById });
  const refund = refundInOpenBook({ run: once, open, history });
  const isCharged = async (chargeId: string): Promise<boolean> => {
    const charge = await history.eventById(chargeId);
    return charge !== null && isCharge(charge);
  };

  return {
    hold: holdBalance({ stateOf: open, hasEvent }),
    charge: (origin: Origin, charges: readonly Charge[]) =>
      run({ type: 'ChargeCredits', data: { origin, charges } }),
    grant: (
      origin: Origin,
      grant: { reference: string; amount: number; expiresAt: string | null },
    ) => once({ type: 'GrantCredits', data: { origin, ...grant } }),
    assignPlan: (origin: Origin, plan: PlanKey) =>
      run({ type: 'AssignPlan', data: { origin, plan } }),
    refund,
    giveBack: givingBack({ isCharged, refund }),
    reserve: (origin: Origin, wanted: { reservationId: string; jobId: string; amount: number }) =>
      run({ type: 'ReserveCredits', data: { origin, ...wanted } }),
    settleItem: (
      origin: Origin,
      item: {
        reservationId: string;
        jobId: string;
        itemId: string;
        attempt: number;
        operation: Operation;
        amount: number;
        videoId: string | null;
      },
    ) => run({ type: 'SettleItem', data: { origin, ...item } }),
    release: (
      origin: Origin,
      what: {
        reservationId: string;
        jobId: string;
        itemId: string | null;
        amount: number | null;
        why: credits.ReservationReleased['data']['why'];
      },
    ) => run({ type: 'ReleaseReservation', data: { origin, ...what } }),
    /** Usage counts an operation that was free (`code` null), or requests that failed. */
    record: (origin: Origin, ended: EndedOperation) =>
      run({ type: 'RecordOperation', data: { origin, ...ended } }),
    keepBook: keepingBook(serial),
    /** The state of the open book; without `fresh`, as this process knows it. */
    balance: async (origin: Origin, { fresh }: { readonly fresh: boolean }): Promise<Balance> => {
      const state = await open(origin, fresh);
      return {
        plan: state.plan ?? 'free',
        remaining: state.available,
        reserved: state.reserved,
        period: state.period,
        // Only looked at by usage: a request that checks its key would pay for it too.
        get opensAt() {
          return periodNamed(state.anchorDay, state.period).opensAt;
        },
        closesAt: state.closesAt,
        spentByKey: state.spentByKey,
      };
    },
  };
};

/**
 * Opens the period that is due; does nothing else. With `endedAt` the period that ended then, by the clock of who asks:
 * while that of this process says that it is not over this throws, to be asked again. What nobody opens is not invoiced.
 */
const keepingBook =
  (serial: Pick<CommandHandler<credits.State, LedgerCommand, credits.CreditsEvent>, 'run'>) =>
  async (origin: Origin, endedAt = ''): Promise<Posted> => {
    const done = await serial.run(origin.accountId, { type: 'KeepBook', data: { origin } });
    const { plan, closesAt } = done.state;
    if (plan === null || closesAt > endedAt) return postedOf(done);
    throw new Error(`by the clock of this process the period that ended at ${endedAt} is not over`);
  };

/** Finds the charge and what was refunded of it, and asks for the refund in the book that is open now. */
const refundInOpenBook =
  ({
    run,
    open,
    history,
  }: {
    readonly run: ReturnType<typeof namedOnce>;
    readonly open: (origin: Origin, fresh: boolean) => Promise<unknown>;
    readonly history: RefundHistory;
  }) =>
  async (
    origin: Origin,
    {
      chargeId,
      amount,
      why,
      reference = null,
    }: { chargeId: string; amount: number | null; why: string; reference?: string | null },
  ): Promise<Posted> => {
    const charge = await history.eventById(chargeId);
    if (charge === null || charge.meta.account_id !== origin.accountId || !isCharge(charge)) {
      throw new Refusal('NOT_FOUND', 'This account has no charge with this id.');
    }
    for (let turns = 0; ; turns += 1) {
      await open(origin, true);
      const { refunded, openBook } = await history.refundedBefore(charge, origin.accountId);
      const asked = {
        origin,
        reference,
        charge: charge.data,
        refundedBefore: refunded,
        openBook,
        amount,
        why,
      };
      try {
        return await run({ type: 'RefundCharge', data: asked });
      } catch (error) {
        if (!(error instanceof BookTurned) || turns === 3) throw error;
      }
    }
  };

const isCharge = (
  event: RecordedEvent<credits.CreditsEvent>,
): event is RecordedEvent<credits.CreditsCharged | credits.ReservationSettled> =>
  event.type === 'CreditsCharged' || event.type === 'ReservationSettled';

/** A repeat tells what stands: a charge whose answer was lost may have been given back by a try in between. */
const postedOf = (
  { events, state, ...done }: Done<credits.State, credits.CreditsEvent>,
  refundedBefore?: ReadonlyMap<string, number>,
): Posted => {
  const standing = events.filter(({ id, type, data }) => {
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
