import type { Client } from 'pg';
import { ownValue } from '../../../kernel/own-value.ts';

/** A table whose rows are archived. */
export type ArchivedTable = {
  readonly name: string;
  /** Its columns that can be written, with their types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** SQL condition; null: all rows. */
  readonly where: string | null;
};

/**
 * Tables that are not archived because they are derived again: those of the log (events have their own lines), those a start
 * writes, and running processes. Read models are recognized by the view of each of their tables.
 */
const derived: readonly string[] = [
  'es_event',
  'es_stream',
  'es_snapshot',
  'es_projection',
  'schema_migrations',
  'secret_fingerprint',
  'processes',
  'worker_pools',
  'credential_version',
  'write_probe',
  'audit_state',
  'audit_mismatch',
];

const tablesSql = `
SELECT c.relname AS name
FROM pg_class AS c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
AND c.relname <> ALL ($1::text[])
AND NOT EXISTS (
  SELECT FROM pg_class AS v
  WHERE v.relnamespace = c.relnamespace AND v.relkind = 'v'
  AND c.relname ~ '_(v[0-9]+(_[0-9]+)?|proof_[0-9]+)$'
  AND v.relname = regexp_replace(c.relname, '_(v[0-9]+(_[0-9]+)?|proof_[0-9]+)$', ''))
ORDER BY c.relname`;

const columnsSql = `
SELECT attrelid::regclass::text AS "table", attname AS name, format_type(atttypid, atttypmod) AS type
FROM pg_attribute
WHERE attrelid = ANY ($1::text[]::regclass[]) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
ORDER BY attrelid, attnum`;

const referencesSql = `
SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to"
FROM pg_constraint
WHERE contype = 'f' AND conrelid = ANY ($1::text[]::regclass[])`;

type Reference = { readonly from: string; readonly to: string };

/**
 * Every table that cannot be derived, in the order of foreign keys. Of checkpoints, only that of `subscription`: its tasks
 * are archived, while read models are rebuilt.
 */
export const archivedTables = async (client: Client, subscription: string): Promise<readonly ArchivedTable[]> => {
  const tables = await client.query<{ name: string }>(tablesSql, [derived]);
  const names = tables.rows.map(({ name }) => name);
  const columns = await client.query<{ table: string; name: string; type: string }>(columnsSql, [names]);
  const references = await client.query<Reference>(referencesSql, [names]);
  const conditions: Readonly<Record<string, string>> = {
    es_subscription: `name = ${client.escapeLiteral(subscription)}`,
    es_parked_stream: `subscription = ${client.escapeLiteral(subscription)}`,
  };
  return referencedFirst(names, references.rows).map((name) => ({
    name,
    columns: columns.rows.filter(({ table }) => table === name),
    where: ownValue(conditions, name) ?? null,
  }));
};

const referencedFirst = (names: readonly string[], references: readonly Reference[]): readonly string[] => {
  const ordered = new Set<string>();
  const visit = (name: string, on: readonly string[]): void => {
    if (on.includes(name)) return;
    for (const { from, to } of references) if (from === name) visit(to, [...on, name]);
    ordered.add(name);
  };
  for (const name of names) visit(name, []);
  return [...ordered].filter((name) => names.includes(name));
};

/** Begins a transaction with fixed output settings, so that the text of values does not depend on the server or the role. */
export const beginArchive = async (client: Client, mode = ''): Promise<void> => {
  await client.query(`
    BEGIN ${mode};
    SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL lock_timeout = '10s';
    SET LOCAL TimeZone = 'UTC';
    SET LOCAL DateStyle = 'ISO';
    SET LOCAL IntervalStyle = 'iso_8601';
    SET LOCAL extra_float_digits = 1`);
};

/** Rows as JSON objects with the text representation of each value, which keeps every type exactly. */
export const selectRows = ({ name, columns, where }: ArchivedTable): string => {
  const values = columns.map((column) => `${quoted(column.name)}::text AS ${quoted(column.name)}`);
  const condition = where === null ? '' : ` WHERE ${where}`;
  return `SELECT row_to_json(r)::text AS line FROM (SELECT ${values.join(', ')} FROM ${quoted(name)}${condition}) AS r`;
};

/** Inserts such objects, given as one JSON array. */
export const insertRows = ({ name, columns }: ArchivedTable): string => {
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const values = columns.map((column) => `r.${quoted(column.name)}::${column.type}`).join(', ');
  const record = columns.map((column) => `${quoted(column.name)} text`).join(', ');
  return `INSERT INTO ${quoted(name)} (${list}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM json_to_recordset($1::json) AS r (${record})`;
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
