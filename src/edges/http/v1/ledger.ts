import type { z } from 'zod';
import { ledgerEntryAnswer, type ledgerPageSchema, listLedger, readEntry } from '../../../contract/ledger.ts';
import type { Queries } from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

/** An account's own books. */
export const ledger = ({ queries }: { readonly queries: Pick<Queries, 'ledger' | 'ledgerEntry'> }): Route[] => [
  keyRoute(listLedger, async ({ call, query }) => {
    const page = await queries.ledger(call.accountId, {
      limit: query.limit,
      before: query.before ?? null,
      requestId: query.request_id ?? null,
      costTag: query.cost_tag ?? null,
    });
    const body: z.input<typeof ledgerPageSchema> = {
      entries: page.entries.map((entry) => ledgerEntryAnswer(entry)),
      next_before: page.nextBefore,
    };
    return json(body);
  }),

  keyRoute(readEntry, async ({ call, params }) => {
    return json(ledgerEntryAnswer(await queries.ledgerEntry(call.accountId, params.id)));
  }),
];
