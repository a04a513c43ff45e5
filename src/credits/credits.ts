import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { authorizationSpend, countForAuthorization, uncountForAuthorization } from './authorization-spend.ts';
import * as grants from './credit-balance.ts';
import { type CreditBalance, grant, grantKind, payerOf, reservation } from './credit-balance.ts';
import { countRecent, dayOf, keySpend, noteTold, toldWindow, uncountRecent } from './key-spend.ts';
import { hasBegunBy } from './plans/billing-period.ts';
import { type PlanKey, planKey } from './plans/plans.ts';
import { usageKinds } from './prices.ts';

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

const operation = z.enum(usageKinds).meta({ id: 'Operation', description: 'the kind of usage, see the price book' });

/** What a charge was for, and what priced it. */
const deliveryFields = {
  contentSha256: field.contentSha256.exactOptional(),
  format: field.deliveredFormat.exactOptional(),
  options: field.options.exactOptional(),
  pricedBy: field.pricedBy.exactOptional(),
};

/** To whom and what the owner assigns the cost, besides the key. */
const payerFields = {
  authorizationId: field.authorizationId.exactOptional(),
  costTag: field.costTag.exactOptional(),
};

export const creditsEvents = {
  BookOpened: event(
    "A book begins. `period` is `YYYY-MM` of its first day (a visitor's: the day itself); times are UTC, `closesAt` exclusive. Nothing is posted.",
    {
      accountId: field.accountId,
      period: field.period,
      part: field.part,
      plan: planKey
        .nullable()
        .describe(
          "Null: no plan and no renewal: the allowance of a visitor's day, or of an account that waits for its plan",
        ),
      anchorDay: field.anchorDay,
      opensAt: field.opensAt,
      closesAt: field.closesAt,
      previousStream: orNull(field.previousStream, 'there is none'),
      previousHash: orNull(field.previousHash, 'there is none'),
      carriedGrants: z.array(grant).readonly().describe('what is left of each grant, taken over from the book before'),
      carriedReservations: z
        .array(reservation)
        .readonly()
        .describe('what is still set aside, taken over from the book before'),
      carriedKeySpend: z
        .array(z.object({ keyId: z.string(), amount: z.int() }).readonly())
        .readonly()
        .describe('Within a period only: what each key has spent of its cap so far'),
      carriedKeyWindows: z
        .array(keySpend)
        .readonly()
        .exactOptional()
        .describe('What each key has spent and reserved in the present day and week; absent: nothing'),
      carriedAuthorizationSpend: z
        .array(authorizationSpend)
        .readonly()
        .exactOptional()
        .describe('what each authorization has spent and reserved so far; absent: there is none'),
      carriedPlanUse: z
        .int()
        .exactOptional()
        .describe('Within a period only: what was used so far of that which its plans included; absent: nothing'),
      carriedLastingUse: z
        .int()
        .exactOptional()
        .describe('What was used so far of credits that never expire, and not given back; absent: nothing'),
      at: field.at,
    },
  ),
  BookClosed: event('A book ends; the next one opens in the same transaction. Nothing is posted.', {
    accountId: field.accountId,
    nextStream: field.nextStream,
    why: z.enum(['period_end', 'length']).describe('the reason'),
    at: field.at,
  }),
  PlanAssigned: event(
    'The account is on this plan from now on. Nothing is posted: a grant adds the credits of the plan.',
    {
      accountId: field.accountId,
      assignmentId: field.assignmentId,
      plan: planKey.describe('key of the plan'),
      by: field.by,
      requestId: field.requestId,
      at: field.at,
    },
  ),
  CreditsGranted: event('Credits are added to the balance: issuer → available.', {
    accountId: field.accountId,
    grantId: field.grantId,
    kind: grantKind.exclude(['refund']).describe('which kind of grant'),
    amount: field.amount,
    expiresAt: orNull(field.expiresAt, 'never'),
    why: z.string().exactOptional().describe('the reason that the operator gave; absent: none'),
    by: field.by,
    requestId: z.string().nullable().describe('Null: no request, a plan renews by time'),
    at: field.at,
  }),
  CreditsCharged: event(
    'An operation that succeeded is charged before its answer is sent: available → spent. `requests` is how many requests this charge stands for in usage: 1, or 0 for the second and later videos of one batch.',
    {
      accountId: field.accountId,
      chargeId: field.chargeId,
      operation,
      amount: field.amount,
      requests: field.requests,
      priceBook: field.priceBook,
      keyId: orNull(field.keyId, 'no key'),
      videoId: orNull(field.videoId, 'not of one video'),
      model: z
        .string()
        .nullable()
        .exactOptional()
        .describe(
          'The model that made the answer; null: none could, and a fallback was given; absent: the operation asks no model',
        ),
      promptVersion: z.string().exactOptional().describe('Absent: no model was asked'),
      inputTokens: z
        .int()
        .exactOptional()
        .describe('Tokens that were sent to the model, in all calls of the operation; absent: no model was asked'),
      outputTokens: z
        .int()
        .exactOptional()
        .describe('Tokens that the model returned, in all calls of the operation; absent: no model was asked'),
      ...deliveryFields,
      ...payerFields,
      requestId: field.requestId,
      at: field.at,
    },
  ),
  CreditsReserved: event('The whole possible cost of a job is set aside: available → reserved.', {
    accountId: field.accountId,
    reservationId: field.reservationId,
    jobId: field.jobId,
    keyId: orNull(field.keyId, 'no key'),
    ...payerFields,
    amount: field.amount,
    requestId: field.requestId,
    at: field.at,
  }),
  ReservationSettled: event('One item of a job is complete and charged: reserved → spent.', {
    accountId: field.accountId,
    reservationId: field.reservationId,
    jobId: field.jobId,
    itemId: field.itemId,
    attempt: field.attempt,
    chargeId: field.chargeId,
    operation,
    amount: field.amount,
    priceBook: field.priceBook,
    keyId: orNull(field.keyId, 'no key'),
    videoId: orNull(field.videoId, 'not of one video'),
    model: z
      .string()
      .nullable()
      .exactOptional()
      .describe(
        'The model that made the result of an operation; null: none could; absent: the operation asks no model',
      ),
    promptVersion: z.string().exactOptional().describe('Absent: no model was asked'),
    inputTokens: z.int().exactOptional().describe('Tokens that were sent to the model; absent: no model was asked'),
    outputTokens: z.int().exactOptional().describe('Tokens that the model returned; absent: no model was asked'),
    ...deliveryFields,
    ...payerFields,
    requestId: field.requestId,
    at: field.at,
  }),
  ReservationReleased: event(
    'Reserved credits return to the balance: reserved → available. `itemId` null: the rest, when the job ends.',
    {
      accountId: field.accountId,
      reservationId: field.reservationId,
      jobId: field.jobId,
      itemId: field.itemId.nullable(),
      amount: field.amount,
      why: z.enum(['item_failed', 'item_cancelled', 'job_ended', 'abandoned']).describe('the reason'),
      at: field.at,
    },
  ),
  ChargeRefunded: event(
    'A charge is refunded, whole or in part: spent → available. The refunds of a charge never exceed it.',
    {
      accountId: field.accountId,
      refundId: field.refundId,
      chargeId: field.chargeId,
      operation,
      amount: field.amount,
      expiresAt: orNull(field.expiresAt, 'never'),
      keyId: z
        .string()
        .nullable()
        .exactOptional()
        .describe(
          'The key that paid; null: none, absent: not known. In the period of the charge its cap allows as much again',
        ),
      ...payerFields,
      chargedAt: field.chargedAt.exactOptional(),
      why: z.string().describe('the reason'),
      by: field.by,
      requestId: field.requestId,
      at: field.at,
    },
  ),
  BalanceCorrected: event(
    'An operator corrects the balance for an earlier entry, which stays as it is: issuer → available, or back where it takes credits. It never takes more than is available.',
    {
      accountId: field.accountId,
      correctionId: z.string().describe('UUID, the id of the event'),
      entryId: z.string().describe('id of the entry that it corrects'),
      amount: z.int().describe('credits: above 0 they are given and never expire, below 0 they are taken; never 0'),
      why: z.string().describe('the reason'),
      by: field.by,
      requestId: field.requestId,
      at: field.at,
    },
  ),
  CreditsExpired: event('A grant expires with what is left of it: available → expired.', {
    accountId: field.accountId,
    expiryId: field.expiryId,
    grantId: field.grantId,
    amount: field.amount,
    at: field.at,
  }),
  BudgetReached: event(
    'What a key has spent and reserved reached a share of its cap; its owner is told. Nothing is posted. Each share of a cap is told once in a window.',
    {
      accountId: field.accountId,
      noticeId: z.string().describe('UUID, the id of the event'),
      keyId: field.keyId,
      capCredits: field.capCredits,
      capPeriod: field.capPeriod,
      window: z.string().describe('the window of time: `day 2026-11-26`, `week 2026-11-23`, `period 2026-11`'),
      spent: z.int().describe('credits, spent and reserved in the window'),
      share: z.int().describe('percent of the cap; 100: all of it is spent'),
      requestId: field.requestId,
      at: field.at,
    },
  ),
  OperationServed: event('An operation that costs nothing was answered. Nothing is posted; usage counts it.', {
    accountId: field.accountId,
    operationId: field.operationId,
    operation,
    keyId: orNull(field.keyId, 'no key'),
    requestId: field.requestId,
    at: field.at,
  }),
  OperationFailed: event(
    'Authenticated requests for one operation failed, all with this code. Nothing is posted; usage counts them. A process writes at most one such event a minute for an account, key, operation and code.',
    {
      accountId: field.accountId,
      operationId: field.operationId,
      operation,
      code: z.string().describe('an error code, see [errors.md](errors.md)'),
      requests: z.int().exactOptional().describe('How many requests; absent: 1'),
      keyId: orNull(field.keyId, 'no key'),
      requestId: z.string().describe('`X-Request-ID` of the newest one'),
      at: field.at,
    },
  ),
};

