import type { Route } from '../../middleware/route.ts';
import { own, redirect, userPage, type WebsiteDeps } from '../page.ts';
import { overviewPage } from './overview-page.tsx';

/** How the account stands. */
export const overviewRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account' }, async ({ context, query, user }) => {
    const { accountId } = user;
    const [profile, found, usage] = await Promise.all([
      deps.commands.profile(accountId),
      deps.queries.accountOverview(accountId),
      deps.queries.accountUsage(accountId, 1),
    ]);
    return overviewPage(context, {
      ...found,
      ...usage,
      plan: found.plan,
      credits: found.credits,
      email: profile.email,
      name: profile.name,
      createdAt: profile.registeredAt.toISOString(),
      reserved: usage.creditsReserved,
      isProofSent: query.get('told') === 'proof',
    });
  }),
  userPage(deps, { method: 'POST', path: '/account/mailbox' }, async (request) => {
    await deps.commands.requestMailboxProof(own(request));
    return redirect('/account?told=proof');
  }),
];
