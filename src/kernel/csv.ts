type Cell = string | number | null;

/** A line of CSV (RFC 4180) with its end; null is an empty cell. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;

const cellOf = (value: Cell): string => {
  const text = String(value ?? '');
  // A spreadsheet takes a cell that begins so for a formula.
  const plain = typeof value === 'string' && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};
