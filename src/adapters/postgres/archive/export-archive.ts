import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { openClient } from '../../../eventlog/connection.ts';
import { type ArchiveContent, type ArchiveCounts, archiveText, type Manifest, ofLog, ofQueue } from './format.ts';
import { archivedTables, beginArchive, selectRows } from './tables.ts';

/** Approximate size of a batch; single rows may be larger. */
const batchBytes = 1024 * 1024;
const mostRows = 1_000;

export type ArchiveExport = {
  /** A direct connection to a migrated database. */
  readonly url: string;
  readonly content: ArchiveContent;
  /** The last position of `events`, decimal; null: all. */
  readonly until: string | null;
  readonly program: string;
  readonly createdAt: string;
  /** The keys of the rows. */
  readonly secret: { readonly fingerprint: string; readonly previous: string | null };
  /** The subscription whose checkpoint is archived together with the tasks it has queued. */
  readonly subscription: string;
  /** The query for pending tasks, one JSON object per row in `line`; null: there is no queue. */
  readonly tasksSql: (client: Client) => Promise<string | null>;
  readonly signal: AbortSignal;
  /** Called with the number of lines so far, and that of all. */
  readonly onProgress: (lines: number, total: number) => void;
};

/**
 * The text of an archive of one moment, in pieces of whole lines; the last piece is the line `end`. Reads in one snapshot
 * through cursors, so that writers go on meanwhile and memory does not grow with the database.
 */
export async function* exportArchive(options: ArchiveExport): AsyncGenerator<string> {
  const { content, until, subscription } = options;
  await using client = await openClient({ url: options.url, applicationName: 'steno archive' });
  await beginArchive(client, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const text = archiveText();
  const counted = await countedEvents(client, until);
  const isWhole = content === 'backup';
  const archived = isWhole ? await archivedTables(client, subscription) : [];
  const tasksSql = isWhole ? await options.tasksSql(client) : null;
  const others = [
    ...archived.map((table) => ({ of: table.name, sql: selectRows(table) })),
    ...(tasksSql === null ? [] : [{ of: ofQueue, sql: tasksSql }]),
  ];
  const total = counted.events + (await countedRows(client, others));
  const log = `SELECT row_to_json(e)::text AS line FROM es_event AS e ${upTo(until)} ORDER BY e.position`;

  yield text.manifest(await manifestOf(client, options));
  let lines = 0;
  const counts: Record<string, number> = {};
  for (const { of, sql } of [{ of: ofLog, sql: log }, ...others]) {
    for await (const rows of batchesOf(client, sql)) {
      options.signal.throwIfAborted();
      lines += rows.length;
      options.onProgress(lines, total);
      counts[of] = (counts[of] ?? 0) + rows.length;
      yield text.rows(of, rows);
    }
  }
  const { [ofLog]: events = 0, [ofQueue]: tasks = 0, ...tables } = counts;
  assert.equal(events, counted.events, 'a snapshot does not change');
  yield text.end({ ...counted, tables, tasks });
}

/** The number of rows of all queries together. */
const countedRows = async (client: Client, queries: readonly { readonly sql: string }[]): Promise<number> => {
  const counts = queries.map(({ sql }) => `(SELECT count(*) FROM (${sql}) AS counted)`);
  const { rows } = await client.query<{ count: number }>(`SELECT (${['0', ...counts].join(' + ')})::float8 AS count`);
  return rows[0]?.count ?? 0;
};

const upTo = (until: string | null): string => {
  if (until === null) return '';
  assert.match(until, /^\d{1,18}$/);
  return `WHERE position <= ${until}`;
};

const manifestOf = async (
  client: Client,
  { content, program, createdAt, secret }: ArchiveExport,
): Promise<Omit<Manifest, 'format' | 'version'>> => {
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migrations ORDER BY name',
  );
  const drawn = await client.query<{ position: string }>(
    'SELECT (CASE WHEN is_called THEN last_value ELSE 0 END)::text AS position FROM es_position',
  );
  return {
    content,
    program,
    created_at: createdAt,
    drawn_position: drawn.rows[0]?.position ?? '0',
    migrations,
    secret_fingerprint: content === 'backup' ? secret.fingerprint : null,
    ...(content === 'backup' && secret.previous !== null ? { secret_previous_fingerprint: secret.previous } : {}),
  };
};

/** Counts the events of the log, or those up to a position. */
export const countedEvents = async (
  client: Client,
  until: string | null = null,
): Promise<Pick<ArchiveCounts, 'events' | 'streams' | 'last_position'>> => {
  const { rows } = await client.query<Pick<ArchiveCounts, 'events' | 'streams' | 'last_position'>>(
    `SELECT count(*)::float8 AS events, (count(*) FILTER (WHERE version = 1))::float8 AS streams,
       coalesce(max(position), 0)::text AS last_position
     FROM es_event ${upTo(until)}`,
  );
  const [row] = rows;
  assert(row !== undefined);
  return row;
};

/** The rows of a query, read through a cursor in batches of about a mebibyte. */
async function* batchesOf(client: Client, sql: string): AsyncGenerator<readonly string[]> {
  await client.query(`DECLARE archived NO SCROLL CURSOR FOR ${sql}`);
  let size = 16;
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`FETCH ${size} FROM archived`);
    if (rows.length === 0) break;
    const lines = rows.map(({ line }) => line);
    yield lines;
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    size = Math.max(1, Math.min(mostRows, bytes > batchBytes ? size >> 1 : size * 2));
  }
  await client.query('CLOSE archived');
}
