import type { Commands } from '../../../commands.ts';
import { endGrant, listGrants } from '../../../contract/oauth.ts';
import type { Queries } from '../../../queries.ts';
import { grantAnswer } from '../middleware/account-answers.ts';
import { json, noContent } from '../middleware/response.ts';
import type { Route } from '../middleware/route.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';

type Deps = SessionDeps & {
  readonly commands: Pick<Commands, 'endAuthorization'>;
  readonly queries: Pick<Queries, 'grants'>;
};

/** The applications that the signed-in account has authorized. */
export const accountGrants = (deps: Deps): Route[] => [
  userRoute(deps, listGrants, async ({ call }) => {
    const grants = await deps.queries.grants(call.accountId);
    return json({ grants: grants.map(grantAnswer) });
  }),

  userRoute(deps, endGrant, async ({ call, params }) => {
    await deps.commands.endAuthorization(call, { authorizationId: params.id });
    return noContent();
  }),
];
