import { type ExportFormat, exportColumns } from '../contract/ledger.ts';
import type { BookPart, ExportRow, ExportSource } from '../credits/ledger/export-source.ts';
import { exportPlaces, whileRead } from '../kernel/stream-places.ts';

/** Entries that are in memory at once, some 2 MB. */
const entriesPerPart = 2_000;

/** An export of a ledger; the pieces end early by an error alone. */
export type LedgerExport = {
  readonly entries: number;
  readonly pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
};

/** All entries of an account, oldest first, as they are at this moment. */
export const exportLedger = (source: ExportSource) => {
  const placeFor = exportPlaces('ledgers');
  return async (accountId: string, format: ExportFormat): Promise<LedgerExport> => {
    using place = new DisposableStack();
    place.use(placeFor(accountId));
    const books = await source.books(accountId);
    const parts = books.flatMap(({ stream, entries }) => partsOf(stream, entries));
    return {
      entries: books.reduce((sum, { entries }) => sum + entries, 0),
      pieces: whileRead(place.move(), (signal) =>
        format === 'parquet' ? parquetPieces(source, parts, signal) : linePieces(source, parts, format, signal),
      ),
    };
  };
};

const partsOf = (stream: string, entries: number): readonly BookPart[] =>
  Array.from({ length: Math.ceil(entries / entriesPerPart) }, (_, index) => ({
    stream,
    from: index * entriesPerPart + 1,
    to: Math.min(entries, (index + 1) * entriesPerPart),
  }));

/**
 * What `read` makes of each part. The next one is read at the same time, so that the database never waits between them.
 * Throws once the signal aborts.
 */
async function* ahead<Read>(
  parts: readonly BookPart[],
  signal: AbortSignal,
  read: (part: BookPart) => Promise<Read>,
): AsyncGenerator<Read> {
  let next: Promise<Read> | null = null;
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted();
    const here: Promise<Read> = next ?? read(part);
    const following = parts[index + 1];
    next = following === undefined ? null : read(following);
    // Its failure is thrown where it is awaited; whoever stops here does not await it.
    next?.catch(() => {});
    yield await here;
  }
}

async function* linePieces(
  source: ExportSource,
  parts: readonly BookPart[],
  format: 'ndjson' | 'csv',
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield Buffer.from(`${Object.keys(exportColumns).join(',')}\n`);
  yield* ahead(parts, signal, (part) => source.lines(part, format));
}

async function* parquetPieces(
  source: ExportSource,
  parts: readonly BookPart[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // Loaded only for this format.
  const { parquetOf } = await import('./ledger-parquet.ts');
  const rows = async function* () {
    for await (const part of ahead(parts, signal, source.rows)) for (const row of part) yield rowOf(row);
  };
  yield* parquetOf(rows());
}

/** A row of the database in the types of the columns. */
const rowOf = (row: ExportRow): Record<string, unknown> => {
  const [event_id, type, stream, version, position, occurredAt, request_id, schemaVersion, data, meta, prev, hash] =
    row;
  return {
    ...{ event_id, type, stream, version: BigInt(version ?? 0), position: BigInt(position ?? 0) },
    ...{ occurred_at: new Date(occurredAt ?? 0), request_id, schema_version: Number(schemaVersion) },
    ...{ data: JSON.parse(data ?? 'null'), meta: JSON.parse(meta ?? 'null'), prev_hash: prev, hash },
  };
};
