import { changeSettings } from '../../../../contract/account.ts';
import type { Route } from '../../middleware/route.ts';
import { redirect, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf, numberIn } from '../parts/form-body.ts';
import { grantsPage } from './grants-page.tsx';

const path = '/account/grants';

/** The applications that an account has authorized. */
export const grantsRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path }, (request) => shown(deps, request, null)),
  userPage(
    deps,
    { method: 'POST', path: `${path}/settings`, refused: (request, wrong) => shown(deps, request, wrong) },
    async ({ form, user }) => {
      const { ask_above_credits: askAboveCredits } = bodyOf(changeSettings, {
        ask_above_credits: numberIn(form, 'ask_above_credits'),
      });
      await deps.commands.chooseRequestDefaults(user.accountId, { askAboveCredits: askAboveCredits ?? null });
      return redirect(path);
    },
  ),
  userPage(deps, { method: 'POST', path: `${path}/:id/end` }, async ({ call, params }) => {
    await deps.commands.endAuthorization(call, { authorizationId: params['id'] ?? '' });
    return redirect(path);
  }),
];

const shown = async (deps: WebsiteDeps, { context, user }: UserRequest, wrong: string | null): Promise<string> => {
  const [grants, { askAboveCredits }] = await Promise.all([
    deps.queries.grants(user.accountId),
    deps.commands.requestDefaults(user.accountId),
  ]);
  return grantsPage(context, { grants, askAboveCredits, wrong, now: deps.clock().toISOString() });
};
