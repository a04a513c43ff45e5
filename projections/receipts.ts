import type { Sql } from 'postgres';
import type { CreditsEvent } from '../src/credits/credits.ts';
import type { Projection } from '../src/eventlog/projections/projection.ts';

/**
 * Index of the ledger events by request, and by day, kind and key of usage. `kind` and `key_id` are those under which
 * usage counts the event, '' where it counts none.
 */
export const receipts: Projection<CreditsEvent> = {
  name: 'receipts',
  version: 1,
  types: [
    'PlanAssigned',
    'CreditsGranted',
    'CreditsCharged',
    'OperationServed',
    'OperationFailed',
    'CreditsReserved',
    'ReservationSettled',
    'ReservationReleased',
    'ChargeRefunded',
    'CreditsExpired',
  ],
  tables: ['receipts'],
  createSql: ({ receipts: table }) => `
    CREATE TABLE ${table} (
      account_id  text NOT NULL,
      position    bigint NOT NULL,
      request_id  text NOT NULL,
      day         date NOT NULL,
      kind        text NOT NULL,
      key_id      text NOT NULL,
      PRIMARY KEY (account_id, position)
    );
    CREATE INDEX ON ${table} (account_id, request_id, position);
    CREATE INDEX ON ${table} (account_id, day, kind, position)`,
  fields: { accountId: 'text', at: 'text', requestId: 'text', operation: 'text', keyId: 'text' },
  fold: async (transaction, events, { receipts: table }) => {
    await transaction.query(
      `INSERT INTO ${table} (account_id, position, request_id, day, kind, key_id)
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::date[], $5::text[], $6::text[])
       ON CONFLICT DO NOTHING`,
      [
        events.map(({ data }) => data.accountId),
        events.map(({ position }) => String(position)),
        events.map(({ data }) => ('requestId' in data ? (data.requestId ?? '') : '')),
        events.map(({ data }) => data.at.slice(0, 10)),
        events.map(({ data }) => ('operation' in data ? (data.operation ?? '') : '')),
        events.map(({ data }) => ('keyId' in data ? (data.keyId ?? '') : '')),
      ],
    );
  },
};

/** A filter of entries; null: any. `day` is a UTC day, `YYYY-MM-DD`; an empty `keyId`: operations without a key. */
export type EntryFilter = {
  readonly requestId: string | null;
  readonly day: string | null;
  readonly kind: string | null;
  readonly keyId: string | null;
  /** Entries that usage counts, from this UTC day on. */
  readonly usedSince: string | null;
};

/** Positions of the entries of an account that pass a filter, newest first, before `before`, at most `limit`. */
export const filteredPositions = async (
  sql: Sql,
  wanted: EntryFilter & { accountId: string; before: string | null; limit: number },
): Promise<string[]> => {
  const { accountId, requestId, day, kind, keyId, usedSince, before, limit } = wanted;
  const rows = await sql<{ position: string }[]>`
    SELECT position::text
    FROM receipts
    WHERE account_id = ${accountId}
      ${requestId === null ? sql`` : sql`AND request_id = ${requestId}`}
      ${day === null ? sql`` : sql`AND day = ${day}::date`}
      ${kind === null ? sql`` : sql`AND kind = ${kind}`}
      ${keyId === null ? sql`` : sql`AND key_id = ${keyId}`}
      ${keyId === '' || usedSince !== null ? sql`AND kind <> ''` : sql``}
      ${usedSince === null ? sql`` : sql`AND day >= ${usedSince}::date`}
      ${before === null ? sql`` : sql`AND position < ${before}::bigint`}
    ORDER BY receipts.position DESC
    LIMIT ${limit}`;
  return rows.map(({ position }) => position);
};
