import type { Event } from '@event-driven-io/emmett';
import type { PlanKey } from './plans.ts';
import type { Operation } from './prices.ts';

/**
 * One book per account and billing period; a book that reaches its bound of events is closed and the
 * period goes on in a further one (`.2`, `.3`): names sort in the order of the books.
 */
export const streamOf = (accountId: string, period: string, part = 1): string =>
  `ledger-${accountId}-${period}${part === 1 ? '' : `.${String(part).padStart(4, '0')}`}`;

/** All books of one account. */
export const streamsOf = (accountId: string): string => `ledger-${accountId}-`;

/** Credits that came in together and go out together. `expiresAt` null: never. */
export type CarriedGrant = {
  readonly grantId: string;
  readonly remaining: number;
  readonly expiresAt: string | null;
};

export type CarriedReservation = {
  readonly reservationId: string;
  readonly jobId: string;
  readonly held: number;
  /** Which grants the held credits came from, so that a release gives them back. */
  readonly from: readonly { readonly grantId: string; readonly amount: number }[];
};

/** A book begins. `period` is `YYYY-MM` of its first day; times are UTC, `closesAt` exclusive. Nothing is posted. */
export type BookOpened = Event<
  'BookOpened',
  {
    accountId: string;
    period: string;
    part: number;
    plan: PlanKey;
    anchorDay: number;
    opensAt: string;
    closesAt: string;
    previousStream: string | null;
    previousHash: string | null;
    carriedGrants: readonly CarriedGrant[];
    carriedReservations: readonly CarriedReservation[];
    at: string;
  }
>;

/** A book ends; the next one opens in the same transaction. Nothing is posted. */
export type BookClosed = Event<
  'BookClosed',
  { accountId: string; nextStream: string; why: 'period_end' | 'length'; at: string }
>;

/** The account is on this plan from now on. Nothing is posted: the credits of the plan come as a grant. */
export type PlanAssigned = Event<
  'PlanAssigned',
  { accountId: string; plan: PlanKey; by: string; at: string }
>;

/** issuer → available. */
export type CreditsGranted = Event<
  'CreditsGranted',
  {
    accountId: string;
    grantId: string;
    kind: 'plan' | 'operator';
    amount: number;
    expiresAt: string | null;
    by: string;
    at: string;
  }
>;

/**
 * available → spent. `requests` is how many requests this charge stands for in usage: 1, or 0 for the
 * second and later videos of one batch.
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
    requestId: string;
    at: string;
  }
>;

/** An operation that costs nothing was answered. Nothing is posted; usage counts it. */
export type OperationServed = Event<
  'OperationServed',
  { accountId: string; operation: Operation; keyId: string | null; requestId: string; at: string }
>;

/** An authenticated operation failed. Nothing is posted; usage counts it. */
export type OperationFailed = Event<
  'OperationFailed',
  {
    accountId: string;
    operation: Operation;
    code: string;
    keyId: string | null;
    requestId: string;
    at: string;
  }
>;

/** available → reserved: the whole possible cost of a job. */
export type CreditsReserved = Event<
  'CreditsReserved',
  { accountId: string; reservationId: string; jobId: string; amount: number; at: string }
>;

/** reserved → spent: one item of a job is complete. */
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
    requestId: string;
    at: string;
  }
>;

/** reserved → available. `itemId` null: the rest, when the job ends. */
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

/** spent → available. The refunds of a charge never exceed it. */
export type ChargeRefunded = Event<
  'ChargeRefunded',
  {
    accountId: string;
    refundId: string;
    chargeId: string;
    operation: Operation;
    amount: number;
    why: string;
    by: string;
    at: string;
  }
>;

/** available → expired. */
export type CreditsExpired = Event<
  'CreditsExpired',
  { accountId: string; grantId: string; amount: number; at: string }
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
