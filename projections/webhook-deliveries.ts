import type { Sql } from 'postgres';
import { valuesOf } from '../src/eventlog/connection.ts';
import type { Transaction } from '../src/eventlog/event-log.ts';
import type { FoldedEvent } from '../src/eventlog/event-rows.ts';
import type { Projection, Tables } from '../src/eventlog/projections/projection.ts';
import type { DeliveryAttemptFailed, DeliveryEvent, DeliveryRequested } from '../src/webhooks/delivery.ts';
import { type ListOrder, type ListPage, type Page, pageInOrder, readPage } from './list-order.ts';

/** Deliveries with their attempts, and the start of the present series of failures of each webhook. */
export const webhookDeliveries: Projection<DeliveryEvent> = {
  name: 'webhook_deliveries',
  version: 1,
  types: ['DeliveryRequested', 'DeliveryAttemptFailed', 'DeliverySucceeded', 'DeliveryGivenUp'],
  tables: ['webhook_deliveries', 'webhook_attempts', 'webhook_health'],
  createSql: ({ webhook_deliveries: deliveries, webhook_attempts: attempts, webhook_health: health }) => `
    CREATE TABLE ${deliveries} (
      delivery_id  text PRIMARY KEY,
      account_id   text NOT NULL,
      webhook_id   text,
      url          text NOT NULL,
      event_id     text NOT NULL,
      kind         text NOT NULL,
      job_id       text,
      run          integer,
      replay_of    text,
      status       text NOT NULL,
      attempts     integer NOT NULL DEFAULT 0,
      due_at       timestamptz,
      requested_at timestamptz NOT NULL,
      updated_at   timestamptz NOT NULL,
      position     bigint NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX ON ${deliveries} (webhook_id, position DESC);
    CREATE INDEX ON ${deliveries} (account_id, position DESC);
    CREATE INDEX ON ${deliveries} (due_at) WHERE status = 'pending';
    CREATE TABLE ${attempts} (
      delivery_id  text NOT NULL,
      attempt      integer NOT NULL,
      is_success   boolean NOT NULL,
      why          text,
      http_status  integer,
      duration_ms  integer NOT NULL,
      at           timestamptz NOT NULL,
      PRIMARY KEY (delivery_id, attempt)
    );
    CREATE TABLE ${health} (
      webhook_id    text PRIMARY KEY,
      failing_since timestamptz
    )`,
  fold: async (transaction, events, tables) => {
    for (const event of events) await folded(transaction, event, tables);
  },
};

const folded = async (by: Transaction, recorded: FoldedEvent<DeliveryEvent>, tables: Tables): Promise<void> => {
  const { type, data } = recorded as DeliveryEvent;
  const { webhook_deliveries: deliveries = 'webhook_deliveries' } = tables;
  switch (type) {
    case 'DeliveryRequested':
      await by.query(
        `INSERT INTO ${deliveries} (delivery_id, account_id, webhook_id, url, event_id, kind, job_id,
           run, replay_of, status, due_at, requested_at, updated_at, position)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', $10, $10, $10, $11)
         ON CONFLICT (delivery_id) DO NOTHING`,
        [
          ...valuesOf(data, 'deliveryId', 'accountId', 'webhookId', 'url', 'eventId', 'kind'),
          ...valuesOf(data, 'jobId', 'run', 'replayOf', 'at'),
          String(recorded.position),
        ],
      );
      return;
    case 'DeliveryAttemptFailed':
      await by.query(
        `UPDATE ${deliveries} SET attempts = $2, due_at = $3, updated_at = $4 WHERE delivery_id = $1`,
        valuesOf(data, 'deliveryId', 'attempt', 'retryAt', 'at'),
      );
      return attempted(by, tables, { ...data, isSuccess: false });
    case 'DeliverySucceeded':
      await by.query(
        `UPDATE ${deliveries}
         SET status = 'succeeded', attempts = $2, due_at = NULL, updated_at = $3
         WHERE delivery_id = $1`,
        [data.deliveryId, data.attempt, data.at],
      );
      return attempted(by, tables, { ...data, why: null, isSuccess: true });
    case 'DeliveryGivenUp':
      await by.query(
        `UPDATE ${deliveries} SET status = 'failed', due_at = NULL, updated_at = $2
         WHERE delivery_id = $1`,
        [data.deliveryId, data.at],
      );
      return;
  }
};

