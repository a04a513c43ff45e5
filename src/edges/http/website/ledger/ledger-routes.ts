import { ledgerFilters, ledgerPageIn } from '../../../../contract/account.ts';
import { readReceipts } from '../../../../contract/receipts.ts';
import type { LedgerEntry } from '../../../../queries.ts';
import { json } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { type EntryNames, entrySort, type LedgerFilter, ledgerPage, receiptPage } from './ledger-page.tsx';

/** The entries of the ledger, and the receipt of one. */
export const ledgerRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path: '/account/ledger' }, (request) => ledger(deps, request, {})),
  userPage(deps, { method: 'GET', path: '/account/requests/:id' }, (request) =>
    ledger(deps, request, { request_id: request.params['id'] ?? '' }),
  ),
  userPage(deps, { method: 'GET', path: '/account/ledger/:id' }, async ({ context, params, user: { accountId } }) => {
    return receiptPage(context, await deps.queries.ledgerEntry(accountId, params['id'] ?? ''));
  }),
  userPage(deps, { method: 'GET', path: '/account/ledger/:id/receipt' }, async ({ params, user: { accountId } }) => {
    const { id } = readReceipts.params.parse({ id: params['id'] });
    const { receipts } = await deps.queries.receipts(accountId, { id, limit: 1, cursor: null });
    return json(
      { receipts: receipts.map(({ jws }) => jws), next_cursor: null },
      { headers: { 'Content-Disposition': `attachment; filename="receipt-${id}.json"` } },
    );
  }),
];

const pageSize = 50;

const ledger = async (
  deps: WebsiteDeps,
  { context, query, user: { accountId } }: UserRequest,
  fixed: LedgerFilter,
): Promise<string> => {
  // The same rules as the endpoint of the account: a day that is no day is refused by its name.
  const { as_of: _asOf, ...asked } = ledgerFilters.parse({ ...Object.fromEntries(query), ...fixed });
  const { limit: _limit, before: _before, ...filter } = asked;
  const { entries, nextBefore } = await deps.queries.ledger(accountId, {
    ...ledgerPageIn(asked),
    limit: pageSize,
    order: entrySort(context.url).order,
  });
  const [names, usage] = await Promise.all([
    namesOf(deps, accountId, entries),
    deps.queries.accountUsage(accountId, daysOfFilters),
  ]);
  return ledgerPage(context, { entries, filter, nextBefore, names, kinds: usage.byKind.map(({ kind }) => kind) });
};

/** The line of filters names the operations of so many days. */
const daysOfFilters = 90;

/** What the rows of these entries name: videos, keys, and the balance after each. */
export const namesOf = async (
  { queries }: Pick<WebsiteDeps, 'queries'>,
  accountId: string,
  entries: readonly LedgerEntry[],
): Promise<EntryNames> => {
  const videoIds = entries.flatMap(({ data: { videoId } }) => (typeof videoId === 'string' ? [videoId] : []));
  const [titles, keys, balances] = await Promise.all([
    queries.videoTitles([...new Set(videoIds)]),
    queries.keys(accountId),
    queries.balancesAfter(
      accountId,
      entries.map(({ position }) => position),
    ),
  ]);
  return { titles, keys: new Map(keys.map(({ keyId, name }) => [keyId, name])), balances };
};
