import type { Balance, Freshness } from '../ledger/ledger-service.ts';
import { type Plan, planOf } from './plans.ts';

/** A plan that another process assigned is seen after this time at the latest. */
const believedMs = 5_000;

/** Reads the open book, as old as `withinMs` allows. */
export type ReadBalance = (accountId: string, options: Freshness) => Promise<Pick<Balance, 'plan'>>;

/** The plan of an account. */
export const planInForce = async (balanceOf: ReadBalance, accountId: string): Promise<Plan> =>
  planOf((await balanceOf(accountId, { fresh: true, withinMs: believedMs })).plan);
