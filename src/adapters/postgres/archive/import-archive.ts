import { type Client, DatabaseError } from 'pg';
import { openClient } from '../../../eventlog/connection.ts';
import { countedEvents } from './export-archive.ts';
import {
  type ArchiveCounts,
  type ArchiveEnd,
  ArchiveError,
  type ArchiveLine,
  type Manifest,
  ofLog,
  ofQueue,
  readArchive,
} from './format.ts';
import { type ArchivedTable, archivedTables, beginArchive, insertRows } from './tables.ts';

const batchBytes = 1024 * 1024;
const mostRows = 1_000;

export type ArchiveImport = {
  readonly url: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Checks the manifest and applies its migrations; throws if the archive must not be imported. */
  readonly prepare: (manifest: Manifest) => Promise<void>;
  /** See `ArchiveExport`. After an import of `events` it starts behind the last one. */
  readonly subscription: string;
  /** Queues tasks in the transaction of this connection. */
  readonly addTasks: (client: Client, tasks: readonly string[]) => Promise<void>;
  readonly signal: AbortSignal;
};

/**
 * Puts an archive into a database without data, in one transaction: when it throws, nothing is left. Ids, positions, versions,
 * times and hashes are those of the archive. Read models stay empty; their checkpoints begin anew.
 */
export const importArchive = async (options: ArchiveImport): Promise<ArchiveEnd> => {
  const lines = readArchive(options.bytes);
  try {
    const first = await lines.next();
    if (first.done === true || first.value.kind !== 'manifest') {
      throw new ArchiveError('the archive is empty');
    }
    const { manifest } = first.value;
    await options.prepare(manifest);
    await using client = await openClient({ url: options.url, applicationName: 'steno archive' });
    // Closing the connection rolls back an uncommitted transaction.
    await beginArchive(client);
    const tables = await emptyTables(client, options.subscription);
    const end = await load(client, lines, tables, options);
    await continueIdentities(client, [...tables.keys()]);
    await completeLog(client, manifest, end, options.subscription);
    options.signal.throwIfAborted();
    await client.query('COMMIT');
    await client.query('ANALYZE es_event, es_stream');
    return end;
  } finally {
    await lines.return(undefined);
  }
};

/** What is written without a user: checkpoints, what processes record of themselves, and the result of `steno verify`. */
const ofEmptyService = [
  ...['es_subscription', 'response_minute', 'response_hour', 'extraction_report'],
  ...['status_day', 'status_incident', 'verification'],
];

