/** A part of a book: its entries from one version to another, both included. */
export type BookPart = { readonly stream: string; readonly from: number; readonly to: number };

/** A row of an export in the text format of the database, in the order of the columns. */
export type ExportRow = readonly (string | null)[];

/** Where the entries of ledgers are exported from, a part at a time. */
export type ExportSource = {
  /** The books of an account in their order, each with the number of its entries. */
  readonly books: (accountId: string) => Promise<readonly { readonly stream: string; readonly entries: number }[]>;
  /** Whole lines, one entry each, written by the database itself. */
  readonly lines: (part: BookPart, format: 'ndjson' | 'csv') => Promise<Buffer>;
  /** The same as rows. */
  readonly rows: (part: BookPart) => Promise<readonly ExportRow[]>;
};
