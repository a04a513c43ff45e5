import { z } from 'zod';
import type { KeyEndpoint } from './endpoint.ts';
import { ledgerEntrySchema } from './ledger.ts';
import { integerParameter, named, positionText, timestamp } from './schemas.ts';
import { ofUsage } from './usage.ts';

/** What a type of the feed begins with. */
const feedTypePrefix = 'dev.steno';

/** A ledger entry as an event of CloudEvents 1.0. */
const cloudEventSchema = named('CloudEvent', {
  specversion: z.literal('1.0').describe('Version of CloudEvents.'),
  id: z.string().describe('Id of the event; with `source` it is unique.'),
  source: z.string().describe('The feed that it belongs to.'),
  type: z.string().describe(`\`${feedTypePrefix}.ledger.\` and the type of the entry.`),
  subject: z.string().describe('Stream of the entry.'),
  time: timestamp.describe('When it happened, RFC 3339 in UTC.'),
  datacontenttype: z.literal('application/json').describe('Media type of `data`.'),
  cursor: z.string().describe('Continues after this event.'),
  data: ledgerEntrySchema.describe('The entry with its proof.'),
});

/** The event of an entry. */
export const cloudEventOf = (entry: z.input<typeof ledgerEntrySchema>): z.input<typeof cloudEventSchema> => ({
  specversion: '1.0',
  id: entry.id,
  source: '/v1/ledger',
  type: `${feedTypePrefix}.ledger.${entry.type}`,
  subject: entry.stream,
  time: entry.occurred_at,
  datacontenttype: 'application/json',
  cursor: entry.position,
  data: entry,
});

export const feedPageSchema = named('EventFeed', {
  events: z.array(cloudEventSchema).describe('Events, the oldest first.'),
  next_cursor: z.string().nullable().describe('Continues after the last of them; at the end it does not change.'),
});

const cursor = positionText('must be a `next_cursor` of this feed');

const feedQuery = z.object({
  cursor: cursor.optional().describe('Only events after it; without one, from the beginning.'),
  limit: integerParameter('Events per page.', { default: 100, max: 1_000 }),
});

export const listEvents = {
  ...ofUsage('listEvents', 'GET', '/v1/events'),
  summary: 'Every entry of the ledger as an event, the oldest first',
  description:
    'CloudEvents 1.0 for following the ledger: store `next_cursor` and continue from it. With `Accept: application/x-ndjson` one event per line, with `Accept: text/event-stream` events as they happen, whose id is the cursor (`Last-Event-ID`).',
  query: feedQuery,
  requestHeaders: { 'Last-Event-ID': 'The id of the last event that was received; goes before `cursor`.' },
  answers: {
    200: {
      description: 'One page, or the events as they happen.',
      schema: feedPageSchema,
      text: ['application/x-ndjson'],
      events: { name: 'LedgerFeedEvent', data: { ledger: cloudEventSchema } },
    },
  },
} satisfies KeyEndpoint;
