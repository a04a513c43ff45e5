import type { Event } from '@event-driven-io/emmett';
import type { CreditBalance, Grant, GrantKind, Reservation } from './grants.ts';
import * as grants from './grants.ts';
import { hasBegunBy } from './periods.ts';
import type { PlanKey } from './plans.ts';
import type { Operation } from './prices.ts';

/**
 * One book per account and billing period; a book that reaches its bound of events is closed and the
 * period goes on in a further one (`.0002`, `.0003`): names sort in the order of the books.
 */
export const streamOf = (accountId: string, period: string, part = 1): string =>
  `ledger-${accountId}-${period}${part === 1 ? '' : `.${sortable(part)}`}`;

/** Four digits; a number with more begins with a letter, the later the longer it is: `0002`, `9999`, `a10000`, `b100000`. */
const sortable = (part: number): string => {
  const digits = String(part).padStart(4, '0');
  const more = digits.length - 4;
  return more === 0 ? digits : `${String.fromCharCode('a'.charCodeAt(0) + more - 1)}${digits}`;
};

/** All books of one account. */
export const streamsOf = (accountId: string): string => `ledger-${accountId}-`;

/** Books are closed at this many events, so that reading, verifying and exporting one stays cheap. */
export const maxEventsPerBook = 100_000;

/** A book begins. `period` is `YYYY-MM` of its first day (a visitor's: the day itself); times are UTC, `closesAt` exclusive. Nothing is posted. */
export type BookOpened = Event<
  'BookOpened',
  {
    accountId: string;
    period: string;
    part: number;
    /** Null: no plan and no renewal: the allowance of a visitor's day, or of an account that waits for its plan. */
    plan: PlanKey | null;
    anchorDay: number;
    opensAt: string;
    closesAt: string;
    previousStream: string | null;
    previousHash: string | null;
    carriedGrants: readonly Grant[];
    carriedReservations: readonly Reservation[];
    /** Within a period only: what each key has spent of its cap so far. */
    carriedKeySpend: readonly { readonly keyId: string; readonly amount: number }[];
    /** Within a period only: what was used so far of that which its plans included; absent: nothing. */
    carriedPlanUse?: number;
    /** What was used so far of credits that never expire, and not given back; absent: nothing. */
    carriedLastingUse?: number;
    at: string;
  }
>;

/** A book ends; the next one opens in the same transaction. Nothing is posted. */
export type BookClosed = Event<
  'BookClosed',
  { accountId: string; nextStream: string; why: 'period_end' | 'length'; at: string }
>;

/** The account is on this plan from now on. Nothing is posted: a grant adds the credits of the plan. */
export type PlanAssigned = Event<
  'PlanAssigned',
  {
    accountId: string;
    assignmentId: string;
    plan: PlanKey;
    by: string;
    requestId: string;
    at: string;
  }
>;

/** Credits are added to the balance: issuer → available. */
export type CreditsGranted = Event<
  'CreditsGranted',
  {
    accountId: string;
    grantId: string;
    kind: Exclude<GrantKind, 'refund'>;
    amount: number;
    expiresAt: string | null;
    by: string;
    /** Null: no request, a plan renews by time. */
    requestId: string | null;
    at: string;
  }
>;

/**
 * An operation that succeeded is charged before its answer is sent: available → spent. `requests` is how many
 * requests this charge stands for in usage: 1, or 0 for the second and later videos of one batch.
 */
export type CreditsCharged = Event<
  'CreditsCharged',
  {
    accountId: string;
    chargeId: string;
    operation: Operation;
    amount: number;
    requests: number;
    priceBook: string;
    keyId: string | null;
    videoId: string | null;
    /** The model that made the answer; null: none could, and a fallback was given; absent: the operation asks no model. */
    model?: string | null;
    /** Absent: no model was asked. */
    promptVersion?: string;
    /** Tokens that were sent to the model, in all calls of the operation; absent: no model was asked. */
    inputTokens?: number;
    /** Tokens that the model returned, in all calls of the operation; absent: no model was asked. */
    outputTokens?: number;
    requestId: string;
    at: string;
  }
