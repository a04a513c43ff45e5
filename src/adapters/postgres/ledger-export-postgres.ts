import { buffer } from 'node:stream/consumers';
import { escapeLiteral, type Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BookPart, ExportSource } from '../../credits/ledger/export-source.ts';
import { rawQuery } from '../../eventlog/event-rows.ts';

/** The columns of an export in their order; an entry as it is stored and hashed. */
const columns = `
  event_id, type, stream, version, position,
  meta ->> 'occurred_at' AS occurred_at, meta ->> 'request_id' AS request_id, schema_version, data,
  meta - 'chain' AS meta, meta -> 'chain' ->> 'prev_hash' AS prev_hash, meta -> 'chain' ->> 'hash' AS hash`;

/** COPY takes no parameters. */
const partOf = ({ stream, from, to }: BookPart, selected = columns): string =>
  `SELECT ${selected} FROM es_event
   WHERE stream = ${escapeLiteral(stream)} AND version BETWEEN ${BigInt(from)} AND ${BigInt(to)}
   ORDER BY es_event.version`;

const withTexts = columns.replace('version, position', 'version::text, position::text');

/** Quote and delimiter are characters that JSON never holds as they are: so the lines come without any escape. */
const asItIs = String.raw`FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02'`;

const copies: Readonly<Record<'ndjson' | 'csv', (part: BookPart) => string>> = {
  ndjson: (part) => `COPY (SELECT row_to_json(r) FROM (${partOf(part, withTexts)}) AS r) TO STDOUT WITH (${asItIs})`,
  csv: (part) => `COPY (${partOf(part)}) TO STDOUT WITH (FORMAT csv)`,
};

/**
 * Entries of ledgers from Postgres: the database writes the lines itself. A part is read whole before a byte of it is sent,
 * so that a slow reader holds no connection and no snapshot.
 */
export const postgresExportSource = ({ pool }: { readonly pool: Pool }): ExportSource => ({
  books: async (accountId) => {
    const { rows } = await pool.query<{ stream: string; entries: number }>(
      'SELECT stream, version::float8 AS entries FROM es_stream WHERE stream >= $1 AND stream < $2 ORDER BY stream',
      [`ledger-${accountId}-`, `ledger-${accountId}.`],
    );
    return rows;
  },
  lines: async (part, format) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await buffer(client.query(copyTo(copies[format](part))));
    } catch (error) {
      broken = new Error('a part of an export was not read to its end', { cause: error });
      throw error;
    } finally {
      client.release(broken);
    }
  },
  rows: async (part) => (await pool.query<(string | null)[]>(rawQuery(partOf(part), []))).rows,
});
