import { z } from 'zod';
import { budgetPeriods } from '../contract/caps.ts';
import * as field from '../contract/event-fields.ts';
import { type PlanKey, planKey } from '../contract/plan-keys.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import {
  authorizationSpend,
  countForAuthorization,
  noteBudgetTold,
  uncountForAuthorization,
} from './authorization-spend.ts';
import * as grants from './credit-balance.ts';
import { type CreditBalance, grant, grantKind, payerOf, reservation } from './credit-balance.ts';
import { countRecent, dayOf, keySpend, noteTold, toldWindow, uncountRecent } from './key-spend.ts';
import { hasBegunBy } from './plans/billing-period.ts';
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

/** The id that an event has in its data, too. */
const ownId = z.string().describe('UUID, the id of the event');

const operation = z.enum(usageKinds).meta({ id: 'Operation', description: 'the operation, as in the price list' });

/** To whom and what the owner assigns the cost, besides the key. */
const payerFields = { authorizationId: field.authorizationId.exactOptional(), costTag: field.costTag.exactOptional() };

/** What a charge was for, what an AI operation used of a model, what priced it, and who paid. */
const chargedFields = {
  priceBook: z.string().describe('version of the applied price list'),
  keyId: orNull(field.keyId, 'no key'),
  videoId: orNull(field.videoId, 'not of one video'),
  model: z
    .string()
    .nullable()
    .exactOptional()
    .describe(
      'the model that produced the result; null: none did, and a fallback was returned; absent: the operation uses no model',
    ),
  promptVersion: z.string().exactOptional().describe('version of the prompt; absent: no model was called'),
  inputTokens: z
    .int()
    .exactOptional()
    .describe('tokens sent to the model, in all calls of the operation; absent: no model was called'),
  outputTokens: z
    .int()
    .exactOptional()
    .describe('tokens returned by the model, in all calls of the operation; absent: no model was called'),
  contentSha256: field.contentSha256.exactOptional(),
  format: z.string().exactOptional().describe('the delivered format; absent: there is only one'),
  options: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .readonly()
    .exactOptional()
    .describe('options of the request, without free text; absent: the defaults'),
  pricedBy: z
    .object({
      quantity: z.int().exactOptional().describe('entries that a listing returned'),
      usesModel: z.boolean().exactOptional().describe('whether a model made the result'),
      isRecognized: z.boolean().exactOptional().describe('whether the speech of the video was recognized'),
    })
    .readonly()
    .exactOptional()
    .describe('what the price depended on in addition to the operation; absent: nothing, or not known'),
  ...payerFields,
  requestId: field.requestId,
};

/** An event of a book: what every one has, around what is its own. */
const booked = <Shape extends z.ZodRawShape>(meaning: string, fields: Shape) =>
  event(meaning, { accountId: field.accountId, ...fields, at: field.at });

