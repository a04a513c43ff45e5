import type { ComponentChildren } from 'preact';

export type Column = {
  readonly name: string;
  /** Numbers stand at the end of their column, below one another. */
  readonly isNumber?: boolean;
};

export type TableGroup = {
  /** Stands above its rows; null: nothing does. */
  readonly heading: ComponentChildren | null;
  /** Cells in the order of the columns; null: there is nothing to say. */
  readonly rows: readonly (readonly (ComponentChildren | null)[])[];
};

/**
 * A table of what people compare. It scrolls by itself where it is wider than the page, by keyboard too; on a phone each row
 * is a card with its cells in the same order, each with the name of its column.
 */
export const DataTable = ({
  label,
  columns,
  groups,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly groups: readonly TableGroup[];
}) => (
  <figure class="table-wrap data" tabindex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) =>
            name === '' ? (
              <td />
            ) : (
              <th scope="col" {...numberClass(isNumber)}>
                {name}
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
                <td data-label={name} {...numberClass(isNumber)}>
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

const numberClass = (isNumber = false): { readonly class?: string } => (isNumber ? { class: 'number end' } : {});
