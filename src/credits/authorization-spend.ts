import assert from 'node:assert/strict';
import { z } from 'zod';
import { usualWarnings } from '../contract/caps.ts';
import { Refusal } from '../kernel/refusal.ts';
import { dayOf } from './key-spend.ts';
import type { LedgerContext } from './ledger-context.ts';

/** What an authorization has spent and reserved: ever, and on the UTC day of its newest charge. */
export const authorizationSpend = z
  .object({
    authorizationId: z.string().describe('`aut_…`'),
    total: z.int().describe('credits since the authorization began'),
    day: z.string().describe('`YYYY-MM-DD` of the latest charge, UTC'),
    onDay: z.int().describe('credits on that day'),
    told: z
      .object({
        day: z.string().describe('`YYYY-MM-DD`, UTC'),
        onDay: z.int().describe('percent of the budget of that day, the highest that was told; 0: none was'),
        total: z.int().describe('the same of the budget in all'),
      })
      .readonly()
      .exactOptional()
      .describe('the last budget notices to the owner; absent: none'),
  })
  .readonly()
  .meta({ id: 'AuthorizationSpend', description: 'what an authorization has spent and reserved' });

export type AuthorizationSpend = z.output<typeof authorizationSpend>;

type Spending = { readonly spentByAuthorization: Map<string, AuthorizationSpend> };

/** Adds to what an authorization has spent. `at`: RFC 3339 in UTC; times of a book never go back. */
export const countForAuthorization = (
  { spentByAuthorization }: Spending,
  authorizationId: string | undefined,
  amount: number,
  at: string,
): void => {
  if (authorizationId === undefined) return;
  const day = dayOf(at);
  const { today, total } = spentOn(spentByAuthorization, authorizationId, day);
  spentByAuthorization.set(authorizationId, {
    ...spentByAuthorization.get(authorizationId),
    ...{ authorizationId, total: total + amount, day, onDay: today + amount },
  });
};

type BudgetNotice = Pick<BudgetWindow, 'authorizationId' | 'capPeriod'> & {
  readonly share: number;
  readonly at: string;
};

/** Notes of which share of its budget the owner of an authorization was told. */
export const noteBudgetTold = (
  { spentByAuthorization }: Spending,
  { authorizationId, capPeriod, share, at }: BudgetNotice,
): void => {
  const day = dayOf(at);
  const spend = spentByAuthorization.get(authorizationId) ?? { authorizationId, total: 0, day, onDay: 0 };
  const told = toldOn(spend, day);
  const changed = capPeriod === 'day' ? { onDay: Math.max(told.onDay, share) } : { total: Math.max(told.total, share) };
  spentByAuthorization.set(authorizationId, { ...spend, told: { ...told, ...changed } });
};

/** The highest shares that were told of the budget of a UTC day, and of that in all. */
const toldOn = (spend: AuthorizationSpend | undefined, day: string) => ({
  day,
  onDay: spend?.told?.day === day ? spend.told.onDay : 0,
  total: spend?.told?.total ?? 0,
});

/** Gives back to the budget of an authorization what it spent on `day`; that of the day only while it lasts. */
export const uncountForAuthorization = (
  { spentByAuthorization }: Spending,
  authorizationId: string | undefined,
  amount: number,
  day: string | undefined,
): void => {
  const spend = authorizationId === undefined ? undefined : spentByAuthorization.get(authorizationId);
  if (spend === undefined) return;
  const onDay = spend.day === day ? Math.max(0, spend.onDay - amount) : spend.onDay;
  spentByAuthorization.set(spend.authorizationId, { ...spend, total: Math.max(0, spend.total - amount), onDay });
};

/** What an authorization has spent on `day` (UTC, `YYYY-MM-DD`) and in all. */
export const spentOn = (
  spentByAuthorization: ReadonlyMap<string, AuthorizationSpend>,
  authorizationId: string,
  day: string,
): { readonly today: number; readonly total: number } => {
  const spend = spentByAuthorization.get(authorizationId);
  return { today: spend?.day === day ? spend.onDay : 0, total: spend?.total ?? 0 };
};

type Spent = { readonly spentByAuthorization: ReadonlyMap<string, AuthorizationSpend> };
type Held = { readonly authorizationId?: string; readonly held: number };

/** Throws BUDGET_EXHAUSTED when the authorization may not spend `required` more on the UTC day of `at`, or in all. */
export const refuseAboveBudget = (
  { spentByAuthorization, reservations }: Spent & { readonly reservations: ReadonlyMap<string, Held> },
  context: LedgerContext,
  required: number,
  at: string,
): void => {
  const { authorizationId, budget } = context;
  if (authorizationId === undefined || required === 0) return;
  assert(budget !== undefined, 'an authorization has a budget');
  const spent = spentOn(spentByAuthorization, authorizationId, dayOf(at));
  const leftToday = Math.max(0, budget.creditsPerDay - spent.today);
  const leftInAll = Math.max(0, budget.creditsTotal - spent.total);
  const remaining = Math.min(leftToday, leftInAll);
  if (required <= remaining) return;
  const isForGood = leftInAll < required;
  const own = reservations.values().filter((one) => one.authorizationId === authorizationId);
  const [granted, when] = isForGood ? [budget.creditsTotal, 'in all'] : [budget.creditsPerDay, 'a day'];
  throw new Refusal(
    'BUDGET_EXHAUSTED',
    `The user allowed this application ${granted} credits ${when}; ${remaining} are left, ${required} are needed.`,
    {
      required,
      remaining,
      credits_per_day: budget.creditsPerDay,
      credits_total: budget.creditsTotal,
      remaining_total: leftInAll,
      reserved: own.reduce((sum, { held }) => sum + held, 0),
      renews: isForGood ? null : 'next_day',
    },
  );
};

type BudgetWindow = {
  readonly authorizationId: string;
  readonly capCredits: number;
  readonly capPeriod: 'day' | 'total';
  readonly window: string;
  readonly spent: number;
  /** The highest share that was told, in percent. */
  readonly told: number;
  readonly warnAt: readonly number[];
};

/** The budgets of the authorization behind a call, with what it has spent of each. `at`: RFC 3339 in UTC. */
export const budgetsOf = (
  { spentByAuthorization }: Spent,
  { authorizationId, budget }: LedgerContext,
  at: string,
): readonly BudgetWindow[] => {
  if (authorizationId === undefined || budget === undefined) return [];
  const day = dayOf(at);
  const spent = spentOn(spentByAuthorization, authorizationId, day);
  const told = toldOn(spentByAuthorization.get(authorizationId), day);
  const common = { authorizationId, warnAt: usualWarnings };
  const all = { capCredits: budget.creditsTotal, spent: spent.total, told: told.total };
  const inAll: BudgetWindow = { ...common, ...all, capPeriod: 'total', window: 'total' };
  // The budget of a day that is not below that in all is no other one.
  if (budget.creditsPerDay >= budget.creditsTotal) return [inAll];
  const today = { capCredits: budget.creditsPerDay, spent: spent.today, told: told.onDay };
  return [{ ...common, ...today, capPeriod: 'day', window: `day ${day}` }, inAll];
};
