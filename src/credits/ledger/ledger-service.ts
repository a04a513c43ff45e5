import type { PlanKey } from '../../contract/plan-keys.ts';
import type { CommandHandler } from '../../eventlog/commands/command-handler.ts';
import type { RecordedEvent } from '../../eventlog/event-log.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { AuthorizationSpend } from '../authorization-spend.ts';
import { type Charge, chargeIdOf, costOf, refuseUnaffordable } from '../charge-credits.ts';
import { reservedByJob } from '../credit-balance.ts';
import * as credits from '../credits.ts';
import { runIdempotently } from '../idempotent-operations.ts';
import type { KeySpend } from '../key-spend.ts';
import type { LedgerContext } from '../ledger-context.ts';
import { periodNamed } from '../plans/billing-period.ts';
import type { UnchargedRequests } from '../record-uncharged-requests.ts';
import { BookRolledError } from '../refund-charge.ts';
import { refundUnacknowledged, unacknowledgedCharges } from '../refund-unacknowledged.ts';
import type { LedgerCommand } from './ledger-decider.ts';
import { type LedgerResult, refundedSince, resultOf } from './ledger-result.ts';
import type { RefundHistory } from './refund-history.ts';

/** What can be spent now; `remaining` leaves out what is reserved. */
export type Balance = {
  readonly plan: PlanKey;
  /** An allowance without a plan. */
  readonly isProvisional: boolean;
  readonly remaining: number;
  readonly reserved: number;
  readonly period: string;
  readonly opensAt: string;
  readonly closesAt: string;
  /** What each key has spent and reserved in this period. */
  readonly spentByKey: ReadonlyMap<string, number>;
  /** The same in the present day and week. */
  readonly recentByKey: ReadonlyMap<string, KeySpend>;
  /** What each authorization has spent and reserved. */
  readonly spentByAuthorization: ReadonlyMap<string, AuthorizationSpend>;
  /** What is set aside, for each job that has something set aside. */
  readonly reservedByJob: ReadonlyMap<string, number>;
};

/** Whether to read the newest state; one that was the newest within so many milliseconds will do. */
export type Freshness = { readonly fresh: boolean; readonly withinMs?: number };

type Handler = CommandHandler<credits.State, LedgerCommand, credits.CreditsEvent>;

/** The data of a command without its context. */
type Input<Type extends LedgerCommand['type']> = Omit<Extract<LedgerCommand, { type: Type }>['data'], 'context'>;

export type Ledger = ReturnType<typeof ledgerService>;

/**
 * The operations on the ledgers of all accounts. One that posts is durable when it resolves. Refusals:
 * INSUFFICIENT_CREDITS. A `ConcurrencyError` says that other writers came first each time and nothing was posted.
 * Disposing refunds charges whose answers were lost.
 */
