import type { Event } from '@event-driven-io/emmett';
import type { CustomTypesConfig, QueryArrayConfig } from 'pg';
import type { AppendOutcome, RecordedEvent } from './event-log.ts';
import type { EventData, Upcasting } from './upcasting.ts';

/** A row in the text format of the server. */
export type RawRow = readonly (string | null)[];

/**
 * Every value as the server's text: the process may have changed the type parsers of `pg`, which are global
 * to it (positions as numbers, JSON with BigInt), and the log must not care.
 */
const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/** A query whose rows are `RawRow`s. Values are strings, arrays of strings and nulls. */
export const rawQuery = (text: string, values: unknown[]): QueryArrayConfig<unknown[]> => ({
  text,
  values,
  rowMode: 'array',
  types: asText,
});

/** The columns that `toRecorded` reads, in its order. `recorded_at` in UTC, whatever the session's time zone. */
export const eventColumns =
  "e.position, e.stream, e.version, e.event_id, e.type, e.schema_version, e.data, e.meta, e.recorded_at AT TIME ZONE 'UTC'";

/** An event in the form in which it was written, whatever the present version of its type. */
export type StoredEvent = Omit<RecordedEvent, 'recordedAt'>;

/** One row of `eventColumns` as it was written. */
export const toStored = ([position, stream, version, id, type, schemaVersion, data, meta]: RawRow): StoredEvent => ({
  id: text(id),
  type: text(type),
  schemaVersion: Number(schemaVersion),
  data: JSON.parse(text(data)),
  meta: JSON.parse(text(meta)),
  stream: text(stream),
  version: BigInt(text(version)),
  position: BigInt(text(position)),
});

/** One row of `eventColumns` as an event in its current schema version. */
export const toRecorded = <E extends Event = Event>(row: RawRow, upcasting: Upcasting): RecordedEvent<E> => {
  const stored = toStored(row);
  const { type, schemaVersion, data } = stored;
  const current: E['data'] = upcasting.upcast(type, schemaVersion, data);
  return { ...stored, schemaVersion: upcasting.versionOf(type), data: current, recordedAt: isoOf(text(row[8])) };
};

/** An event as a projection folds it, without `meta`, which would double the cost of reading it. */
export type FoldedEvent<E extends Event = Event> = Pick<RecordedEvent<E>, 'type' | 'data' | 'position'>;

/** One row that begins with position, type and schema version as an event in its current schema version. */
export const toFolded = ([position, type, schemaVersion]: RawRow, data: EventData, shapes: Upcasting): FoldedEvent => {
  const name = text(type);
  return { type: name, data: shapes.upcast(name, Number(schemaVersion), data), position: BigInt(text(position)) };
};

/** `2026-11-21 10:00:00.12` of the server as `2026-11-21T10:00:00.120Z`. */
const isoOf = (timestamp: string): string =>
  `${timestamp.slice(0, 10)}T${timestamp.slice(11, 19)}.${timestamp.slice(20).padEnd(3, '0')}Z`;

/** A row of es_append or es_outcomes. */
export const toOutcome = ([outcome, version, first, last, existing]: RawRow): AppendOutcome => {
  switch (outcome) {
    case 'appended':
    case 'duplicate':
      return {
        outcome,
        version: BigInt(text(version)),
        firstPosition: BigInt(text(first)),
        lastPosition: BigInt(text(last)),
      };
    case 'conflict': {
      const ids = text(existing).slice(1, -1);
      return { outcome, version: BigInt(text(version)), existingIds: ids === '' ? [] : ids.split(',') };
    }
    default:
      throw new Error(`the database answered an append with ${String(outcome)}`);
  }
};

/** A column that is never null. */
export const text = (value: string | null | undefined): string => {
  if (value === null || value === undefined) throw new Error('a column of the log is missing');
  return value;
};
