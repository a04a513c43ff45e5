import type { Route } from '../../middleware/route.ts';
import { userPage, type WebsiteDeps } from '../page.ts';
import { plansPage } from './plans-page.tsx';

/** The plans, with the one of the account. */
export const plansRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/plans' }, async ({ context, user: { accountId } }) => {
    const { plan, credits } = await deps.queries.accountOverview(accountId);
    return plansPage(context, { ...deps.queries.plans(), current: plan.key, credits });
  }),
];