export const creditsEvents = {
  BookOpened: booked('A book begins. Nothing is posted.', {
    period: z.string().describe('`YYYY-MM` of the first day; `YYYY-MM-DD` for a visitor'),
    part: z.int().describe('number of the book within its period, from 1'),
    plan: planKey
      .nullable()
      .describe(
        'key of the plan; null: no plan and no renewal, for the daily allowance of a visitor or of an account whose mailbox is not verified',
      ),
    anchorDay: z.int().describe('day of the month on which periods begin, 1 to 31; the last day in shorter months'),
    opensAt: z.string().describe('beginning of the period, inclusive; RFC 3339, UTC'),
    closesAt: z.string().describe('end of the period, exclusive; RFC 3339, UTC'),
    previousStream: z.string().nullable().describe('stream of the previous book; null: there is none'),
    previousHash: z.string().nullable().describe('hash of the last event of the previous book; null: there is none'),
    carriedGrants: z
      .array(grant)
      .readonly()
      .describe('the remainder of each grant, carried over from the previous book'),
    carriedReservations: z
      .array(reservation)
      .readonly()
      .describe('open reservations, carried over from the previous book'),
    carriedKeySpend: z
      .array(z.object({ keyId: z.string(), amount: z.int() }).readonly())
      .readonly()
      .describe('within a period only: credits that each key has spent of its cap so far'),
    carriedKeyWindows: z
      .array(keySpend)
      .readonly()
      .exactOptional()
      .describe('what each key has spent and reserved in the current day and week; absent: nothing'),
    carriedAuthorizationSpend: z
      .array(authorizationSpend)
      .readonly()
      .exactOptional()
      .describe('what each authorization has spent and reserved so far; absent: nothing'),
    carriedPlanUse: z
      .int()
      .exactOptional()
      .describe('within a period only: credits of its plans used so far; absent: none'),
    carriedLastingUse: z
      .int()
      .exactOptional()
      .describe('credits that never expire, used so far and not refunded; absent: none'),
  }),
  BookClosed: booked('A book ends; the next one opens in the same transaction. Nothing is posted.', {
    nextStream: z.string().describe('the stream of the next book'),
    why: z.enum(['period_end', 'length']).describe('the reason'),
  }),
  PlanAssigned: booked('The account is now on this plan. Nothing is posted: a grant adds its credits.', {
    assignmentId: ownId,
    plan: planKey.describe('key of the plan'),
    by: field.by,
    requestId: field.requestId,
  }),
  CreditsGranted: booked('Credits are added to the balance: issuer → available.', {
    grantId: field.grantId,
    kind: grantKind.exclude(['refund']).describe('the kind of grant, as in [GrantKind](#grantkind)'),
    amount: field.amount,
    expiresAt: orNull(field.expiresAt, 'never'),
    why: z.string().exactOptional().describe('the reason given by the operator; absent: none'),
    by: z.string().describe('id of the actor; `plan` or `allowance`: granted automatically'),
    requestId: z
      .string()
      .nullable()
      .describe('`X-Request-ID` of the request; null: none, because plans renew by schedule'),
  }),
  CreditsCharged: booked(
    'A successful operation is charged before its response is sent: available → spent. `requests` is 1, or 0 for the second and later videos of one batch.',
    {
      chargeId: field.chargeId,
      operation,
      amount: field.amount,
      requests: z.int().describe('requests that usage counts for this charge: 1 or 0'),
      ...chargedFields,
    },
  ),
  CreditsReserved: booked('The maximum cost of a job is reserved: available → reserved.', {
    reservationId: field.reservationId,
    jobId: field.jobId,
    keyId: orNull(field.keyId, 'no key'),
    ...payerFields,
    amount: field.amount,
    requestId: field.requestId,
  }),
  ReservationSettled: booked('One item of a job is complete and charged: reserved → spent.', {
    reservationId: field.reservationId,
    jobId: field.jobId,
    itemId: field.itemId,
    attempt: field.attempt,
    chargeId: field.chargeId,
    operation,
    amount: field.amount,
    ...chargedFields,
  }),
  ReservationReleased: booked('Reserved credits return to the balance: reserved → available.', {
    reservationId: field.reservationId,
    jobId: field.jobId,
    itemId: orNull(field.itemId, 'the remainder, when the job ends'),
    amount: field.amount,
    why: z.enum(['item_failed', 'item_cancelled', 'job_ended', 'abandoned']).describe('the reason'),
  }),
  ChargeRefunded: booked(
    'A charge is refunded, in full or in part: spent → available. The refunds of a charge never exceed it.',
    {
      refundId: ownId,
      chargeId: field.chargeId,
      operation,
      amount: field.amount,
      expiresAt: orNull(field.expiresAt, 'never'),
      keyId: z
        .string()
        .nullable()
        .exactOptional()
        .describe(
          '`key_…` that paid; null: none; absent: not known. In the period of the charge, this amount counts against its cap no longer',
        ),
      ...payerFields,
      chargedAt: z
        .string()
        .exactOptional()
        .describe('when it was charged: RFC 3339, UTC, milliseconds; absent: not known'),
      why: z.string().describe('the reason'),
      by: field.by,
      requestId: field.requestId,
    },
  ),
  BalanceCorrected: booked(
    'An operator corrects the balance for an earlier entry, which itself does not change: issuer → available, or the reverse if credits are deducted. It never deducts more than is available.',
    {
      correctionId: ownId,
      entryId: z.string().describe('id of the corrected entry'),
      amount: z
        .int()
        .describe('credits, never 0: a positive amount is added and never expires, a negative one is deducted'),
      why: z.string().describe('the reason'),
      by: field.by,
      requestId: field.requestId,
    },
  ),
  CreditsExpired: booked('The remainder of a grant expires: available → expired.', {
    expiryId: ownId,
    grantId: field.grantId,
    amount: field.amount,
  }),
  BudgetReached: booked(
    'The spent and reserved credits of a key reached a percentage of its cap, or those of an authorized application a percentage of its budget; the owner is notified, once per percentage and window. Nothing is posted.',
    {
      noticeId: ownId,
      keyId: field.keyId.exactOptional().describe('`key_…` with the cap; absent: see `authorizationId`'),
      authorizationId: field.authorizationId.exactOptional().describe('`aut_…` with the budget; absent: see `keyId`'),
      capCredits: z.int().describe('maximum credits in the window'),
      capPeriod: z.enum(budgetPeriods).describe('kind of window; `total`: the whole life of an authorization'),
      window: z
        .string()
        .describe('the window, such as `day 2026-11-26`, `week 2026-11-23`, `period 2026-11` or `total`'),
      spent: z.int().describe('credits spent and reserved in the window'),
      share: z.int().describe('percentage of the cap or budget that was reached; 100: it is used up'),
      requestId: field.requestId,
    },
  ),
  OperationServed: booked('A free operation succeeded. Nothing is posted; usage counts it.', {
    operationId: ownId,
    operation,
    keyId: orNull(field.keyId, 'no key'),
    requestId: field.requestId,
  }),
  OperationFailed: booked(
    'Authenticated requests for one operation failed with the same code. Nothing is posted; usage counts them. A process writes at most one such event per minute for an account, key, operation and code.',
    {
      operationId: ownId,
      operation,
      code: z.string().describe('an error code, see [errors.md](errors.md)'),
      requests: z.int().exactOptional().describe('number of requests; absent: 1'),
      keyId: orNull(field.keyId, 'no key'),
      requestId: z.string().describe('`X-Request-ID` of the latest request'),
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

/** What a charge says, made at once or out of a reservation. */
export type ChargeData = (CreditsCharged | ReservationSettled)['data'];

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
        { grantId: data.grantId, kind: data.kind, remaining: data.amount, expiresAt: data.expiresAt },
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
        { grantId: data.refundId, kind: 'refund', remaining: data.amount, expiresAt: data.expiresAt },
      ]);
    case 'BalanceCorrected':
      state.granted += data.amount;
      return grants.correct(state, data.correctionId, data.amount);
    case 'CreditsExpired':
      state.expired += data.amount;
      return grants.expire(state, data.grantId, data.amount);
    case 'BudgetReached':
      return told(state, data);
  }
};

const told = (state: State, data: BudgetReached['data']): State => {
  const { keyId, authorizationId = '', capPeriod, share, at } = data;
  if (keyId !== undefined) noteTold(state, { keyId, window: toldWindow(data), share, at });
  else noteBudgetTold(state, { authorizationId, capPeriod: capPeriod === 'day' ? 'day' : 'total', share, at });
  return state;
};

const opened = (state: State, data: BookOpened['data']): State => {
  const { accountId, period, part, plan, anchorDay, closesAt } = data;
  return grants.carryOver(Object.assign(state, { accountId, period, part, plan, anchorDay, closesAt }), data);
};
