import type { Sql } from 'postgres';
import type { StoredEvent } from '../src/eventlog/event-rows.ts';

/** A ledger event as it is stored, never upcast: its hash covers this form. */
export type StoredEntry = Omit<StoredEvent, 'data' | 'meta'> &
  Readonly<Record<'data' | 'meta', Readonly<Record<string, unknown>>>>;

type Row = Omit<StoredEntry, 'version' | 'position'> & Record<'version' | 'position', string>;

const toEntry = ({ version, position, ...row }: Row): StoredEntry => ({
  ...row,
  version: BigInt(version),
  position: BigInt(position),
});

/** ORDER BY must name the table: `version` alone would be the selected text, where '10' comes before '9'. */
const columns = (sql: Sql) =>
  sql`event_id AS id, type, schema_version, stream, version::text, position::text, data, meta`;

/** Names of an account's books sort together: from `ledger-<account>-` to `ledger-<account>.`. */
const booksOf = (sql: Sql, accountId: string) =>
  sql`stream >= ${`ledger-${accountId}-`} AND stream < ${`ledger-${accountId}.`}`;

/** Entries of an account before a position, newest first, at most `limit`. */
export const entriesBefore = async (
  sql: Sql,
  wanted: { accountId: string; before: string | null; limit: number },
): Promise<StoredEntry[]> => {
  const { accountId, before, limit } = wanted;
  // Within an account the order of books and versions is that of positions, and it has an index.
  const rows = await sql<Row[]>`
    SELECT ${columns(sql)}
    FROM es_event
    WHERE ${booksOf(sql, accountId)}
      ${
        before === null
          ? sql``
          : sql`AND (stream, version) < (
              SELECT stream, version
              FROM es_event
              WHERE position = ${before}::bigint AND ${booksOf(sql, accountId)})`
      }
    ORDER BY es_event.stream DESC, es_event.version DESC
    LIMIT ${limit}`;
  return rows.map(toEntry);
};

/** Entries of an account after the one at a position, oldest first, at most `limit`; null: it has no entry there. */
export const entriesAfter = async (
  sql: Sql,
  wanted: { accountId: string; after: string | null; limit: number },
): Promise<StoredEntry[] | null> => {
  const { accountId, after, limit } = wanted;
  const books = booksOf(sql, accountId);
  if (after === null) return await entriesFrom(sql, books, null, limit);
  const [place] = await sql<{ stream: string; version: string }[]>`
    SELECT stream, version::text
    FROM es_event
    WHERE position = ${after}::bigint AND ${books}`;
  return place === undefined ? null : await entriesFrom(sql, books, place, limit);
};

/** Entries of some books of an account after a place in them, or the first ones, oldest first. */
const entriesFrom = async (
  sql: Sql,
  books: ReturnType<typeof booksOf>,
  after: { readonly stream: string; readonly version: bigint | string } | null,
  limit: number,
): Promise<StoredEntry[]> => {
  const rows = await sql<Row[]>`
    SELECT ${columns(sql)}
    FROM es_event
    WHERE ${books}
      ${after === null ? sql`` : sql`AND (stream, version) > (${after.stream}, ${String(after.version)}::bigint)`}
    ORDER BY es_event.stream, es_event.version
    LIMIT ${limit}`;
  return rows.map(toEntry);
};

/** The entries at these positions that belong to the account, newest first. */
export const entriesAt = async (
  sql: Sql,
  wanted: { accountId: string; positions: readonly string[] },
): Promise<StoredEntry[]> => {
  const stored = await storedAt(sql, wanted.positions);
  // As a condition of the query, the account could make Postgres read the index of all its entries.
  const books = `ledger-${wanted.accountId}-`;
  return stored.filter(({ stream }) => stream.startsWith(books)).reverse();
};

/** The stored events at these positions, oldest first. */
export const storedAt = async (sql: Sql, positions: readonly (bigint | string)[]): Promise<StoredEntry[]> => {
  const rows = await sql<Row[]>`
    SELECT ${columns(sql)}
    FROM es_event
    WHERE position = ANY(string_to_array(${positions.join()}, ',')::bigint[])
    ORDER BY es_event.position`;
  return rows.map(toEntry);
};

/** One entry of an account by its event id, null when the account has none with this id. */
export const entryById = async (sql: Sql, accountId: string, eventId: string): Promise<StoredEntry | null> => {
  const rows = await sql<Row[]>`
    SELECT ${columns(sql)}
    FROM es_event
    WHERE event_id = ${eventId}::uuid AND ${booksOf(sql, accountId)}`;
  return rows.map(toEntry)[0] ?? null;
};

const exportPage = 1_000;

