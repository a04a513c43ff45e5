import type { Sql } from 'postgres';
import { type CreditsEvent, creditsEvents } from '../src/credits/credits.ts';
import { emptyBuckets, postingsOf } from '../src/credits/ledger/postings.ts';
import { columnsOf } from '../src/eventlog/connection.ts';
import type { FoldedEvent } from '../src/eventlog/event-rows.ts';
import type { Projection } from '../src/eventlog/projections/projection.ts';
import { type ListOrder, pageInOrder } from './list-order.ts';

/**
 * Index of all ledger events: by request, by job, by time, by kind, key and cost tag of usage, with the balance after
 * each. `kind` and `key_id` are those under which usage counts the event, '' where it counts none. `plan`: the plan that
 * begins with the event, null: it begins none.
 */
export const receipts: Projection<CreditsEvent> = {
  name: 'receipts',
  version: 3,
  types: Object.keys(creditsEvents) as CreditsEvent['type'][],
  tables: ['receipts'],
  createSql: ({ receipts: table }) => `
    CREATE TABLE ${table} (
      account_id  text NOT NULL,
      position    bigint NOT NULL,
      request_id  text NOT NULL,
      job_id      text NOT NULL,
      at          timestamptz NOT NULL,
      kind        text NOT NULL,
      key_id      text NOT NULL,
      cost_tag    text NOT NULL,
      plan        text,
      available   bigint NOT NULL,
      reserved    bigint NOT NULL,
      PRIMARY KEY (account_id, position)
    );
    CREATE INDEX ON ${table} (account_id, request_id, position);
    CREATE INDEX ON ${table} (account_id, job_id, position) WHERE job_id <> '';
    CREATE INDEX ON ${table} (account_id, cost_tag, position) WHERE cost_tag <> '';
    CREATE INDEX ON ${table} (account_id, at, position);
    CREATE INDEX ON ${table} (account_id, position) WHERE plan IS NOT NULL`,
  fields: {
    ...{ accountId: 'text', at: 'text', requestId: 'text', operation: 'text', keyId: 'text', costTag: 'text' },
    ...{ jobId: 'text', plan: 'text', amount: 'integer' },
  },
  fold: async (transaction, events, { receipts: table }) => {
    // The balance after the newest event before these is the first summand: a batch that comes again has the same sums.
    await transaction.query(
      `WITH posted AS (
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[],
           $8::text[], $9::text[], $10::bigint[], $11::bigint[])
           AS one (account_id, position, request_id, job_id, at, kind, key_id, cost_tag, plan, available, reserved)
       )
       INSERT INTO ${table}
       SELECT account_id, position, request_id, job_id, at, kind, key_id, cost_tag, plan,
         coalesce(before.available, 0) + sum(posted.available) OVER so_far,
         coalesce(before.reserved, 0) + sum(posted.reserved) OVER so_far
       FROM posted
       JOIN (SELECT account_id, min(position) AS first FROM posted GROUP BY account_id) AS begun USING (account_id)
       LEFT JOIN LATERAL (
         SELECT known.available, known.reserved
         FROM ${table} AS known
         WHERE known.account_id = posted.account_id AND known.position < begun.first
         ORDER BY known.position DESC
         LIMIT 1
       ) AS before ON true
       WINDOW so_far AS (PARTITION BY account_id ORDER BY position)
       ON CONFLICT DO NOTHING`,
      postedColumns(events),
    );
  },
};

const postedColumns = (events: readonly FoldedEvent<CreditsEvent>[]): readonly unknown[] => {
  const postings = events.map((event) => {
    const buckets = emptyBuckets();
    for (const { bucket, amount } of postingsOf(event as CreditsEvent)) buckets[bucket] += amount;
    return buckets;
  });
  const textOf =
    (name: string) =>
    ({ data }: FoldedEvent<CreditsEvent>) => {
      const value: unknown = Reflect.get(data, name);
      return typeof value === 'string' ? value : '';
    };
  return [
    events.map(({ data }) => data.accountId),
    events.map(({ position }) => String(position)),
    events.map(textOf('requestId')),
    events.map(textOf('jobId')),
    events.map(({ data }) => data.at),
    events.map(textOf('operation')),
    events.map((event) => (isUsage(event) ? textOf('keyId')(event) : '')),
    events.map(textOf('costTag')),
    events.map(({ type, data }) => (begunPlan.has(type) && 'plan' in data ? (data.plan ?? null) : null)),
    ...columnsOf(postings, 'available', 'reserved'),
  ];
};

const begunPlan: ReadonlySet<string> = new Set(['BookOpened', 'PlanAssigned']);

/** What a key of the account did besides is no use of it. */
const isUsage = ({ type }: FoldedEvent<CreditsEvent>): boolean => type !== 'BudgetReached';

/** A filter of entries; null: all of them. `day` is a UTC day, `YYYY-MM-DD`; an empty `keyId`: operations without a key. */
export type EntryFilter = {
  readonly requestId: string | null;
  readonly day: string | null;
  readonly kind: string | null;
  readonly keyId: string | null;
  readonly costTag: string | null;
  /** Entries that usage counts, from this UTC day on. */
  readonly usedSince: string | null;
  /** Entries up to this time, RFC 3339. */
  readonly asOf: string | null;
};