/** The tables to fill. Refuses the import if one has rows: an archive replaces a whole service. */
const emptyTables = async (client: Client, subscription: string): Promise<ReadonlyMap<string, ArchivedTable>> => {
  await client.query('LOCK TABLE es_event IN SHARE ROW EXCLUSIVE MODE');
  const tables = await archivedTables(client, subscription);
  const names = tables.map(({ name }) => name).filter((name) => !ofEmptyService.includes(name));
  const { rows } = await client.query<{ name: string }>(
    ['es_event', ...names]
      .map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM "${name}")`)
      .join(' UNION ALL '),
  );
  if (rows.length > 0) {
    const found = rows.map(({ name }) => name).join(', ');
    throw new Error(`the database is not empty (${found}): import an archive into a new database`);
  }
  await client.query([...ofEmptyService, 'secret_fingerprint'].map((name) => `DELETE FROM ${name}`).join('; '));
  return new Map(tables.map((table) => [table.name, table]));
};

const identitiesSql = `
SELECT attrelid::regclass::text AS "table", attname AS name
FROM pg_attribute
WHERE attrelid = ANY ($1::text[]::regclass[]) AND attidentity <> ''`;

/** Identity columns go on behind the highest number that was restored. */
const continueIdentities = async (client: Client, names: readonly string[]): Promise<void> => {
  const { rows } = await client.query<{ table: string; name: string }>(identitiesSql, [names]);
  for (const { table, name } of rows) {
    const column = client.escapeIdentifier(name);
    await client.query(`SELECT setval(pg_get_serial_sequence($1, $2), max(${column})) FROM ${table}`, [table, name]);
  }
};

type Batch = { readonly of: string; readonly texts: string[]; bytes: number };

const load = async (
  client: Client,
  lines: AsyncIterable<ArchiveLine>,
  tables: ReadonlyMap<string, ArchivedTable>,
  { addTasks, signal }: ArchiveImport,
): Promise<ArchiveEnd> => {
  const counts: Record<string, number> = {};
  let batch: Batch = { of: '', texts: [], bytes: 0 };
  const flush = async (): Promise<void> => {
    const { of, texts } = batch;
    if (texts.length === 0) return;
    signal.throwIfAborted();
    if (of === ofQueue) await addTasks(client, texts);
    else await insert(client, of === ofLog ? insertEvents : insertInto(tables, of), texts);
    counts[of] = (counts[of] ?? 0) + texts.length;
  };
  let end: ArchiveEnd | null = null;
  for await (const line of lines) {
    if (line.kind === 'end') end = line.end;
    if (line.kind !== 'row') continue;
    const { of, text } = line;
    if (of !== batch.of || batch.texts.length >= mostRows || batch.bytes >= batchBytes) {
      await flush();
      batch = { of, texts: [], bytes: 0 };
    }
    batch.texts.push(text);
    batch.bytes += text.length;
  }
  await flush();
  if (end === null) throw new ArchiveError('the archive is truncated: its last line is missing');
  const { [ofLog]: _, [ofQueue]: tasks = 0, ...rows } = counts;
  requireCounts(end, { ...(await countedEvents(client)), tables: rows, tasks });
  return end;
};

const insertEvents = 'INSERT INTO es_event SELECT e.* FROM json_populate_recordset(NULL::es_event, $1::json) AS e';

const insertInto = (tables: ReadonlyMap<string, ArchivedTable>, name: string): string => {
  const table = tables.get(name);
  if (table !== undefined) return insertRows(table);
  throw new ArchiveError(`the archive has rows of a table ${name}, which this version of Steno does not have`);
};

/** SQLSTATE codes of values that a table rejects. */
const isOfData = /^2[23]/;

const insert = async (client: Client, sql: string, texts: readonly string[]): Promise<void> => {
  const { rowCount } = await client.query(sql, [`[${texts.join(',')}]`]).catch((cause: unknown) => {
    if (!(cause instanceof DatabaseError) || !isOfData.test(cause.code ?? '')) throw cause;
    throw new ArchiveError(`the archive was changed, or is damaged: ${cause.message}`, { cause });
  });
  if (rowCount !== texts.length) throw new ArchiveError('a line of the archive is not one row');
};

const requireCounts = (end: ArchiveEnd, found: ArchiveCounts): void => {
  for (const what of ['events', 'streams', 'last_position', 'tasks'] as const) {
    if (end[what] === found[what]) continue;
    throw new ArchiveError(`the archive says ${what} ${end[what]}, and holds ${found[what]}`);
  }
  for (const name of new Set([...Object.keys(end.tables), ...Object.keys(found.tables)])) {
    if (end.tables[name] === found.tables[name]) continue;
    throw new ArchiveError(
      `the archive says ${end.tables[name] ?? 0} rows of ${name}, and holds ${found.tables[name] ?? 0}`,
    );
  }
};

/** Derives from the events: stream versions, the next position, and the checkpoint of the subscription. */
const completeLog = async (
  client: Client,
  manifest: Manifest,
  end: ArchiveEnd,
  subscription: string,
): Promise<void> => {
  await client.query(
    'INSERT INTO es_stream (stream, version) SELECT stream, max(version) FROM es_event GROUP BY stream',
  );
  const { rows } = await client.query<{ is_whole: boolean }>(
    'SELECT coalesce(sum(version), 0) = $1 AS is_whole FROM es_stream',
    [end.events],
  );
  if (rows[0]?.is_whole !== true) {
    throw new ArchiveError('the archive lacks events: the versions of a stream have a gap');
  }
  const drawn = BigInt(manifest.drawn_position);
  const last = BigInt(end.last_position);
  const position = manifest.content === 'backup' && drawn > last ? drawn : last;
  if (position > 0n) await client.query(`SELECT setval('es_position', $1)`, [String(position)]);
  if (manifest.content === 'backup') return;
  await client.query('INSERT INTO es_subscription (name, position) VALUES ($1, $2)', [subscription, String(last)]);
};
