import type { PlanKey } from '../../contract/plan-keys.ts';
import { dayMs } from '../../kernel/clock.ts';
import { uuidOf } from '../../kernel/ids.ts';
import { type Grant, lastingUseOf, overdraftOf } from '../credit-balance.ts';
import {
  type BookClosed,
  type BookOpened,
  type CreditsEvent,
  type CreditsExpired,
  type CreditsGranted,
  initialState,
  type State,
  streamOf,
} from '../credits.ts';
import { carriedSpend } from '../key-spend.ts';
import { type Period, periodAfter, periodAt, periodNamed } from './billing-period.ts';
import { planOf } from './plans.ts';

/** The last events of a book and the first of the next. They follow from the book alone: every process writes the same. */
export type PeriodRoll = {
  readonly closing: readonly CreditsEvent[];
  readonly nextStream: string;
  readonly opening: (closingHash: string) => readonly CreditsEvent[];
};

/** The first book of an account or a visitor. */
export type FirstBook = { readonly stream: string; readonly events: readonly CreditsEvent[] };

/** The first events of an account's first book. Its periods begin on the day of the month on which the account begins. */
export const firstBook = (
  { accountId, plan }: { readonly accountId: string; readonly plan: PlanKey },
  now: Date,
): FirstBook => {
  const anchorDay = now.getUTCDate();
  const period = periodAt(anchorDay, now);
  const { closesAt } = period;
  const at = now.toISOString();
  const grants = planGrant({ accountId, plan, reference: period.period, closesAt, at });
  return begunBook({ accountId, plan, anchorDay }, period, grants, at);
};

/** The only book of a visitor without account: the allowance of a UTC day (`YYYY-MM-DD`), which is never renewed. */
export const dayBook = (
  { accountId, day, credits }: { accountId: string; day: string; credits: number },
  now: Date,
): FirstBook => {
  const opensAt = `${day}T00:00:00.000Z`;
  const closesAt = new Date(Date.parse(opensAt) + dayMs).toISOString();
  const period = { period: day, opensAt, closesAt };
  return allowanceBook({ accountId, credits, anchorDay: 1 }, period, now);
};

/**
 * The first book of an account whose plan has to wait: an allowance of at most what the plan includes, which is never
 * renewed. A plan that is assigned later goes on in this book, less what was used of the allowance.
 */
export const provisionalBook = (
  { accountId, plan, credits }: { accountId: string; plan: PlanKey; credits: number },
  now: Date,
): FirstBook => {
  const anchorDay = now.getUTCDate();
  const allowed = Math.min(credits, planOf(plan).includedCredits);
  const period = periodAt(anchorDay, now);
  return allowanceBook({ accountId, credits: allowed, anchorDay }, period, now);
};

const allowanceBook = (
  { accountId, credits, anchorDay }: { accountId: string; credits: number; anchorDay: number },
  period: Period,
  now: Date,
): FirstBook => {
  const at = now.toISOString();
  const grantId = uuidOf(`${accountId}|allowance|${period.period}`);
  const grant: CreditsGranted = {
    type: 'CreditsGranted',
    data: {
      ...{ accountId, grantId, kind: 'plan', amount: credits },
      expiresAt: period.closesAt,
      by: 'allowance',
      requestId: null,
      at,
    },
  };
  return begunBook({ accountId, plan: null, anchorDay }, period, [grant], at);
};

const begunBook = (
  account: Pick<State, 'accountId' | 'plan' | 'anchorDay'>,
  period: Period,
  grants: readonly CreditsGranted[],
  at: string,
): FirstBook => {
  const stream = streamOf(account.accountId, period.period);
  const state = { ...initialState(), ...account };
  const book = opened(state, { stream: null, hash: null }, period, 1, at);
  return { stream, events: [book, ...grants] };
};

/** Grants what a plan includes for one period, less what the period has `used` under other plans. No event if nothing is left. */
export const planGrant = ({
  accountId,
  plan,
  reference,
  closesAt,
  requestId = null,
  used = 0,
  at,
}: {
  readonly accountId: string;
  readonly plan: PlanKey;
  readonly reference: string;
  readonly closesAt: string;
  readonly requestId?: string | null;
  readonly used?: number;
  readonly at: string;
}): CreditsGranted[] => {
  const amount = planOf(plan).includedCredits - used;
  if (amount <= 0) return [];
  const grantId = uuidOf(`${accountId}|plan-grant|${reference}`);
  return [
    {
      type: 'CreditsGranted',
      data: { accountId, grantId, kind: 'plan', amount, expiresAt: closesAt, by: 'plan', requestId, at },
    },
  ];
};

/** Expires the grants whose time is over at `at`. */
export const expireDue = (state: State, at: string): readonly CreditsExpired[] => {
  const isOver = ({ expiresAt }: Grant) => expiresAt !== null && expiresAt <= at;
  const [soonest] = state.grants;
  if (soonest === undefined || !isOver(soonest)) return [];
  return expireGrants(state, state.grants.filter(isOver), at);
};

