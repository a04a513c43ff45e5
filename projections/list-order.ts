import type { PendingQuery, Row, Sql } from 'postgres';
import { rowsUpTo } from '../src/kernel/rows-up-to.ts';

/** Rows with the same value in the column are in the order of their positions, so the order is total. */
export type ListOrder<Column extends string> = { readonly by: Column; readonly isDescending: boolean };

/** One page of a list, which follows the row at `before`; the newest first unless `order` says otherwise. */
export type ListPage<Column extends string> = {
  readonly limit: number;
  readonly before: string | null;
  readonly status?: string | null;
  readonly order?: ListOrder<Column>;
};

/** Rows of a list, and the position after which the next page begins; null: this was the last. */
export type Page<Shown> = { readonly rows: readonly Shown[]; readonly nextBefore: string | null };

/** A page of at most `limit` rows. */
export const readPage = async <Shown extends { readonly position: string }>(
  limit: number,
  read: (limit: number) => Promise<readonly Shown[]>,
): Promise<Page<Shown>> => {
  const { rows, hasMore } = await rowsUpTo(limit, read);
  return { rows, nextBefore: hasMore ? (rows.at(-1)?.position ?? null) : null };
};

type Fragment = PendingQuery<Row[]>;

/**
 * The end of a query of one page of a list, by keyset: what follows the row at `before` in this order. `list`: FROM and
 * WHERE of the whole list. `value`: what the order is by; null: by positions alone, and then no row needs to be at `before`.
 */
export const pageInOrder = (
  sql: Sql,
  {
    list,
    position,
    value,
    isDescending,
    before,
    limit,
  }: {
    readonly list: Fragment;
    readonly position: Fragment;
    readonly value: Fragment | null;
    readonly isDescending: boolean;
    readonly before: string | null;
    readonly limit: number;
  },
): Fragment => {
  const [follows, direction] = isDescending ? [sql`<`, sql`DESC`] : [sql`>`, sql`ASC`];
  const place = value === null ? position : sql`${value}, ${position}`;
  const given =
    value === null ? sql`${before}::bigint` : sql`SELECT ${place} ${list} AND ${position} = ${before}::bigint`;
  return sql`
    ${before === null ? sql`` : sql`AND (${place}) ${follows} (${given})`}
    ORDER BY ${value === null ? sql`` : sql`${value} ${direction},`} ${position} ${direction}
    LIMIT ${limit}`;
};
