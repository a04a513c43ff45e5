import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, parquetWriteRows } from 'hyparquet-writer';
import { exportColumns } from '../contract/ledger.ts';

/** Rows of a row group: all of them are in memory at once. */
const rowsPerGroup = 10_000;

const columns = Object.entries(exportColumns).map(([name, type]) => ({ name, type, nullable: name === 'request_id' }));

/**
 * Rows as one Parquet file (zstd), a row group at a time: memory is bounded by a group, however long the ledger, and a
 * reader that is slow is waited for. Without rows it is a whole file with its columns. The writer is pure JavaScript: a
 * native library (DuckDB's is 68 MB) would come with every installation for one format.
 */
export async function* parquetOf(rows: AsyncIterable<Record<string, unknown>>): AsyncGenerator<Uint8Array> {
  const pieces = new TransformStream<Uint8Array, Uint8Array>();
  const sink = pieces.writable.getWriter();
  const written = new ByteWriter();
  const flush = async (): Promise<void> => {
    // A copy, because the writer reuses the buffer while the piece may still be sent.
    const bytes = Uint8Array.from(written.getBytes());
    written.index = 0;
    await sink.write(bytes);
  };
  const done = Promise.resolve(
    parquetWriteRows({
      writer: Object.assign(written, { flush, finish: flush }),
      rows,
      columns,
      rowGroupSize: rowsPerGroup,
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input, zstdLevel) },
      createdBy: 'steno',
    }),
  ).then(
    () => sink.close(),
    (error: unknown) => sink.abort(error),
  );
  yield* pieces.readable;
  await done;
}

const zstdLevel = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
