import type { Route } from '../../middleware/route.ts';
import { page, type WebsiteDeps } from '../page.ts';
import { plansPage } from './plans-page.tsx';

/** The plans, for everybody; who is signed in sees which one is theirs. */
export const plansRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/account/plans' }, async ({ context, user }) => {
    const own = user === null ? null : await deps.queries.accountOverview(user.accountId);
    return plansPage(context, { ...deps.queries.plans(), own });
  }),
];
