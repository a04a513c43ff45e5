import { isTerminal } from '../../../../queries.ts';
import type { Route } from '../../middleware/route.ts';
import { creditsOf } from '../ledger/ledger-page.tsx';
import { namesOf } from '../ledger/ledger-routes.ts';
import { own, redirect, userPage, type WebsiteDeps } from '../page.ts';
import { overviewPage } from './overview-page.tsx';

/** Days of the chart. */
const daysShown = 30;

/** Entries among which the newest charges are looked for, and jobs among which those that run are. */
const entriesRead = 50;
const jobsRead = 10;

/** Entries of requests: with none of them, nothing was asked for yet. */
const isRequest: ReadonlySet<string> = new Set([
  'CreditsCharged',
  'OperationServed',
  'OperationFailed',
  'CreditsReserved',
]);

/** How the account stands, and what goes on in it. */
export const overviewRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account' }, async ({ context, query, user }) => {
    const { accountId } = user;
    const [profile, found, usage, week, page, newest] = await Promise.all([
      deps.commands.profile(accountId),
      deps.queries.accountOverview(accountId),
      deps.queries.accountUsage(accountId, daysShown),
      deps.queries.accountUsage(accountId, 7),
      deps.queries.ledger(accountId, { limit: entriesRead, before: null, requestId: null }),
      deps.queries.jobs(accountId, { limit: jobsRead, before: null }),
    ]);
    const charges = page.entries.filter((entry) => (creditsOf(entry) ?? 0) < 0).slice(0, 5);
    return overviewPage(context, {
      ...found,
      ...usage,
      plan: found.plan,
      credits: found.credits,
      email: profile.email,
      name: profile.name,
      createdAt: profile.registeredAt.toISOString(),
      reserved: usage.creditsReserved,
      daily: usage.daily,
      creditsPerDay: week.creditsUsed / 7,
      now: deps.clock(),
      charges,
      names: await namesOf(deps, accountId, charges),
      jobs: newest.filter((job) => !isTerminal(job)),
      isUnused: page.nextBefore === null && !page.entries.some(({ type }) => isRequest.has(type)),
      isProofSent: query.get('told') === 'proof',
    });
  }),
  userPage(deps, { method: 'POST', path: '/account/mailbox' }, async (request) => {
    await deps.commands.requestMailboxProof(own(request));
    return redirect('/account?told=proof');
  }),
];