export const ledgerService = ({
  handler,
  history,
  clock,
  onCharged = () => {},
}: {
  readonly handler: Handler;
  readonly history: RefundHistory;
  readonly clock: Clock;
  /** Called with the credits of each command that charged some; not for repeats. */
  readonly onCharged?: (credits: number) => void;
}) => {
  const run = async (command: LedgerCommand): Promise<LedgerResult> => {
    const done = await handler.run(command.data.context.accountId, command);
    const refunds = refundedSince(done, history);
    const result = refunds === null ? resultOf(done) : resultOf(done, await refunds);
    if (result.credits > 0 && !result.isRepeat) onCharged(result.credits);
    return result;
  };
  const openBook = openBookReader(handler, clock);
  const runOnce = runIdempotently({ run, eventById: history.eventById });
  const refund = refundInOpenBook({ run: runOnce, openBook, history });
  const isCharged = async (chargeId: string): Promise<boolean> => {
    const charge = await history.eventById(chargeId);
    return charge !== null && isCharge(charge);
  };

  const refundLost = refundUnacknowledged({ isCharged, refund });
  const unacknowledged = unacknowledgedCharges(refundLost);

  return {
    hold: holdBalance({ stateOf: openBook, eventById: history.eventById, clock }),
    /** The charge that an earlier attempt of this call made, or null; a call that cannot come again has none. */
    chargeOf: async (
      context: LedgerContext,
      charge: Pick<Charge, 'operation' | 'what'>,
    ): Promise<credits.CreditsCharged['data'] | null> => {
      const made = context.isRepeatable ? await history.eventById(chargeIdOf(context, charge)) : null;
      return made !== null && isCreditsCharged(made) ? made.data : null;
    },
    charge: async (context: LedgerContext, charges: readonly Charge[]) => {
      try {
        return await run({ type: 'ChargeCredits', data: { context, charges } });
      } catch (error) {
        unacknowledged.remember(error, context, charges);
        throw error;
      }
    },
    grant: (context: LedgerContext, grant: Input<'GrantCredits'>) =>
      runOnce({ type: 'GrantCredits', data: { context, ...grant } }),
    /** Corrects the balance for an entry of the account. Throws NOT_FOUND for one of no ledger of the account. */
    correct: async (context: LedgerContext, correction: Input<'CorrectBalance'>) => {
      const entry = await history.eventById(correction.entryId);
      if (entry === null || !entry.stream.startsWith(credits.streamsOf(context.accountId))) {
        throw new Refusal('NOT_FOUND', 'The ledger of this account has no entry with this id.');
      }
      return await runOnce({ type: 'CorrectBalance', data: { context, ...correction } });
    },
    assignPlan: (context: LedgerContext, plan: PlanKey) => run({ type: 'AssignPlan', data: { context, plan } }),
    refund,
    refundUnacknowledged: refundLost,
    reserve: (context: LedgerContext, reservation: Input<'ReserveCredits'>) =>
      run({ type: 'ReserveCredits', data: { context, ...reservation } }),
    settleItem: (context: LedgerContext, item: Input<'SettleItem'>) =>
      run({ type: 'SettleItem', data: { context, ...item } }),
    release: (context: LedgerContext, reservation: Input<'ReleaseReservation'>) =>
      run({ type: 'ReleaseReservation', data: { context, ...reservation } }),
    /** Usage counts a request that was free (`code` null), or requests that failed. */
    record: (context: LedgerContext, ended: UnchargedRequests) =>
      run({ type: 'RecordUnchargedRequests', data: { context, ...ended } }),
    rollPeriod: rollPeriodDue(handler),
    /** The balance of the open book; without `fresh`, as this process knows it. */
    balance: async (of: AccountOfBook, { fresh, withinMs }: Freshness): Promise<Balance> =>
      balanceOf(await openBook(of, fresh, withinMs)),
    [Symbol.asyncDispose]: () => unacknowledged[Symbol.asyncDispose](),
  };
};

const balanceOf = (state: Readonly<credits.State>): Balance => ({
  plan: state.plan ?? 'free',
  isProvisional: state.plan === null,
  remaining: state.available,
  reserved: state.reserved,
  period: state.period,
  // A getter, because only usage reads it and every authenticated request asks for a balance.
  get opensAt() {
    return periodNamed(state.anchorDay, state.period).opensAt;
  },
  closesAt: state.closesAt,
  spentByKey: state.spentByKey,
  recentByKey: state.recentByKey,
  spentByAuthorization: state.spentByAuthorization,
  get reservedByJob() {
    return reservedByJob(state);
  },
});

type AccountOfBook = Pick<LedgerContext, 'accountId'>;

/** The state of the open book. If its period is over or a grant has expired, that is stored first. */
type OpenBookReader = (of: AccountOfBook, fresh: boolean, withinMs?: number) => Promise<Readonly<credits.State>>;

const openBookReader =
  (handler: Handler, clock: Clock): OpenBookReader =>
  async ({ accountId }, fresh, withinMs = 0) => {
    const state = await handler.peek(accountId, { fresh, withinMs });
    if (clock().getTime() < dueAt(state)) return state;
    return (await handler.run(accountId, { type: 'RollPeriod', data: { context: { accountId } } })).state;
  };

/** Credits held for work under way; released when the work ends, charged or not. */
export type Hold = { readonly release: () => void };

/**
 * Holds the cost of charges before the work for them starts, so that this process never starts more work than the
 * balance covers. A hold exists in this process only: the charge decides again. Before it throws INSUFFICIENT_CREDITS or
 * BUDGET_EXHAUSTED, it reads the newest state, and leaves out charges that an earlier attempt of the call has made.
 */
