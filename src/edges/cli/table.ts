import { print, styled, type Terminal } from './terminal.ts';

type TableOutput = Pick<Terminal, 'stdout' | 'stderr' | 'signal' | 'hasColor'>;

type Cell = string | number | boolean | null | undefined;

type CellName<Row> = { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row];

/** Columns by their headers, each a member of the row or made from it; the widest comes last. */
export type Columns<Row> = Readonly<Record<string, CellName<Row> | ((row: Row) => Cell)>>;

/** Control characters and marks of direction: a title must not move the cursor or turn the line. */
const unsafe = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const shown = (cell: Cell): string => String(cell ?? '-').replace(unsafe, ' ');

/** A text of several lines, without what would move the cursor. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, ' ');

/** Rows: aligned under headers on a terminal, with tabs elsewhere; with `isJson` one JSON object a line. */
export const printRows = async <Row extends object>(
  terminal: TableOutput,
  rows: readonly Row[],
  columns: Columns<Row>,
  isJson: boolean,
): Promise<void> => {
  if (isJson) {
    for (const row of rows) await print(terminal, JSON.stringify(row));
    return;
  }
  const cells = rows.map((row) =>
    Object.values(columns).map((of) => shown(typeof of === 'function' ? of(row) : (row[of] as Cell))),
  );
  if (terminal.stdout.isTTY !== true) {
    for (const line of cells) await print(terminal, line.join('\t'));
    return;
  }
  const headers = Object.keys(columns).map((header) => header.toUpperCase());
  const widths = headers.map((header, at) => Math.max(header.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const aligned = (line: readonly string[]): string =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  await print(terminal, styled(terminal, terminal.stdout, 'bold', aligned(headers)));
  for (const line of cells) await print(terminal, aligned(line));
};

/** Names and values of one thing, a line each. */
export const printFields = async (terminal: TableOutput, fields: Readonly<Record<string, Cell>>): Promise<void> => {
  const names = Object.keys(fields);
  const width = Math.max(...names.map((name) => name.length));
  for (const name of names) {
    await print(terminal, `${name.padEnd(width)}  ${shown(fields[name])}`);
  }
};
