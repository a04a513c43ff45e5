import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, parquetWriteRows } from 'hyparquet-writer';
import { printBytes, type Terminal } from './terminal.ts';

/** Rows of a row group: all of them are in memory at once. */
const rowsPerGroup = 10_000;

/** A column, and whether it is nullable. */
export type ParquetColumn = Required<Pick<ColumnSource, 'name' | 'type' | 'nullable'>>;

/**
 * Writes rows as one Parquet file (zstd) to stdout, a row group at a time: memory is bounded by a group, however
 * long the ledger, and a reader that is slow is waited for. Without rows it is a whole file with its columns. The writer is pure JavaScript: a native library
 * (DuckDB's is 68 MB) would come with every installation for one command.
 */
export const printParquet = async (
  terminal: Pick<Terminal, 'stdout' | 'stderr' | 'signal'>,
  columns: readonly ParquetColumn[],
  rows: AsyncIterable<Record<string, unknown>>,
): Promise<void> => {
  const written = new ByteWriter();
  const flush = async (): Promise<void> => {
    // A copy, because the writer reuses the buffer while stdout may still send it.
    const bytes = Uint8Array.from(written.getBytes());
    written.index = 0;
    await printBytes(terminal, bytes);
  };
  await parquetWriteRows({
    writer: Object.assign(written, { flush, finish: flush }),
    rows,
    columns: [...columns],
    rowGroupSize: rowsPerGroup,
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input, zstdLevel) },
    createdBy: 'steno',
  });
};

const zstdLevel = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