/** The filter that every entry passes. */
export const anyEntry: EntryFilter = {
  requestId: null,
  day: null,
  kind: null,
  keyId: null,
  costTag: null,
  usedSince: null,
  asOf: null,
};

/** An order of entries: that of the ledger, or by the credits that each gave or took. */
export type EntryOrder = ListOrder<'time' | 'credits'>;

/** The order of what was recorded by a time: pages of one day are found by their index, however many entries it has. */
export const byInstant = { by: 'instant', isDescending: true } as const;

/** The order of a ledger unless another one is asked for. */
export const newestFirst: EntryOrder = { by: 'time', isDescending: true };

/** Every entry with the change of the balance, which is its credits: some 0.2 s for 100,000 entries of an account. */
const entriesWithCredits = (sql: Sql, accountId: string) => sql`
  SELECT *, available + reserved - lag(available + reserved, 1, 0::bigint) OVER (ORDER BY position) AS credits
  FROM receipts
  WHERE account_id = ${accountId}`;

/**
 * Positions of the entries of an account that pass a filter, those that follow the entry at `before`, at most `limit`; the
 * newest first unless `order` says otherwise.
 */
export const filteredPositions = async (
  sql: Sql,
  wanted: EntryFilter & {
    accountId: string;
    before: string | null;
    limit: number;
    order?: EntryOrder | typeof byInstant;
  },
): Promise<string[]> => {
  const { accountId, requestId, day, kind, keyId, costTag, usedSince, asOf, before, limit } = wanted;
  const { by, isDescending } = wanted.order ?? newestFirst;
  const [all, from, value] =
    by === 'credits'
      ? [sql`WITH entries AS (${entriesWithCredits(sql, accountId)})`, sql`entries AS receipts`, sql`credits`]
      : [sql``, sql`receipts`, by === 'instant' ? sql`at` : null];
  const list = sql`FROM ${from} WHERE account_id = ${accountId}`;
  const midnight = (utcDay: string) => sql`${`${utcDay}T00:00:00Z`}::timestamptz`;
  const rows = await sql<{ position: string }[]>`
    ${all}
    SELECT position::text
    ${list}
      ${requestId === null ? sql`` : sql`AND request_id = ${requestId}`}
      ${day === null ? sql`` : sql`AND at >= ${midnight(day)} AND at < ${midnight(day)} + interval '24 hours'`}
      ${kind === null ? sql`` : sql`AND kind = ${kind}`}
      ${keyId === null ? sql`` : sql`AND key_id = ${keyId}`}
      ${costTag === null ? sql`` : sql`AND cost_tag = ${costTag}`}
      ${keyId === '' || usedSince !== null ? sql`AND kind <> ''` : sql``}
      ${usedSince === null ? sql`` : sql`AND at >= ${midnight(usedSince)}`}
      ${asOf === null ? sql`` : sql`AND at <= ${asOf}::timestamptz`}
    ${pageInOrder(sql, { list, position: sql`receipts.position`, value, isDescending, before, limit })}`;
  return rows.map(({ position }) => position);
};

/** Positions of the charges of a job, in their order, after `after`, at most `limit`. */
export const chargedPositionsOfJob = async (
  sql: Sql,
  wanted: { accountId: string; jobId: string; after: string | null; limit: number },
): Promise<string[]> => {
  const { accountId, jobId, after, limit } = wanted;
  const rows = await sql<{ position: string }[]>`
    SELECT position::text
    FROM receipts
    WHERE account_id = ${accountId} AND job_id = ${jobId} AND job_id <> '' AND kind <> ''
      ${after === null ? sql`` : sql`AND position > ${after}::bigint`}
    ORDER BY receipts.position
    LIMIT ${limit}`;
  return rows.map(({ position }) => position);
};

/** Credits of an account. */
export type BalanceAt = { readonly available: number; readonly reserved: number };

/** The balances after these entries of an account, by position. */
export const balancesAt = async (
  sql: Sql,
  { accountId, positions }: { readonly accountId: string; readonly positions: readonly string[] },
): Promise<ReadonlyMap<string, BalanceAt>> => {
  const rows = await sql<(BalanceAt & { readonly position: string })[]>`
    SELECT position::text, available::float8, reserved::float8
    FROM receipts
    WHERE account_id = ${accountId} AND position = ANY(string_to_array(${positions.join()}, ',')::bigint[])`;
  return new Map(rows.map(({ position, ...balance }) => [position, balance]));
};

type Standing = BalanceAt & { readonly plan: string | null; readonly position: string };

/** The balance and the plan of an account at a time, RFC 3339; null: it had no book yet. */
export const standingAt = async (sql: Sql, accountId: string, at: string): Promise<Standing | null> => {
  const [newest] = await sql<Standing[]>`
    SELECT position::text, available::float8, reserved::float8, (
      SELECT begun.plan
      FROM receipts AS begun
      WHERE begun.account_id = one.account_id AND begun.plan IS NOT NULL AND begun.position <= one.position
      ORDER BY begun.position DESC
      LIMIT 1) AS plan
    FROM receipts AS one
    WHERE account_id = ${accountId} AND at <= ${at}::timestamptz
    ORDER BY at DESC, one.position DESC
    LIMIT 1`;
  return newest ?? null;
};
