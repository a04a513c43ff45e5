import type { Sql } from 'postgres';
import { type AccountEvent, accountEvents as ofAccount } from '../src/accounts/account.ts';
import { type SessionEvent, sessionEvents } from '../src/accounts/sign-in/session.ts';
import { type AuthorizationEvent, authorizationEvents } from '../src/authorizations/authorization.ts';
import type { CreditsGranted, PlanAssigned } from '../src/credits/credits.ts';
import type { Projection } from '../src/eventlog/projections/projection.ts';
import type { KeyEvent } from '../src/keys/key.ts';
import { type WebhookEvent, webhookEvents } from '../src/webhooks/webhook.ts';
import { type Page, readPage } from './list-order.ts';

type HistoryEvent =
  | AccountEvent
  | SessionEvent
  | KeyEvent
  | AuthorizationEvent
  | PlanAssigned
  | CreditsGranted
  | WebhookEvent;

const inHistory = { ...ofAccount, ...sessionEvents, ...authorizationEvents, ...webhookEvents };

/**
 * The history of each account for its owner. It holds positions of events; their data are read from the log. Charges
 * are in the ledger. Visitors have no history, because nobody could read it.
 */
export const accountEvents: Projection<HistoryEvent> = {
  name: 'account_events',
  version: 3,
  types: [
    ...(Object.keys(inHistory) as (keyof typeof inHistory)[]),
    ...(['KeyCreated', 'KeyRolled', 'KeyRevoked', 'PlanAssigned', 'CreditsGranted'] as const),
  ],
  tables: ['account_events'],
  createSql: ({ account_events: table }) => `
    CREATE TABLE ${table} (
      account_id  text NOT NULL,
      position    bigint NOT NULL,
      PRIMARY KEY (account_id, position)
    )`,
  fold: async (transaction, events, { account_events: table }) => {
    const shown = events.filter(({ data }) => !data.accountId.startsWith('vis_'));
    if (shown.length === 0) return;
    await transaction.query(
      `INSERT INTO ${table} (account_id, position)
       SELECT * FROM unnest($1::text[], $2::bigint[])
       ON CONFLICT DO NOTHING`,
      [shown.map(({ data }) => data.accountId), shown.map(({ position }) => String(position))],
    );
  },
};

export type AccountEventRow = {
  readonly eventId: string;
  readonly position: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly occurredAt: string;
  readonly actor: { readonly type: string; readonly id: string } | null;
  readonly channel: string | null;
  readonly requestId: string | null;
  /** The stored data, in the schema version of the event. */
  readonly data: Readonly<Record<string, unknown>>;
};

/** The history of an account, newest first; `before` is the `nextBefore` of the page before. */
export const accountEventsOf = async (
  sql: Sql,
  accountId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<Page<AccountEventRow>> =>
  readPage(
    limit,
    (most) => sql<AccountEventRow[]>`
    SELECT e.event_id, e.position::text, e.type, e.schema_version, e.meta->>'occurred_at' AS occurred_at,
      e.meta->'actor' AS actor, e.meta->>'channel' AS channel, e.meta->>'request_id' AS request_id, e.data
    FROM account_events AS a
    JOIN es_event AS e USING (position)
    WHERE a.account_id = ${accountId} AND (${before}::bigint IS NULL OR position < ${before}::bigint)
    ORDER BY e.position DESC
    LIMIT ${most}`,
  );
