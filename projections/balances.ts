import type { Sql } from 'postgres';
import type { CreditsEvent } from '../src/credits/credits.ts';
import { type Bucket, emptyBuckets, postingsOf } from '../src/credits/ledger/postings.ts';
import { columnsOf } from '../src/eventlog/connection.ts';
import type { Transaction } from '../src/eventlog/event-log.ts';
import { foldBy, type Projection, type Tally } from '../src/eventlog/projections/projection.ts';

type Row = Record<Bucket, number> & {
  readonly accountId: string;
  plan: string | null;
  period: string | null;
  closesAt: string | null;
};

/**
 * The five buckets of every account over all its books, and the period that is open. For operators and analysts:
 * decisions about credits read the book itself.
 */
export const balances: Projection<CreditsEvent> = {
  name: 'balances',
  version: 2,
  types: [
    'BookOpened',
    'PlanAssigned',
    'CreditsGranted',
    'CreditsCharged',
    'CreditsReserved',
    'ReservationSettled',
    'ReservationReleased',
    'ChargeRefunded',
    'BalanceCorrected',
    'CreditsExpired',
  ],
  tables: ['balances'],
  // With room for new versions in its page, an update of a row takes two thirds of the processor time.
  createSql: ({ balances: table }) => `
    CREATE TABLE ${table} (
      account_id  text PRIMARY KEY,
      plan        text,
      period      text,
      closes_at   timestamptz,
      issuer      bigint NOT NULL,
      available   bigint NOT NULL,
      reserved    bigint NOT NULL,
      spent       bigint NOT NULL,
      expired     bigint NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX ON ${table} (closes_at)`,
  fields: { accountId: 'text', plan: 'text', period: 'text', closesAt: 'text', amount: 'integer' },
  tally: () => tally(),
  fold: foldBy(() => tally()),
};

const tally = (): Tally<CreditsEvent> => {
  const rows = new Map<string, Row>();
  return {
    add: (events) => {
      for (const event of events) post(rows, event as CreditsEvent);
    },
    size: () => rows.size,
    write: (transaction, { balances: table }) => write(transaction, table ?? 'balances', [...rows.values()]),
  };
};

const write = async (transaction: Transaction, table: string, rows: readonly Row[]): Promise<void> => {
  await transaction.query(
    `INSERT INTO ${table} AS known
       (account_id, plan, period, closes_at, issuer, available, reserved, spent, expired)
     SELECT * FROM unnest(
       $1::text[], $2::text[], $3::text[], $4::timestamptz[],
       $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
     ON CONFLICT (account_id) DO UPDATE
     SET plan = coalesce(excluded.plan, known.plan),
         period = coalesce(excluded.period, known.period),
         closes_at = coalesce(excluded.closes_at, known.closes_at),
         issuer = known.issuer + excluded.issuer,
         available = known.available + excluded.available,
         reserved = known.reserved + excluded.reserved,
         spent = known.spent + excluded.spent,
         expired = known.expired + excluded.expired`,
    columnsOf(rows, 'accountId', 'plan', 'period', 'closesAt', 'issuer', 'available', 'reserved', 'spent', 'expired'),
  );
};

const post = (rows: Map<string, Row>, event: CreditsEvent): void => {
  const { accountId } = event.data;
  const row = rows.get(accountId) ?? emptyRow(accountId);
  rows.set(accountId, row);
  if (event.type === 'BookOpened') {
    row.plan = event.data.plan;
    row.period = event.data.period;
    row.closesAt = event.data.closesAt;
  }
  if (event.type === 'PlanAssigned') row.plan = event.data.plan;
  for (const { bucket, amount } of postingsOf(event)) row[bucket] += amount;
};

const emptyRow = (accountId: string): Row => ({
  accountId,
  plan: null,
  period: null,
  closesAt: null,
  ...emptyBuckets(),
});

export type BalanceRow = Readonly<Record<Bucket, number>>;

/**
 * The buckets of one account as of a position of the log: all its events up to the position are included and none after
 * it. `buckets` is null when the account had no book then.
 */
export const balanceOf = async (
  sql: Sql,
  accountId: string,
): Promise<{ readonly position: bigint; readonly buckets: BalanceRow | null }> => {
  // One statement, one snapshot: the checkpoint moves in the transaction that changes the row.
  const [row] = await sql<(BalanceRow & { readonly position: string; readonly isOpen: boolean })[]>`
    SELECT coalesce(s.position, 0)::text AS position,
           b.account_id IS NOT NULL AS is_open, b.issuer::float8, b.available::float8, b.reserved::float8,
           b.spent::float8, b.expired::float8
    FROM (VALUES (${balances.name}, ${accountId})) AS wanted (model, account_id)
    LEFT JOIN es_subscription AS s ON s.name = wanted.model
    LEFT JOIN balances AS b ON b.account_id = wanted.account_id`;
  if (row === undefined) return { position: 0n, buckets: null };
  const { position, isOpen, ...buckets } = row;
  return { position: BigInt(position), buckets: isOpen ? buckets : null };
};

/** How many accounts have a book, as far as the read model has come. */
export const countBalances = async (sql: Sql): Promise<number> => {
  const [counted] = await sql<{ count: number }[]>`SELECT count(*)::int FROM balances`;
  return counted?.count ?? 0;
};
