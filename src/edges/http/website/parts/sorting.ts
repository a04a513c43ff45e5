import type { PageContext } from '../layout.tsx';

type Direction = 'ascending' | 'descending';

/** The link of a column head that sorts its table, and how the table is sorted by it. */
export type SortLink = { readonly href: string; readonly direction: Direction | 'none' };

type SortLinks<Column extends string> = Readonly<Record<Column, SortLink>>;

type SortOrder<Column extends string> = { readonly by: Column; readonly isDescending: boolean };

type Value = string | number;

/** An address with other parameters, null: without one; from the first row of its list on. */
export const addressWith = (address: string, changes: Readonly<Record<string, string | null>>): string => {
  const [path = '', query] = address.split('?');
  const others = { before: null, page: null, ...changes };
  const kept = [...new URLSearchParams(query)].filter(([name]) => !Object.hasOwn(others, name));
  const added = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  const parameters = [...kept, ...added];
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
};

/** The address of the rest of a list; null: there is none. */
export const nextAddress = (address: string, before: string | null): string | null =>
  before === null ? null : addressWith(address, { before });

/** The order of `?sort=NAME` or `?sort=-NAME`; null: the address has none of these columns. */
const askedOrder = <Column extends string>(
  address: string,
  columns: Readonly<Record<Column, unknown>>,
): SortOrder<Column> | null => {
  const wanted = new URLSearchParams(address.split('?')[1]).get('sort') ?? '';
  const name = wanted.replace(/^-/, '');
  const isColumn = (one: string): one is Column => Object.hasOwn(columns, one);
  return isColumn(name) ? { by: name, isDescending: wanted.startsWith('-') } : null;
};

/** A link for each column: its first click sorts as `first` says, the next one turns the order around. */
const linksOf = <Column extends string>(
  address: string,
  order: SortOrder<Column> | null,
  first: Readonly<Record<Column, Direction>>,
): SortLinks<Column> => {
  const linkOf = ([column, direction]: [string, Direction]): [string, SortLink] => {
    const present = order?.by === column ? (order.isDescending ? 'descending' : 'ascending') : 'none';
    const isNextDescending = present === 'none' ? direction === 'descending' : present === 'ascending';
    return [
      column,
      { href: addressWith(address, { sort: `${isNextDescending ? '-' : ''}${column}` }), direction: present },
    ];
  };
  return Object.fromEntries(Object.entries<Direction>(first).map(linkOf)) as SortLinks<Column>;
};

/** The order in which a query lists what a table shows, and the links of its column heads. */
export type ListSort<Column extends string> = { readonly order: SortOrder<Column>; readonly links: SortLinks<Column> };

/** The order that an address asks of a list; without one, the newest first, which is the order of the column `newest`. */
export const sortIn = <Column extends string>(
  address: string,
  first: Readonly<Record<Column, Direction>>,
  newest: NoInfer<Column>,
): ListSort<Column> => {
  const order = askedOrder(address, first) ?? { by: newest, isDescending: true };
  return { order, links: linksOf(address, order, first) };
};

/**
 * Rows in the order that the address asks for, else as they are; with a link for each name. The first click on numbers and
 * times has the largest first.
 */
export const sorted = <Row, Name extends string>(
  { url, words }: Pick<PageContext, 'url' | 'words'>,
  rows: readonly Row[],
  values: Readonly<Record<Name, (row: Row) => Value>>,
): { readonly rows: readonly Row[]; readonly links: SortLinks<Name> } => {
  const order = askedOrder(url, values);
  const [sample] = rows;
  const firstOf = ([name, value]: [string, (row: Row) => Value]): [string, Direction] => [
    name,
    sample !== undefined && typeof value(sample) === 'number' ? 'descending' : 'ascending',
  ];
  const first = Object.fromEntries(Object.entries<(row: Row) => Value>(values).map(firstOf));
  const links = linksOf(url, order, first as Readonly<Record<Name, Direction>>);
  if (order === null) return { rows, links };
  const texts = new Intl.Collator(words.language, { numeric: true });
  const compared = (a: Value, b: Value): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : texts.compare(String(a), String(b));
  const sign = order.isDescending ? -1 : 1;
  const sortValue = values[order.by];
  return { rows: rows.toSorted((a, b) => sign * compared(sortValue(a), sortValue(b))), links };
};

const pageSize = 50;

/** Those rows of a long list that `?page=` asks for, and the address of the rest; null: these are the last. */
export const paged = <Row>(url: string, rows: readonly Row[]) => {
  const asked = new URLSearchParams(url.split('?')[1]).get('page');
  const page = Math.max(1, Math.trunc(Number(asked ?? 1)) || 1);
  return {
    page,
    rows: rows.slice((page - 1) * pageSize, page * pageSize),
    next: rows.length > page * pageSize ? addressWith(url, { page: String(page + 1) }) : null,
  };
};
