import { readUsage } from '../../../../contract/usage.ts';
import { dayMs } from '../../../../kernel/clock.ts';
import type { Route } from '../../middleware/route.ts';
import { userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { usagePage } from './usage-page.tsx';

const daysQuery = readUsage.query.pick({ days: true });

/** UTC days from that of one time to that of another, both counted. */
export const daysFrom = (from: string, to: Date): number =>
  Math.floor((to.getTime() - Date.parse(from.slice(0, 10))) / dayMs) + 1;

/** What an account has used, by day, operation, key and tag. */
export const usageRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/usage' }, async ({ context, query, user: { accountId } }) => {
    const isBillingPeriod = query.get('period') === 'billing';
    const days = isBillingPeriod
      ? Math.max(1, daysFrom((await deps.queries.accountUsage(accountId, 1)).periodStart, deps.clock()))
      : bodyOf({ body: daysQuery }, { days: query.get('days') || undefined }).days;
    const [usage, twice, known] = await Promise.all([
      deps.queries.accountUsage(accountId, days),
      deps.queries.accountUsage(accountId, 2 * days),
      deps.queries.keys(accountId),
    ]);
    const before = { requests: twice.requests - usage.requests, creditsUsed: twice.creditsUsed - usage.creditsUsed };
    return usagePage(context, { usage, days, isBillingPeriod, before, keys: known });
  }),
];
