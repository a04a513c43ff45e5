import type { z } from 'zod';
import { cloudEventOf, type feedPageSchema, listEvents } from '../../../contract/events.ts';
import { ledgerEntryAnswer } from '../../../contract/ledger.ts';
import type { LedgerEntry } from '../../../queries.ts';
import type { EventStreams } from '../middleware/event-streams.ts';
import { bytes, json } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

type Deps = Application<never, 'ledgerFeed'> & { readonly streams: EventStreams };

/** The entries of the ledger of an account as a feed. */
export const events = ({ queries, streams }: Deps): Route[] => [
  keyRoute(listEvents, async ({ call, query: { cursor, limit }, requestInfo }) => {
    const { accept = '', 'last-event-id': lastEventId } = requestInfo.request.headers;
    if (accept.includes('text/event-stream')) {
      return await streams(call, lastEventId ?? cursor, async () => ({
        read: (page) => queries.ledgerFeed(call.accountId, { ...page, after: page.after === '0' ? null : page.after }),
        tell: (entry) => ({ name: 'ledger', data: eventOf(entry) }),
        isOver: async () => false,
      }));
    }
    const found = await queries.ledgerFeed(call.accountId, { after: cursor ?? null, limit });
    const told = found.map(eventOf);
    if (accept.includes('application/x-ndjson')) {
      const lines = told.map((event) => `${JSON.stringify(event)}\n`).join('');
      return bytes(lines, { contentType: 'application/x-ndjson' });
    }
    const body: z.input<typeof feedPageSchema> = { events: told, next_cursor: told.at(-1)?.cursor ?? cursor ?? null };
    return json(body);
  }),
];

const eventOf = (entry: LedgerEntry) => cloudEventOf(ledgerEntryAnswer(entry));