export type CreditsEvent = EventOf<typeof creditsEvents>;
export type BookOpened = EventOf<typeof creditsEvents, 'BookOpened'>;
export type BookClosed = EventOf<typeof creditsEvents, 'BookClosed'>;
export type PlanAssigned = EventOf<typeof creditsEvents, 'PlanAssigned'>;
export type CreditsGranted = EventOf<typeof creditsEvents, 'CreditsGranted'>;
export type CreditsCharged = EventOf<typeof creditsEvents, 'CreditsCharged'>;
export type CreditsReserved = EventOf<typeof creditsEvents, 'CreditsReserved'>;
export type ReservationSettled = EventOf<typeof creditsEvents, 'ReservationSettled'>;
export type ReservationReleased = EventOf<typeof creditsEvents, 'ReservationReleased'>;
export type ChargeRefunded = EventOf<typeof creditsEvents, 'ChargeRefunded'>;
export type BalanceCorrected = EventOf<typeof creditsEvents, 'BalanceCorrected'>;
export type BudgetReached = EventOf<typeof creditsEvents, 'BudgetReached'>;
export type CreditsExpired = EventOf<typeof creditsEvents, 'CreditsExpired'>;
export type OperationServed = EventOf<typeof creditsEvents, 'OperationServed'>;
export type OperationFailed = EventOf<typeof creditsEvents, 'OperationFailed'>;

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
  recentByKey: new Map(),
  spentByAuthorization: new Map(),
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
  recentByKey: new Map(state.recentByKey),
  spentByAuthorization: new Map(state.spentByAuthorization),
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
      countRecent(state, data.keyId, data.amount, data.at);
      countForAuthorization(state, data.authorizationId, data.amount, data.at);
      grants.draw(state, data.amount);
      return state;
    case 'OperationServed':
    case 'OperationFailed':
      return state;
    case 'CreditsReserved':
      state.reserved += data.amount;
      grants.countForKey(state, data.keyId, data.amount);
      countRecent(state, data.keyId, data.amount, data.at);
      countForAuthorization(state, data.authorizationId, data.amount, data.at);
      state.reservations.set(data.reservationId, {
        reservationId: data.reservationId,
        jobId: data.jobId,
        keyId: data.keyId,
        ...(data.keyId === null && data.authorizationId === undefined ? {} : { reservedOn: dayOf(data.at) }),
        ...payerOf(data),
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
      uncountRecent(state, data.keyId, data.amount, data.chargedAt?.slice(0, 10));
      uncountForAuthorization(state, data.authorizationId, data.amount, dayOf(data.chargedAt ?? ''));
      return grants.receive(state, [
        {
          grantId: data.refundId,
          kind: 'refund',
          remaining: data.amount,
          expiresAt: data.expiresAt,
        },
      ]);
    case 'BalanceCorrected':
      state.granted += data.amount;
      return grants.correct(state, data.correctionId, data.amount);
    case 'CreditsExpired':
      state.expired += data.amount;
      return grants.expire(state, data.grantId, data.amount);
    case 'BudgetReached':
      noteTold(state, { keyId: data.keyId, window: toldWindow(data), share: data.share, at: data.at });
      return state;
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
