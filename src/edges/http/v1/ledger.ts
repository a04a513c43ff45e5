import type { z } from 'zod';
import { type ledgerEntrySchema, type ledgerPageSchema, listLedger, readEntry } from '../../../contract/ledger.ts';
import type { LedgerEntry, Queries } from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

/** `data` and `meta` have the names that the hash covers, so that anyone can verify it. */
export const entryJson = (entry: LedgerEntry): z.input<typeof ledgerEntrySchema> => ({
  id: entry.eventId,
  type: entry.type,
  stream: entry.stream,
  version: entry.version,
  position: entry.position,
  occurred_at: entry.occurredAt,
  request_id: entry.requestId,
  schema_version: entry.schemaVersion,
  data: { ...entry.data },
  meta: { ...entry.meta },
  prev_hash: entry.prevHash,
  hash: entry.hash,
});

/** An account's own books. */
export const ledger = ({ queries }: { readonly queries: Pick<Queries, 'ledger' | 'ledgerEntry'> }): Route[] => [
  keyRoute(listLedger, async ({ call, query }) => {
    const page = await queries.ledger(call.accountId, {
      limit: query.limit,
      before: query.before ?? null,
      requestId: query.request_id ?? null,
    });
    const body: z.input<typeof ledgerPageSchema> = {
      entries: page.entries.map(entryJson),
      next_before: page.nextBefore,
    };
    return json(body);
  }),

  keyRoute(readEntry, async ({ call, params }) => {
    return json(entryJson(await queries.ledgerEntry(call.accountId, params.id)));
  }),
];
