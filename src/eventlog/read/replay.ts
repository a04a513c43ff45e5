import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { type FoldedEvent, type RawRow, rawQuery, text, toFolded } from '../event-rows.ts';
import { orUnavailable } from '../unavailable-error.ts';
import type { Upcasting } from '../upcasting.ts';

type NamesIn<E extends Event> = E extends Event ? keyof E['data'] & string : never;

/** Fields of the data of some events and their types; a field that an event does not have is null. */
export type Fields<E extends Event = Event> = Readonly<Partial<Record<NamesIn<E>, 'text' | 'integer'>>>;

export type ReplayOptions = {
  /** Exclusive. */
  readonly after: bigint;
  /** Inclusive; must be final: a checkpoint, or `safeUpTo` of `readAll`. */
  readonly upTo: bigint;
  readonly types: readonly string[];
  /** The fields that the events' data must contain; undefined: all. */
  readonly fields?: Fields | undefined;
  /** Positions in one page; 2,000. */
  readonly pageSize?: number;
};

export type LogReplay = {
  /**
   * A range of the log in total order, for rebuilds: pages of events in the current schema versions. Uses two connections
   * at a time.
   */
  readonly replayFolded: (options: ReplayOptions) => AsyncIterable<readonly FoldedEvent[]>;
};

/** Pages that are requested ahead: while one is transferred, the database works on the next. */
const pagesAhead = 2;

/** `shapes`: the upcasters by which events reach their current schema versions. */
export const replaying = (pool: Pool, shapes: Upcasting): LogReplay => ({
  replayFolded: (options) => replay(pool, shapes, options),
});

/**
 * The next pages are requested before the last one is parsed and used, so that the database and this process work in
 * parallel. A page is a range of positions: few enough events to be sorted in memory by a planner that has no statistics
 * yet, and the start of every page is known before the one before it has arrived.
 */
async function* replay(pool: Pool, shapes: Upcasting, options: ReplayOptions): AsyncIterable<readonly FoldedEvent[]> {
  const { after, upTo, types, pageSize = 2_000 } = options;
  const wanted = wantedOf(options, shapes);
  const marks = marksOf(randomBytes(6).toString('base64url'));
  const sql = pageSql(wanted.columns);
  const read = async (from: bigint, to: bigint): Promise<RawRow> => {
    const values = [String(from), String(to), types, marks.between, marks.absent, ...wanted.names];
    const { rows } = await orUnavailable(`replaying events after ${from}`, () =>
      pool.query<(string | null)[]>(rawQuery(sql, values)),
    );
    return rows[0] ?? [];
  };

  const coming: Promise<RawRow>[] = [];
  let requested = after;
  const requestAhead = (): void => {
    while (coming.length < pagesAhead && requested < upTo) {
      const from = requested;
      const end = from + BigInt(pageSize);
      requested = end < upTo ? end : upTo;
      const page = read(from, requested);
      // A consumer that stops early never awaits it: its failure must not be an unhandled rejection.
      page.catch(() => {});
      coming.push(page);
    }
  };

  for (requestAhead(); coming.length > 0; ) {
    const [count, ...written] = (await coming.shift()) ?? [];
    requestAhead();
    // The pool sends in a later turn of the event loop: until then the database would be idle.
    await nextTurn();
    const columns = written.map((one) => valuesIn(one ?? null, marks));
    const events = Array.from({ length: Number(count) }, (_, row) => wanted.toEvent(columns, row));
    if (events.length > 0) yield events;
  }
}

/** The separator between two texts, and the mark of a null. */
type Marks = { readonly between: string; readonly absent: string };

/** Random marks: no text that was written before contains them. */
const marksOf = (unforeseen: string): Marks => ({ between: `\u001f${unforeseen},`, absent: `\u001f${unforeseen}-` });

/**
 * A whole page in one row, with one text per column: separate values take this process three times as long to read, and
 * JSON takes the database a third longer. $4 and $5 are the marks.
 */
const pageSql = (columns: readonly string[]): string => {
  const names = columns.map((_, at) => `column_${at}`);
  return `
    SELECT count(*), ${names.map((name) => `string_agg(coalesce(${name}, $5), $4)`).join(', ')}
    FROM (
      SELECT ${columns.map((column, at) => `${column} AS column_${at}`).join(', ')}
      FROM es_event AS e
      WHERE e.position > $1 AND e.position <= $2 AND e.type = ANY ($3)
      ORDER BY e.position
    ) AS page`;
};

/** The values of one column, in the order of the log. */
const valuesIn = (written: string | null, { between, absent }: Marks): RawRow => {
  if (written === null) return [];
  const values = written.split(between);
  return written.includes(absent) ? values.map((one) => (one === absent ? null : one)) : values;
};

type ReplayColumns = {
  /** Texts of es_event AS e: position, type, schema version and others; names of fields are the parameters from $6 on. */
  readonly columns: readonly string[];
  readonly names: readonly string[];
  readonly toEvent: (columns: readonly RawRow[], row: number) => FoldedEvent;
};

const firstColumns = ['e.position::text', 'e.type', 'e.schema_version::text'];

/**
 * Single fields cost the database two thirds and this process half as much as the whole data. Upcasters need the whole
 * data: when a type has one, all types are read whole.
 */
const wantedOf = ({ fields, types }: ReplayOptions, shapes: Upcasting): ReplayColumns => {
  if (fields === undefined || types.some((type) => shapes.versionOf(type) > 1)) {
    return {
      columns: [...firstColumns, 'e.data::text'],
      names: [],
      toEvent: (columns, row) => {
        const values = columns.map((column) => column[row] ?? null);
        return toFolded(values, JSON.parse(text(values[3])), shapes);
      },
    };
  }
  const names = Object.keys(fields);
  const kinds = Object.values(fields);
  return {
    columns: [...firstColumns, ...names.map((_, at) => `e.data ->> $${at + 6}::text`)],
    names,
    toEvent: (columns, row) => {
      const values = columns.map((column) => column[row] ?? null);
      const data: Record<string, unknown> = {};
      for (const [at, name] of names.entries()) {
        const value = values[at + firstColumns.length] ?? null;
        data[name] = value === null || kinds[at] === 'text' ? value : Number(value);
      }
      return toFolded(values, data, shapes);
    },
  };
};