const attempted = async (
  by: Transaction,
  { webhook_attempts: attempts = 'webhook_attempts', webhook_health: health = 'webhook_health' }: Tables,
  made: AttemptRow & Pick<DeliveryRow, 'deliveryId' | 'webhookId'>,
): Promise<void> => {
  const { webhookId, isSuccess, why, at } = made;
  await by.query(
    `INSERT INTO ${attempts} (delivery_id, attempt, is_success, why, http_status, duration_ms, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING`,
    valuesOf(made, 'deliveryId', 'attempt', 'isSuccess', 'why', 'httpStatus', 'durationMs', 'at'),
  );
  // A fault of this service does not count as a failure of the receiver.
  if (webhookId === null || why === 'internal_error') return;
  await by.query(
    `INSERT INTO ${health} AS known (webhook_id, failing_since) VALUES ($1, $2)
     ON CONFLICT (webhook_id) DO UPDATE
     SET failing_since = CASE
       WHEN excluded.failing_since IS NULL THEN NULL
       ELSE coalesce(known.failing_since, excluded.failing_since) END`,
    [webhookId, isSuccess ? null : at],
  );
};

export type AttemptRow = Readonly<
  Pick<DeliveryAttemptFailed['data'], 'attempt' | 'httpStatus' | 'durationMs' | 'at'>
> & { readonly isSuccess: boolean; readonly why: string | null };

export type DeliveryRow = Readonly<Omit<DeliveryRequested['data'], 'accountId' | 'subject' | 'happenedAt' | 'at'>> & {
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** When the next attempt is due; null when there is none. */
  readonly dueAt: string | null;
  readonly requestedAt: string;
  readonly position: string;
  readonly attempts: readonly AttemptRow[];
};

/** An order of deliveries: by the kind of their event, when they were requested, or by the number of their attempts. */
export type DeliveryOrder = ListOrder<'kind' | 'requested' | 'attempts'>;

/** One page of deliveries. */
export type DeliveryPage = ListPage<DeliveryOrder['by']>;

/** The deliveries to one webhook, or about one job, of an account. */
export const deliveriesOf = async (
  sql: Sql,
  accountId: string,
  of: { readonly webhookId: string } | { readonly jobId: string },
  page: DeliveryPage,
): Promise<Page<DeliveryRow>> => {
  const { before, status = null, order = { by: 'requested', isDescending: true } } = page;
  const values = { kind: sql`d.kind`, requested: null, attempts: sql`d.attempts` };
  const list = sql`
    FROM webhook_deliveries d
    WHERE d.account_id = ${accountId}
      AND ${'jobId' in of ? sql`d.job_id = ${of.jobId}` : sql`d.webhook_id = ${of.webhookId}`}`;
  const { by, isDescending } = order;
  const found = await readPage(
    page.limit,
    (limit) => sql<DeliveryRow[]>`
    SELECT d.delivery_id, d.webhook_id, d.url, d.event_id, d.kind, d.job_id, d.run, d.replay_of, d.status,
      d.due_at, d.requested_at, d.position::text,
      coalesce((
        SELECT json_agg(json_build_object('attempt', a.attempt, 'isSuccess', a.is_success, 'why', a.why,
          'httpStatus', a.http_status, 'durationMs', a.duration_ms, 'at', a.at) ORDER BY a.attempt)
        FROM webhook_attempts AS a WHERE a.delivery_id = d.delivery_id), '[]') AS attempts
    ${list} ${status === null ? sql`` : sql`AND d.status = ${status}`}
    ${pageInOrder(sql, { list, position: sql`d.position`, value: values[by], isDescending, before, limit })}`,
  );
  // Times within JSON are as Postgres writes them.
  const rows = found.rows.map(({ attempts, ...row }) => ({
    ...row,
    attempts: attempts.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
  }));
  return { ...found, rows };
};

/** The start of the present series of failures; null when the newest attempt succeeded or there was none. */
export const failingSince = async (sql: Sql, webhookId: string): Promise<string | null> => {
  const [row] = await sql<{ failingSince: string | null }[]>`
    SELECT failing_since FROM webhook_health WHERE webhook_id = ${webhookId}`;
  return row?.failingSince ?? null;
};

/** Failed deliveries of a webhook that were requested since then and not sent again, oldest first. */
export const failedDeliveriesSince = async (
  sql: Sql,
  webhookId: string,
  since: string,
  limit: number,
): Promise<string[]> => {
  const rows = await sql<{ deliveryId: string }[]>`
    SELECT d.delivery_id
    FROM webhook_deliveries d
    WHERE d.webhook_id = ${webhookId} AND d.status = 'failed' AND d.requested_at >= ${since}
      AND NOT EXISTS (
        SELECT FROM webhook_deliveries again
        WHERE again.replay_of = d.delivery_id AND again.webhook_id = d.webhook_id)
    ORDER BY d.position
    LIMIT ${limit}`;
  return rows.map(({ deliveryId }) => deliveryId);
};
