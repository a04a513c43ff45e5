import { readUsage } from '../../../../contract/usage.ts';
import { dayMs } from '../../../../kernel/clock.ts';
import { bytes } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { usageFile, usagePage } from './usage-page.tsx';

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
    const view = { usage, days, isBillingPeriod, before, keys: known };
    if (query.get('format') !== 'csv') return usagePage(context, view);
    const headers = {
      'Content-Disposition': `attachment; filename="usage-${deps.clock().toISOString().slice(0, 10)}.csv"`,
    };
    return bytes(usageFile(usage), { contentType: 'text/csv; charset=utf-8', headers });
  }),
];
