import { isTerminal, type LedgerEntry } from '../../../../queries.ts';
import type { Route } from '../../middleware/route.ts';
import { creditsOf } from '../ledger/ledger-page.tsx';
import { namesOf } from '../ledger/ledger-routes.ts';
import { own, redirect, userPage, type WebsiteDeps } from '../page.ts';
import { overviewPage } from './overview-page.tsx';

/** Days of the chart. */
const daysShown = 30;

/** Jobs among which those that run are looked for. */
const jobsRead = 10;

/** The newest charges are looked for in so many pages of so many entries: a job may end with hundreds that charge nothing. */
const entriesRead = 50;
const pagesRead = 20;
const chargesShown = 5;

/** Entries of requests: with none of them, nothing was asked for yet. */
const isRequest: ReadonlySet<string> = new Set([
  'CreditsCharged',
  'OperationServed',
  'OperationFailed',
  'CreditsReserved',
]);

const chargesIn = ({ entries }: { readonly entries: readonly LedgerEntry[] }): readonly LedgerEntry[] =>
  entries.filter((entry) => (creditsOf(entry) ?? 0) < 0);

type LedgerPage = { readonly entries: readonly LedgerEntry[]; readonly nextBefore: string | null };

/** The newest charges of a ledger, from its first page on; `read` reads the page before a position. */
export const newestCharges = async (
  first: LedgerPage,
  read: (before: string) => Promise<LedgerPage>,
): Promise<readonly LedgerEntry[]> => {
  const found = [...chargesIn(first)];
  let before = first.nextBefore;
  for (let pages = 1; pages < pagesRead && found.length < chargesShown && before !== null; pages += 1) {
    const page = await read(before);
    found.push(...chargesIn(page));
    before = page.nextBefore;
  }
  return found.slice(0, chargesShown);
};

/** How the account stands, and what goes on in it. */
export const overviewRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account' }, async ({ context, query, user }) => {
    const { accountId } = user;
    const entriesBefore = (before: string | null) =>
      deps.queries.ledger(accountId, { limit: entriesRead, before, requestId: null });
    const [profile, found, usage, week, page, newest] = await Promise.all([
      deps.commands.profile(accountId),
      deps.queries.accountOverview(accountId),
      deps.queries.accountUsage(accountId, daysShown),
      deps.queries.accountUsage(accountId, 7),
      entriesBefore(null),
      deps.queries.jobs(accountId, { limit: jobsRead, before: null }),
    ]);
    const charges = await newestCharges(page, entriesBefore);
    return overviewPage(context, {
      ...profile,
      ...usage,
      ...found,
      creditsPerDay: week.creditsUsed / 7,
      now: deps.clock(),
      charges,
      names: await namesOf(deps, accountId, charges),
      jobs: newest.rows.filter((job) => !isTerminal(job)),
      isUnused: page.nextBefore === null && !page.entries.some(({ type }) => isRequest.has(type)),
      isProofSent: query.get('told') === 'proof',
    });
  }),
  userPage(deps, { method: 'POST', path: '/account/mailbox' }, async (request) => {
    await deps.commands.requestMailboxProof(own(request));
    return redirect('/account?told=proof');
  }),
];