>;

/** An operation that costs nothing was answered. Nothing is posted; usage counts it. */
export type OperationServed = Event<
  'OperationServed',
  {
    accountId: string;
    operationId: string;
    operation: Operation;
    keyId: string | null;
    requestId: string;
    at: string;
  }
>;

/**
 * Authenticated requests for one operation failed, all with this code. Nothing is posted; usage counts them. A process writes at
 * most one such event a minute for an account, key, operation and code.
 */
export type OperationFailed = Event<
  'OperationFailed',
  {
    accountId: string;
    operationId: string;
    operation: Operation;
    code: string;
    /** How many requests; absent: 1. */
    requests?: number;
    keyId: string | null;
    /** `X-Request-ID` of the newest one. */
    requestId: string;
    at: string;
  }
>;

/** The whole possible cost of a job is set aside: available → reserved. */
export type CreditsReserved = Event<
  'CreditsReserved',
  {
    accountId: string;
    reservationId: string;
    jobId: string;
    keyId: string | null;
    amount: number;
    requestId: string;
    at: string;
  }
>;

/** One item of a job is complete and charged: reserved → spent. */
export type ReservationSettled = Event<
  'ReservationSettled',
  {
    accountId: string;
    reservationId: string;
    jobId: string;
    itemId: string;
    attempt: number;
    chargeId: string;
    operation: Operation;
    amount: number;
    priceBook: string;
    keyId: string | null;
    videoId: string | null;
    /** The model that made the result of an operation; null: none could; absent: the operation asks no model. */
    model?: string | null;
    /** Absent: no model was asked. */
    promptVersion?: string;
    /** Tokens that were sent to the model; absent: no model was asked. */
    inputTokens?: number;
    /** Tokens that the model returned; absent: no model was asked. */
    outputTokens?: number;
    requestId: string;
    at: string;
  }
>;

/** Reserved credits return to the balance: reserved → available. `itemId` null: the rest, when the job ends. */
export type ReservationReleased = Event<
  'ReservationReleased',
  {
    accountId: string;
    reservationId: string;
    jobId: string;
    itemId: string | null;
    amount: number;
    why: 'item_failed' | 'item_cancelled' | 'job_ended' | 'abandoned';
    at: string;
  }
>;

/** A charge is refunded, whole or in part: spent → available. The refunds of a charge never exceed it. */
export type ChargeRefunded = Event<
  'ChargeRefunded',
  {
    accountId: string;
    refundId: string;
    chargeId: string;
    operation: Operation;
    amount: number;
    expiresAt: string | null;
    /** The key that paid; null: none, absent: not known. In the period of the charge its cap allows as much again. */
    keyId?: string | null;
    chargedAt?: string;
    why: string;
    by: string;
    requestId: string;
    at: string;
  }
>;

/** A grant expires with what is left of it: available → expired. */
export type CreditsExpired = Event<
  'CreditsExpired',
  { accountId: string; expiryId: string; grantId: string; amount: number; at: string }
>;

export type CreditsEvent =
  | BookOpened
  | BookClosed
  | PlanAssigned
  | CreditsGranted
  | CreditsCharged
  | OperationServed
  | OperationFailed
  | CreditsReserved
  | ReservationSettled
  | ReservationReleased
  | ChargeRefunded
  | CreditsExpired;

/** The types of the events of this file, in the order of `docs/events.md`. */
export const eventTypes = {
  BookOpened: true,
  BookClosed: true,
  PlanAssigned: true,
  CreditsGranted: true,
  CreditsCharged: true,
  CreditsReserved: true,
  ReservationSettled: true,
  ReservationReleased: true,
  ChargeRefunded: true,
  CreditsExpired: true,
  OperationServed: true,
  OperationFailed: true,
} satisfies Readonly<Record<CreditsEvent['type'], true>>;

