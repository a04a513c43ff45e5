import type { Sql } from 'postgres';
import type {
  ChargeRefunded,
  CreditsCharged,
  OperationFailed,
  OperationServed,
  ReservationSettled,
} from '../src/credits/credits.ts';
import { columnsOf } from '../src/eventlog/connection.ts';
import type { Transaction } from '../src/eventlog/event-log.ts';
import { foldBy, type Projection, type Tally } from '../src/eventlog/projections/projection.ts';

/** An event that usage counts. */
export type UsageEvent = CreditsCharged | ReservationSettled | ChargeRefunded | OperationServed | OperationFailed;

type Row = {
  readonly accountId: string;
  readonly day: string;
  readonly kind: string;
  readonly keyId: string;
  readonly costTag: string;
  requests: number;
  failed: number;
  credits: number;
};

/**
 * Requests and credits of each account on each UTC day, by kind of operation, by key (`''`: without a key) and by cost tag (`''`: none). A request
 * is counted once, on the day of the event that counts it; credits are those of charges, less those of refunds.
 */
export const usage: Projection<UsageEvent> = {
  name: 'usage',
  version: 2,
  types: ['CreditsCharged', 'ReservationSettled', 'ChargeRefunded', 'OperationServed', 'OperationFailed'],
  tables: ['usage'],
  // With room for new versions in its page, an update of a row takes two thirds of the processor time.
  createSql: ({ usage: table }) => `
    CREATE TABLE ${table} (
      account_id  text NOT NULL,
      day         date NOT NULL,
      kind        text NOT NULL,
      key_id      text NOT NULL,
      cost_tag    text NOT NULL,
      requests    bigint NOT NULL,
      failed      bigint NOT NULL,
      credits     bigint NOT NULL,
      PRIMARY KEY (account_id, day, kind, key_id, cost_tag)
    ) WITH (fillfactor = 70)`,
  fields: {
    accountId: 'text',
    at: 'text',
    operation: 'text',
    keyId: 'text',
    costTag: 'text',
    requests: 'integer',
    amount: 'integer',
  },
  tally: () => tally(),
  fold: foldBy(() => tally()),
};

/** One row per key, for any number of events. */
const tally = (): Tally<UsageEvent> => {
  const rows = new Map<string, Row>();
  return {
    add: (events) => {
      for (const event of events) count(rows, event as UsageEvent);
    },
    size: () => rows.size,
    write: (transaction, { usage: table }) => write(transaction, table ?? 'usage', [...rows.values()]),
  };
};

const write = async (transaction: Transaction, table: string, rows: readonly Row[]): Promise<void> => {
  await transaction.query(
    `INSERT INTO ${table} AS known (account_id, day, kind, key_id, cost_tag, requests, failed, credits)
     SELECT * FROM unnest(
       $1::text[], $2::date[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
     ON CONFLICT (account_id, day, kind, key_id, cost_tag) DO UPDATE
     SET requests = known.requests + excluded.requests,
         failed = known.failed + excluded.failed,
         credits = known.credits + excluded.credits`,
    columnsOf(rows, 'accountId', 'day', 'kind', 'keyId', 'costTag', 'requests', 'failed', 'credits'),
  );
};

const count = (rows: Map<string, Row>, { type, data }: UsageEvent): void => {
  const day = data.at.slice(0, 10);
  const keyId = ('keyId' in data ? data.keyId : null) ?? '';
  const costTag = ('costTag' in data ? data.costTag : null) ?? '';
  const name = `${data.accountId} ${day} ${data.operation} ${keyId} ${costTag}`;
  let row = rows.get(name);
  if (row === undefined) {
    const { accountId, operation: kind } = data;
    row = { accountId, day, kind, keyId, costTag, requests: 0, failed: 0, credits: 0 };
    rows.set(name, row);
  }
  switch (type) {
    case 'CreditsCharged':
      row.requests += data.requests;
      row.credits += data.amount;
      break;
    case 'ReservationSettled':
      row.requests += 1;
      row.credits += data.amount;
      break;
    case 'ChargeRefunded':
      row.credits -= data.amount;
      break;
    case 'OperationServed':
      row.requests += 1;
      break;
    case 'OperationFailed':
      row.requests += data.requests ?? 1;
      row.failed += data.requests ?? 1;
      break;
  }
};

/** The rows that these events come to, as the table has them. */
export const usageOf = (events: Iterable<UsageEvent>): readonly UsageRow[] => {
  const rows = new Map<string, Row>();
  for (const event of events) count(rows, event);
  return [...rows.values()].map((row) => ({
    ...row,
    keyId: row.keyId === '' ? null : row.keyId,
    costTag: row.costTag === '' ? null : row.costTag,
  }));
};

export type UsageRow = Readonly<
  Omit<Row, 'accountId' | 'keyId' | 'costTag'> & Record<'keyId' | 'costTag', string | null>
>;

/** The rows of one account from a UTC day (`YYYY-MM-DD`) on, oldest first. */
export const usageSince = async (sql: Sql, accountId: string, firstDay: string): Promise<readonly UsageRow[]> => {
  return await sql<UsageRow[]>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, kind, nullif(key_id, '') AS key_id, nullif(cost_tag, '') AS cost_tag,
      requests::float8, failed::float8, credits::float8
    FROM usage
    WHERE account_id = ${accountId} AND day >= ${firstDay}::date
    ORDER BY usage.day, kind, usage.key_id, usage.cost_tag`;
};

/** The credits of an account on all days, as of a position of the log, as `balanceOf` has it. */
export const usageTotalOf = async (
  sql: Sql,
  accountId: string,
): Promise<{ readonly position: bigint; readonly credits: number }> => {
  const [row] = await sql<{ position: string; credits: number }[]>`
    SELECT coalesce((SELECT s.position FROM es_subscription AS s WHERE s.name = ${usage.name}), 0)::text AS position,
           coalesce((SELECT sum(u.credits) FROM usage AS u WHERE u.account_id = ${accountId}), 0)::float8 AS credits`;
  return { position: BigInt(row?.position ?? 0), credits: row?.credits ?? 0 };
};