/**
 * Expires what is left of these grants. A grant can expire twice, even at the same moment, since a job can return credits
 * to one that has expired. The sum that had expired in the book before makes the id of each expiry unique.
 */
export const expireGrants = (
  { accountId, period, part, expired: before }: State,
  grants: readonly Grant[],
  at: string,
): readonly CreditsExpired[] =>
  grants.map(({ grantId, remaining }) => {
    const expiryId = uuidOf(`${accountId}|expired|${grantId}|${period}|${part}|${before}`);
    return { type: 'CreditsExpired', data: { accountId, expiryId, grantId, amount: remaining, at } };
  });

/** Grants what an unlimited plan used beyond its grants. It is invoiced, and the balance is 0 again. */
export const bookOverdraft = (state: State, at: string): CreditsGranted[] => {
  const amount = overdraftOf(state);
  if (amount === 0) return [];
  const { accountId, period, part, granted } = state;
  const grantId = uuidOf(`${accountId}|postpaid|${period}|${part}|${granted}`);
  return [
    {
      type: 'CreditsGranted',
      data: { accountId, grantId, kind: 'postpaid', amount, expiresAt: null, by: 'plan', requestId: null, at },
    },
  ];
};

/** Closes the book and opens the next one if its period is over or its bound of events is reached; else null. */
export const rollPeriod = (
  state: State,
  { version, stream, now }: { version: bigint; stream: string; now: string },
  maxEvents: number,
): PeriodRoll | null => {
  const { plan } = state;
  // The allowance of a visitor ends with its day.
  if (plan === null) return null;
  if (now >= state.closesAt) return rollAtPeriodEnd({ ...state, plan }, stream);
  if (version >= BigInt(maxEvents)) return rollAtLength(state, stream, now);
  return null;
};

const rollAtPeriodEnd = (state: State & { plan: PlanKey }, stream: string): PeriodRoll => {
  const { accountId, plan, anchorDay, closesAt: at } = state;
  const period = periodAfter(anchorDay, state.period);
  const over = expireDue(state, at);
  const gone = new Set(over.map(({ data }) => data.grantId));
  const carried = state.grants.filter(({ grantId }) => !gone.has(grantId));
  const nextStream = streamOf(accountId, period.period);
  return {
    closing: [...over, ...bookOverdraft(state, at), closed(state, nextStream, 'period_end', at)],
    nextStream,
    opening: (hash) => [
      opened({ ...state, grants: carried }, { stream, hash }, period, 1, at),
      ...planGrant({ accountId, plan, reference: period.period, closesAt: period.closesAt, at }),
    ],
  };
};

const rollAtLength = (state: State, stream: string, at: string): PeriodRoll => {
  const part = state.part + 1;
  const nextStream = streamOf(state.accountId, state.period, part);
  const period = periodNamed(state.anchorDay, state.period);
  return {
    closing: [...bookOverdraft(state, at), closed(state, nextStream, 'length', at)],
    nextStream,
    opening: (hash) => [opened(state, { stream, hash }, period, part, at)],
  };
};

const closed = ({ accountId }: State, nextStream: string, why: BookClosed['data']['why'], at: string): BookClosed => ({
  type: 'BookClosed',
  data: { accountId, nextStream, why, at },
});

const opened = (
  state: State,
  previous: { readonly stream: string | null; readonly hash: string | null },
  period: Period,
  part: number,
  at: string,
): BookOpened => {
  const windows = carriedSpend(state, { at, isSamePeriod: part > 1 });
  return {
    type: 'BookOpened',
    data: {
      accountId: state.accountId,
      period: period.period,
      part,
      plan: state.plan,
      anchorDay: state.anchorDay,
      opensAt: period.opensAt,
      closesAt: period.closesAt,
      previousStream: previous.stream,
      previousHash: previous.hash,
      carriedGrants: state.grants,
      carriedReservations: [...state.reservations.values()],
      // Reservations are carried with the key that made them, and count for its cap by themselves.
      carriedKeySpend: part === 1 ? [] : spentByKeyOf(state),
      ...(windows.length === 0 ? {} : { carriedKeyWindows: windows }),
      ...(state.spentByAuthorization.size === 0
        ? {}
        : { carriedAuthorizationSpend: [...state.spentByAuthorization.values()] }),
      ...(part === 1 || state.planUse === 0 ? {} : { carriedPlanUse: state.planUse }),
      ...(lastingUseOf(state) === 0 ? {} : { carriedLastingUse: lastingUseOf(state) }),
      at,
    },
  };
};

/** What each key has spent in this book, without what it has reserved. */
const spentByKeyOf = ({ spentByKey, reservations }: State): { keyId: string; amount: number }[] => {
  const spent = new Map(spentByKey);
  for (const { keyId, held } of reservations.values()) {
    if (keyId !== null) spent.set(keyId, (spent.get(keyId) ?? 0) - held);
  }
  return [...spent].map(([keyId, amount]) => ({ keyId, amount }));
};