/**
 * One account's open book. `available` is what can be spent now; it is the sum of the grants, less what an
 * unlimited plan has used beyond them. `granted`, `spent` and `expired` count since the book opened.
 */
export type State = CreditBalance & {
  /** Time of the newest event; no later event has an earlier time. */
  at: string;
  accountId: string;
  period: string;
  part: number;
  plan: PlanKey | null;
  anchorDay: number;
  nextStream: string | null;
  granted: number;
  spent: number;
  expired: number;
  /** What was refunded of a charge in this book. */
  refunds: Map<string, number>;
};

export const initialState = (): State => ({
  at: '',
  accountId: '',
  period: '',
  part: 0,
  plan: null,
  anchorDay: 1,
  closesAt: '',
  nextStream: null,
  available: 0,
  reserved: 0,
  granted: 0,
  spent: 0,
  expired: 0,
  grants: [],
  reservations: new Map(),
  spentByKey: new Map(),
  refunds: new Map(),
  planUse: 0,
  lasting: 0,
});

/** A copy that can be folded further while the original stays as it is. Grants and reservations are replaced, never edited. */
export const copyOf = (state: State): State => ({
  ...state,
  grants: [...state.grants],
  reservations: new Map(state.reservations),
  spentByKey: new Map(state.spentByKey),
  refunds: new Map(state.refunds),
});

/** The fold. It edits the state that it is given: a copy for each event would be quadratic. */
export const evolve = (state: State, { type, data }: CreditsEvent): State => {
  if (data.at > state.at) state.at = data.at;
  switch (type) {
    case 'BookOpened':
      return opened(state, data);
    case 'BookClosed':
      state.nextStream = data.nextStream;
      return state;
    case 'PlanAssigned':
      state.plan = data.plan;
      return state;
    case 'CreditsGranted':
      state.granted += data.amount;
      if (data.expiresAt === null) state.lasting += data.amount;
      return grants.receive(state, [
        {
          grantId: data.grantId,
          kind: data.kind,
          remaining: data.amount,
          expiresAt: data.expiresAt,
        },
      ]);
    case 'CreditsCharged':
      state.spent += data.amount;
      grants.countForKey(state, data.keyId, data.amount);
      grants.draw(state, data.amount);
      return state;
    case 'OperationServed':
    case 'OperationFailed':
      return state;
    case 'CreditsReserved':
      state.reserved += data.amount;
      grants.countForKey(state, data.keyId, data.amount);
      state.reservations.set(data.reservationId, {
        reservationId: data.reservationId,
        jobId: data.jobId,
        keyId: data.keyId,
        held: data.amount,
        from: grants.draw(state, data.amount),
      });
      return state;
    case 'ReservationSettled':
      state.spent += data.amount;
      grants.releaseHold(state, data.reservationId, data.amount);
      return state;
    case 'ReservationReleased':
      return grants.release(state, data.reservationId, data.amount);
    case 'ChargeRefunded':
      state.spent -= data.amount;
      state.refunds.set(data.chargeId, (state.refunds.get(data.chargeId) ?? 0) + data.amount);
      if (hasBegunBy(state, data.chargedAt)) grants.uncountForKey(state, data.keyId, data.amount);
      return grants.receive(state, [
        {
          grantId: data.refundId,
          kind: 'refund',
          remaining: data.amount,
          expiresAt: data.expiresAt,
        },
      ]);
    case 'CreditsExpired':
      state.expired += data.amount;
      return grants.expire(state, data.grantId, data.amount);
  }
};

const opened = (state: State, data: BookOpened['data']): State => {
  state.accountId = data.accountId;
  state.period = data.period;
  state.part = data.part;
  state.plan = data.plan;
  state.anchorDay = data.anchorDay;
  state.closesAt = data.closesAt;
  return grants.carryOver(state, data);
};