/**
 * The entries that some books of an account have now, oldest first, a thousand by a statement of their own: one statement for
 * all of them would exceed its time limit where there are many, or where the reader takes its time.
 */
async function* entriesIn(sql: Sql, accountId: string, books: ReturnType<typeof booksOf>): AsyncIterable<StoredEntry> {
  const newest = await lastPositionOf(sql, accountId);
  for (let last: StoredEntry | null = null; ; ) {
    const entries: readonly StoredEntry[] = await entriesFrom(sql, books, last, exportPage);
    for (const entry of entries) {
      if (entry.position > newest) return;
      yield entry;
    }
    last = entries.at(-1) ?? null;
    if (entries.length < exportPage) return;
  }
}

/** All entries of an account, oldest first. */
export const entriesOf = (sql: Sql, accountId: string): AsyncIterable<StoredEntry> =>
  entriesIn(sql, accountId, booksOf(sql, accountId));

/** The entries of the newest book of an account, oldest first. */
export async function* entriesOfOpenBook(sql: Sql, accountId: string): AsyncIterable<StoredEntry> {
  const [open] = await sql<{ stream: string | null }[]>`
    SELECT max(stream) AS stream FROM es_stream WHERE ${booksOf(sql, accountId)}`;
  if (open?.stream != null) yield* entriesIn(sql, accountId, sql`stream = ${open.stream}`);
}

/** The entries of all books of a period (`YYYY-MM`), oldest first. Their names begin with that of the first one. */
export const entriesOfPeriod = (sql: Sql, accountId: string, period: string): AsyncIterable<StoredEntry> => {
  const first = `ledger-${accountId}-${period}`;
  return entriesIn(sql, accountId, sql`stream >= ${first} AND stream < ${`${first}/`}`);
};

/** The billing periods of an account, newest first, at most a thousand. */
export const periodsOf = async (
  sql: Sql,
  accountId: string,
): Promise<readonly { readonly opensAt: string; readonly isOpen: boolean }[]> => {
  const rows = await sql<{ opensAt: string }[]>`
    SELECT data->>'opensAt' AS opens_at
    FROM (SELECT stream FROM es_stream WHERE ${booksOf(sql, accountId)}) AS book
    JOIN es_event USING (stream)
    WHERE version = 1 AND type = 'BookOpened' AND data->>'part' = '1'
    ORDER BY stream DESC
    LIMIT 1000`;
  return rows.map(({ opensAt }, index) => ({ opensAt, isOpen: index === 0 }));
};

/** How many entries an account has. */
export const countEntries = async (sql: Sql, accountId: string): Promise<number> => {
  const [counted] = await sql<{ count: string }[]>`
    SELECT count(*)::text AS count
    FROM es_event
    WHERE ${booksOf(sql, accountId)}`;
  return Number(counted?.count);
};

/** Position of the newest entry of an account, 0 when it has none. */
export const lastPositionOf = async (sql: Sql, accountId: string): Promise<bigint> => {
  const [newest] = await sql<{ position: string }[]>`
    SELECT position::text
    FROM es_event
    WHERE ${booksOf(sql, accountId)}
    ORDER BY stream DESC, version DESC
    LIMIT 1`;
  return BigInt(newest?.position ?? 0);
};

/**
 * The position of the newest event, in any stream. The sequence of positions may be ahead of it: an append that was a
 * duplicate has drawn a position that holds no event, and readers pass it only when they next poll.
 */
export const headPosition = async (sql: Sql): Promise<bigint> => {
  const [head] = await sql<{ position: string }[]>`
    SELECT position::text
    FROM es_event
    ORDER BY es_event.position DESC
    LIMIT 1`;
  return BigInt(head?.position ?? 0);
};

/**
 * Accounts that have a book, after `after` in the order of their ids, at most `limit`. It skips from account to account
 * in the index, so that a page costs the same for any number of accounts and books.
 */
export const accountsWithBooks = async (sql: Sql, after: string, limit: number): Promise<string[]> => {
  const rows = await sql<{ accountId: string }[]>`
    WITH RECURSIVE account (account_id) AS (
      SELECT ${after}::text COLLATE "C"
      UNION ALL
      SELECT (
        SELECT split_part(stream, '-', 2)
        FROM es_stream
        WHERE stream >= 'ledger-' || account.account_id || '.' AND stream < 'ledger.'
        ORDER BY stream
        LIMIT 1)
      FROM account
      WHERE account_id IS NOT NULL
    )
    SELECT account_id
    FROM account
    WHERE account_id <> ${after}
    LIMIT ${limit}`;
  return rows.map(({ accountId }) => accountId);
};
