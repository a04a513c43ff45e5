import type { ComponentChildren } from 'preact';
import { usePage } from '../layout.tsx';
import type { SortLink } from './sorting.ts';

type Column = {
  readonly name: string;
  readonly isNumber?: boolean;
  /** Its head sorts the table. */
  readonly sort?: SortLink | undefined;
};

/** A column whose numbers stand at its end, below one another. */
export const numeric = (name: string, sort?: SortLink): Column => ({ name, isNumber: true, sort });

type TableGroup = {
  /** Stands above its rows; null: nothing does. */
  readonly heading: ComponentChildren | null;
  /** Cells in the order of the columns; null: there is nothing to say. */
  readonly rows: readonly (readonly (ComponentChildren | null)[])[];
};

type Table = {
  readonly label: string;
  /** Columns of numbers are equally wide, as in the other tables of the page. */
  readonly isEven?: boolean;
  /** It needs the width of a desktop; else its rows are cards. */
  readonly isWide?: boolean;
  /** A text: the name of a column. */
  readonly columns: readonly (string | Column)[];
  readonly rows?: TableGroup['rows'];
  /** In place of `rows`. */
  readonly groups?: readonly TableGroup[];
};

/**
 * A table of what people compare. It scrolls by itself where it is wider than the page, by keyboard too. On a phone each row
 * is a card with its cells in the same order, each with the name of its column; a name with one or two numbers stays a row.
 */
export const DataTable = ({
  label,
  columns: named,
  rows = [],
  groups = [{ heading: null, rows }],
  isEven = false,
  isWide = named.length > 6,
}: Table) => {
  const columns = named.map((one) => (typeof one === 'string' ? { name: one } : one));
  const kind = `${isEven ? ' even' : ''}${isNarrow(columns) ? ' narrow' : ''}${isWide ? ' wide' : ''}`;
  return (
    <figure class={`table-wrap data${kind}`} tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, sort }) =>
              name === '' ? (
                <td />
              ) : (
                <th
                  scope="col"
                  class={numberClass(isNumber)}
                  aria-sort={sort === undefined || sort.direction === 'none' ? undefined : sort.direction}
                >
                  {sort === undefined ? name : <a href={sort.href}>{name}</a>}
                  {sort === undefined ? null : signs[sort.direction]}
                </th>
              ),
            )}
          </tr>
        </thead>
        {groups.map(({ heading, rows }) => (
          <tbody>
            {heading === null ? null : (
              <tr class="group">
                <th scope="rowgroup" colspan={columns.length}>
                  {heading}
                </th>
              </tr>
            )}
            {rows.map((cells) => (
              <tr>
                {columns.map(({ name, isNumber }, index) => (
                  <td data-label={name} class={numberClass(isNumber)}>
                    {cells[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </figure>
  );
};

/** The link to the rest of a list; null: there is none. */
export const Next = ({ href }: { readonly href: string | null }) =>
  href === null ? null : (
    <p>
      <a href={href}>{usePage().words.account.next}</a>
    </p>
  );

const isNarrow = (columns: readonly Column[]): boolean =>
  columns.length <= 3 && columns.slice(1).every(({ isNumber }) => isNumber);

const signs = { ascending: ' ↑', descending: ' ↓', none: null } as const;

const numberClass = (isNumber = false): string | undefined => (isNumber ? 'number end' : undefined);
