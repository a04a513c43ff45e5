import { type Command, Option } from 'commander';
import type { LedgerEntry } from '../../queries.ts';
import { print, progress, type Terminal } from './terminal.ts';

type Options = { account: string; format: 'ndjson' | 'csv' };

/** `steno ledger export`: every entry of an account's books with its proof, oldest first, as a stream. */
export const addLedgerExport = (ledger: Command, terminal: Terminal): void => {
  ledger
    .command('export')
    .description('print every entry of the books of an account, with what proves it')
    .requiredOption('--account <id>', 'the account')
    .addOption(
      new Option('--format <format>', 'of the output').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .option('--json', 'the same as --format ndjson')
    .action(async ({ account, format }: Options) => {
      await using doors = await terminal.openDoors();
      const entries = doors.operations.exportLedger(
        { accountId: account },
        { signal: terminal.signal },
      );
      const shown = progress(terminal, 'entries');
      let count = 0;
      if (format === 'csv') await print(terminal, columns.join(','));
      for await (const entry of entries) {
        const row = rowOf(entry);
        await print(terminal, format === 'csv' ? toCsv(row) : JSON.stringify(row));
        count += 1;
        if (count % 1_000 === 0) shown.at(count);
      }
      shown.done();
    });
};

type Row = ReturnType<typeof rowOf>;

const rowOf = (entry: LedgerEntry) => ({
  event_id: entry.eventId,
  type: entry.type,
  stream: entry.stream,
  version: entry.version,
  position: entry.position,
  occurred_at: entry.occurredAt,
  request_id: entry.requestId,
  schema_version: entry.schemaVersion,
  data: entry.data,
  meta: entry.meta,
  prev_hash: entry.prevHash,
  hash: entry.hash,
});

const columns = [
  'event_id',
  'type',
  'stream',
  'version',
  'position',
  'occurred_at',
  'request_id',
  'schema_version',
  'data',
  'meta',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof Row)[];

/** RFC 4180; `data` and `meta` are JSON in one cell each. */
const toCsv = (row: Row): string =>
  columns
    .map((column) => {
      const value = row[column];
      const text =
        typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
