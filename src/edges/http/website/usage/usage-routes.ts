import type { Route } from '../../middleware/route.ts';
import { userPage, type WebsiteDeps } from '../page.ts';
import { usagePage } from './usage-page.tsx';

/** What an account has used, by day and by key. */
export const usageRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/usage' }, async ({ context, query, user: { accountId } }) => {
    const wanted = Number(query.get('days') ?? 30);
    const days = Number.isInteger(wanted) && wanted >= 1 && wanted <= 366 ? wanted : 30;
    const [usage, known] = await Promise.all([
      deps.queries.accountUsage(accountId, days),
      deps.queries.keys(accountId),
    ]);
    return usagePage(context, { usage, days, keys: known });
  }),
];
