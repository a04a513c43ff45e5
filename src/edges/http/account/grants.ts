import { endGrant, listGrants } from '../../../contract/oauth.ts';
import { grantAnswer } from '../middleware/account-answers.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';

/** The applications that the signed-in account has authorized. */
export const accountGrants = (deps: SessionDeps<'endAuthorization', 'grants'>): Route[] => [
  userRoute(deps, listGrants, async ({ call }) => {
    const grants = await deps.queries.grants(call.accountId);
    return json({ grants: grants.map(grantAnswer) });
  }),

  userRoute(deps, endGrant, async ({ call, params }) => {
    await deps.commands.endAuthorization(call, { authorizationId: params.id });
    return noContent();
  }),
];
