import { type Command, Option } from 'commander';
import {
  type ExportFormat,
  exportColumns,
  exportEntries,
  exportFormats,
  ledgerEntryAnswer,
} from '../../contract/ledger.ts';
import type { LedgerEntry } from '../../queries.ts';
import { requestTo } from './endpoint-request.ts';
import { exit } from './exit-codes.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { progressInParts, waiting } from './progress.ts';
import { serverClient } from './server-client.ts';
import { type ServerOptions, serverOf } from './server-login.ts';
import { withServer } from './server-verb.ts';
import { print, printBytes, printPieces, say, type Terminal } from './terminal.ts';

type Options = NamedAccount & ServerOptions & { format: ExportFormat };

/**
 * `steno ledger export`: every entry of an account's books with its proof, oldest first, as a stream. Without the name of an
 * account it is that of the key, from the server of the login.
 */
export const addLedgerExport = (ledger: Command, terminal: Terminal): void => {
  const exporting = ledger
    .command('export')
    .description("print every ledger entry of an account, with its proof (from a server: of the key's account)");
  withServer(withAccount(exporting))
    .addOption(new Option('--format <format>', 'of the output').choices(exportFormats).default('ndjson'))
    .addOption(new Option('--json', 'the same as --format ndjson').conflicts('format'))
    .action(async ({ format, ...named }: Options) => {
      if (format === 'parquet' && terminal.stdout.isTTY === true) {
        say(terminal, 'steno: Parquet cannot be shown on a terminal: add > ledger.parquet');
        return terminal.end(exit.usage);
      }
      const isNamed = named.account !== undefined || named.email !== undefined;
      const server = isNamed ? null : await serverOf(terminal, named);
      if (server !== null) {
        using _ = waiting(terminal);
        return await serverClient(server, terminal).download(requestTo(exportEntries, [], { format }), (pieces) =>
          printPieces(terminal, pieces),
        );
      }
      using shown = progressInParts(terminal);
      await onAccount(terminal, named, ({ actions }, call) =>
        writers[format](terminal, actions.exportLedger(call, shown)),
      );
    });
};

type Row = ReturnType<typeof rowOf>;

/** An entry as the API answers it; as a column, its id says of what. */
const rowOf = (entry: LedgerEntry) => {
  const { id, ...row } = ledgerEntryAnswer(entry);
  return { event_id: id, ...row };
};

const columns = Object.keys(exportColumns) as (keyof Row)[];

type Write = (terminal: Terminal, entries: AsyncIterable<LedgerEntry>) => Promise<void>;

const writers: Readonly<Record<Options['format'], Write>> = {
  ndjson: async (terminal, entries) => {
    for await (const entry of entries) await print(terminal, JSON.stringify(rowOf(entry)));
  },
  csv: async (terminal, entries) => {
    await print(terminal, columns.join(','));
    for await (const entry of entries) await print(terminal, toCsv(rowOf(entry)));
  },
  parquet: async (terminal, entries) => {
    // Loaded only for this format, so that other verbs start faster.
    const { parquetOf } = await import('../../queries/ledger-parquet.ts');
    for await (const piece of parquetOf(typedRows(entries))) await printBytes(terminal, piece);
  },
};

async function* typedRows(entries: AsyncIterable<LedgerEntry>): AsyncGenerator<Record<keyof Row, unknown>> {
  for await (const entry of entries) {
    const row = rowOf(entry);
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
