import assert from 'node:assert/strict';
import { z } from 'zod';
import { Refusal } from '../kernel/refusal.ts';
import { dayOf } from './key-spend.ts';
import type { LedgerContext } from './ledger-context.ts';

/** What an authorization has spent and reserved: ever, and on the UTC day of its newest charge. */
export const authorizationSpend = z
  .object({
    authorizationId: z.string().describe('`aut_…`'),
    total: z.int().describe('credits since the authorization began'),
    day: z.string().describe('`YYYY-MM-DD` of the newest charge, UTC'),
    onDay: z.int().describe('credits on that day'),
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
  spentByAuthorization.set(authorizationId, { authorizationId, total: total + amount, day, onDay: today + amount });
};

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

/** Throws BUDGET_EXHAUSTED when the authorization may not spend `required` more on the UTC day of `at`, or in all. */
export const refuseAboveBudget = (
  { spentByAuthorization }: { readonly spentByAuthorization: ReadonlyMap<string, AuthorizationSpend> },
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
  const [granted, when] = isForGood ? [budget.creditsTotal, 'in all'] : [budget.creditsPerDay, 'a day'];
  throw new Refusal(
    'BUDGET_EXHAUSTED',
    `The user allowed this application ${granted} credits ${when}; ${remaining} are left, ${required} are needed.`,
    {
      required,
      remaining,
      credits_per_day: budget.creditsPerDay,
      credits_total: budget.creditsTotal,
      renews: isForGood ? null : 'next_day',
    },
  );
};