export const holdBalance = ({
  stateOf,
  eventById,
  clock,
}: {
  readonly stateOf: OpenBookReader;
  readonly eventById: (id: string) => Promise<unknown>;
  readonly clock: Clock;
}) => {
  const held = new Map<string, number>();
  const heldOf = (accountId: string) => held.get(accountId) ?? 0;
  const free = (accountId: string, amount: number) => {
    const left = heldOf(accountId) - amount;
    if (left > 0) held.set(accountId, left);
    else held.delete(accountId);
  };

  return async (context: LedgerContext, charges: readonly Charge[]): Promise<Hold> => {
    const { accountId } = context;
    let amount = costOf(charges);
    const check = (state: Readonly<credits.State>) =>
      refuseUnaffordable(state, context, amount, clock().toISOString(), heldOf(accountId));
    try {
      check(await stateOf(context, false));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const known = await Promise.all(charges.map((one) => eventById(chargeIdOf(context, one))));
      amount = costOf(charges.filter((_, index) => known[index] === null));
      check(await stateOf(context, true));
    }
    held.set(accountId, heldOf(accountId) + amount);
    let isReleased = false;
    return {
      release: () => {
        if (!isReleased) free(accountId, amount);
        isReleased = true;
      },
    };
  };
};

/**
 * Opens the period that is due. `endedAt` is the end of a period by the clock of the caller: if it is not over by the
 * clock of this process, this throws, so that the caller tries again. A period that nobody opens is not invoiced.
 */
const rollPeriodDue =
  (handler: Pick<Handler, 'run'>) =>
  async (context: LedgerContext, endedAt = ''): Promise<LedgerResult> => {
    const done = await handler.run(context.accountId, { type: 'RollPeriod', data: { context } });
    const { plan, closesAt } = done.state;
    if (plan === null || closesAt > endedAt) return resultOf(done);
    throw new Error(`by the clock of this process the period that ended at ${endedAt} is not over`);
  };

/** A book is rolled at most so often while one refund looks up the past. */
const maxRefundTries = 4;

/** Finds the charge and what was refunded of it, and refunds it in the book that is open now. */
const refundInOpenBook =
  ({
    run,
    openBook,
    history,
  }: {
    readonly run: ReturnType<typeof runIdempotently>;
    readonly openBook: OpenBookReader;
    readonly history: RefundHistory;
  }) =>
  async (
    context: LedgerContext,
    {
      chargeId,
      amount,
      why,
      reference = null,
    }: {
      readonly chargeId: string;
      /** Null: all that is left. */
      readonly amount: number | null;
      readonly why: string;
      readonly reference?: string | null;
    },
  ): Promise<LedgerResult> => {
    const charge = await history.eventById(chargeId);
    if (charge === null || charge.meta.account_id !== context.accountId || !isCharge(charge)) {
      throw new Refusal('NOT_FOUND', 'This account has no charge with this id.');
    }
    for (let tries = 1; ; tries += 1) {
      await openBook(context, true);
      const { refunded, openBook: stream } = await history.refundedBefore(charge, context.accountId);
      const data = { context, reference, charge: charge.data, refundedBefore: refunded, openBook: stream, amount, why };
      try {
        return await run({ type: 'RefundCharge', data });
      } catch (error) {
        if (!(error instanceof BookRolledError) || tries === maxRefundTries) throw error;
      }
    }
  };

/** When the next period opens or the next grant expires, Unix milliseconds. */
const dueAt = ({ at, closesAt, grants }: Readonly<credits.State>): number => {
  const ends = grants.flatMap(({ expiresAt }) => expiresAt ?? []);
  const due = Math.min(...[closesAt, ...ends].map((time) => Date.parse(time)));
  // A clock that is behind never reads a time before the newest event.
  return Date.parse(at) < due ? due : Number.NEGATIVE_INFINITY;
};

const isCharge = (
  event: RecordedEvent<credits.CreditsEvent>,
): event is RecordedEvent<credits.CreditsCharged | credits.ReservationSettled> =>
  isCreditsCharged(event) || event.type === 'ReservationSettled';

const isCreditsCharged = (event: RecordedEvent<credits.CreditsEvent>): event is RecordedEvent<credits.CreditsCharged> =>
  event.type === 'CreditsCharged';
