import { type Command, Option } from 'commander';
import { ledgerEntryAnswer } from '../../contract/ledger.ts';
import type { LedgerEntry } from '../../queries.ts';
import { exit } from './exit-codes.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { progressInParts } from './progress.ts';
import { print, say, type Terminal } from './terminal.ts';

const formats = ['ndjson', 'csv', 'parquet'] as const;
type Options = NamedAccount & { format: (typeof formats)[number] };

/** `steno ledger export`: every entry of an account's books with its proof, oldest first, as a stream. */
export const addLedgerExport = (ledger: Command, terminal: Terminal): void => {
  const exporting = ledger
    .command('export')
    .description('print every entry of the books of an account, with what proves it');
  withAccount(exporting)
    .addOption(new Option('--format <format>', 'of the output').choices(formats).default('ndjson'))
    .addOption(new Option('--json', 'the same as --format ndjson').conflicts('format'))
    .action(async ({ format, ...named }: Options) => {
      if (format === 'parquet' && terminal.stdout.isTTY === true) {
        say(terminal, 'steno: Parquet is not for a terminal: add > ledger.parquet');
        return terminal.end(exit.usage);
      }
      using shown = progressInParts(terminal);
      await onAccount(terminal, named, ({ actions }, call) =>
        writers[format](terminal, rowsOf(actions.exportLedger(call, shown))),
      );
    });
};

async function* rowsOf(entries: AsyncIterable<LedgerEntry>): AsyncGenerator<Row> {
  for await (const entry of entries) yield rowOf(entry);
}

type Row = ReturnType<typeof rowOf>;

/** An entry as the API answers it; as a column, its id says of what. */
const rowOf = (entry: LedgerEntry) => {
  const { id, ...row } = ledgerEntryAnswer(entry);
  return { event_id: id, ...row };
};

/** The type of each column where a format has types, in the order of the columns. */
const types = {
  event_id: 'STRING',
  type: 'STRING',
  stream: 'STRING',
  version: 'INT64',
  position: 'INT64',
  occurred_at: 'TIMESTAMP',
  request_id: 'STRING',
  schema_version: 'INT32',
  data: 'JSON',
  meta: 'JSON',
  prev_hash: 'STRING',
  hash: 'STRING',
} as const satisfies Record<keyof Row, string>;

const columns = Object.keys(types) as (keyof Row)[];

type Write = (terminal: Terminal, rows: AsyncIterable<Row>) => Promise<void>;

const writers: Readonly<Record<Options['format'], Write>> = {
  ndjson: async (terminal, rows) => {
    for await (const row of rows) await print(terminal, JSON.stringify(row));
  },
  csv: async (terminal, rows) => {
    await print(terminal, columns.join(','));
    for await (const row of rows) await print(terminal, toCsv(row));
  },
  parquet: async (terminal, rows) => {
    // Loaded only for this format, so that other verbs start faster.
    const { printParquet } = await import('./ledger-parquet.ts');
    const typed = columns.map((name) => ({
      name,
      type: types[name],
      nullable: name === 'request_id',
    }));
    await printParquet(terminal, typed, typedRows(rows));
  },
};

async function* typedRows(rows: AsyncIterable<Row>): AsyncGenerator<Record<keyof Row, unknown>> {
  for await (const row of rows) {
    yield {
      ...row,
      version: BigInt(row.version),
      position: BigInt(row.position),
      occurred_at: new Date(row.occurred_at),
    };
  }
}

/** RFC 4180; `data` and `meta` are JSON in one cell each. */
const toCsv = (row: Row): string =>
  columns
    .map((column) => {
      const value = row[column];
      const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
