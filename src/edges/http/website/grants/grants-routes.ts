import type { Route } from '../../middleware/route.ts';
import { redirect, userPage, type WebsiteDeps } from '../page.ts';
import { grantsPage } from './grants-page.tsx';

const path = '/account/grants';

/** The applications that an account has authorized. */
export const grantsRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path }, async ({ context, user }) =>
    grantsPage(context, {
      grants: await deps.queries.grants(user.accountId),
      now: deps.clock().toISOString(),
    }),
  ),
  userPage(deps, { method: 'POST', path: `${path}/:id/end` }, async ({ call, params }) => {
    await deps.commands.endAuthorization(call, { authorizationId: params['id'] ?? '' });
    return redirect(path);
  }),
];
