import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { type FoldedEvent, type RawRow, rawQuery, text, toFolded } from '../event-rows.ts';
import { orUnavailable } from '../unavailable-error.ts';
import type { Upcasting } from '../upcasting.ts';

type NamesIn<E extends Event> = E extends Event ? keyof E['data'] & string : never;

/** Fields of the data of some events and their types; a field that an event does not have is null. */
export type Fields<E extends Event = Event> = Readonly<
  Partial<Record<NamesIn<E>, 'text' | 'integer'>>
>;

export type ReplayOptions = {
  /** Exclusive. */
  readonly after: bigint;
  /** Inclusive; must be final: a checkpoint, or `safeUpTo` of `readAll`. */
  readonly upTo: bigint;
  readonly types: readonly string[];
  /** The fields that the events' data must contain; undefined: all. */
  readonly fields?: Fields | undefined;
  /** Events in one batch, and up to 2,000 more; 10,000. Two batches and two pages of 2,000 are in memory at most. */
  readonly batchSize?: number;
};

export type Replaying = {
  /**
   * A range of the log in total order, for rebuilds: batches of events in the current schema versions. Uses two
   * connections at a time.
   */
  readonly replayFolded: (options: ReplayOptions) => AsyncIterable<readonly FoldedEvent[]>;
};

/** Events and positions of one query: few enough to be sorted in memory by a planner that has no statistics yet. */
const pageSize = 2_000;
/** Positions of one query at most, where events of the types wanted are rare. */
const widest = 200_000n;
/** Pages that are requested ahead: while one is transferred, the database works on the next. */
const pagesAhead = 2;

export const replaying = (pool: Pool, shapes: Upcasting): Replaying => ({
  replayFolded: (options) => batches(pool, shapes, options),
});

/**
 * The next page is requested before the last one is parsed, and the next batch while one is used, so that the database
 * and this process work in parallel. A page is parsed as soon as it arrives: texts that live as long as a batch double
 * the cost of garbage collection.
 */
async function* batches(
  pool: Pool,
  shapes: Upcasting,
  options: ReplayOptions,
): AsyncIterable<readonly FoldedEvent[]> {
  const { after, upTo, types, batchSize = 10_000 } = options;
  const wanted = wantedOf(options, shapes);
  const most = Math.min(batchSize, pageSize);
  const marks = marksOf(randomBytes(6).toString('base64url'));
  const sql = pageSql(wanted.columns, most);
  const pages = paging({ after, upTo, most }, async (from, end) => {
    const values = [String(from), String(end), types, marks.between, marks.absent, ...wanted.names];
    const { rows } = await orUnavailable(`replaying events after ${from}`, () =>
      pool.query<(string | null)[]>(rawQuery(sql, values)),
    );
    const [count, last, ...written] = rows[0] ?? [];
    return { count: Number(count), last: last ?? null, written };
  });
  const batch = async (): Promise<readonly FoldedEvent[]> => {
    const events: FoldedEvent[] = [];
    while (events.length < batchSize) {
      const page = await pages.next();
      if (page === null) break;
      const columns = page.written.map((written) => valuesIn(written, marks));
      for (let row = 0; row < page.count; row += 1) events.push(wanted.toEvent(columns, row));
    }
    return events;
  };

  for (let events = await batch(); events.length > 0; ) {
    const next = batch();
    next.catch(() => {});
    yield events;
    events = await next;
  }
}

type Page = {
  readonly count: number;
  /** Position of its last event; null: it has none. */
  readonly last: string | null;
  /** One text for each column. */
  readonly written: readonly (string | null)[];
};

/** Requests one page after the other, one of them ahead; null at the end. */
const paging = (
  { after, upTo, most }: { readonly after: bigint; readonly upTo: bigint; readonly most: number },
  ask: (after: bigint, upTo: bigint) => Promise<Page>,
): { readonly next: () => Promise<Page | null> } => {
  let from = after;
  let span = BigInt(most);
  /** The start of the next page is only known once the last one has arrived. */
  let isUnsure = false;
  const coming: Promise<Page>[] = [];

  const one = async (): Promise<Page> => {
    const begin = from;
    const end = upTo - from > span ? from + span : upTo;
    // A range of at most this many positions holds no more than a page.
    isUnsure = end - begin > most;
    from = end;
    const canBeCut = isUnsure;
    const page = await ask(begin, end);
    if (canBeCut) {
      isUnsure = false;
      if (page.count === most) from = BigInt(text(page.last));
    }
    const wider = span * 2n > widest ? widest : span * 2n;
    span = page.count < most / 2 ? wider : BigInt(most);
    return page;
  };
  const askAhead = (): void => {
    while (coming.length < pagesAhead && !isUnsure && from < upTo) {
      const page = one();
      // A consumer that stops early never awaits it: its failure must not be an unhandled rejection.
      page.catch(() => {});
      coming.push(page);
    }
  };

  return {
    next: async () => {
      askAhead();
      const page = await coming.shift();
      askAhead();
      // The pool sends in a later turn of the event loop: until then the database would be idle.
      await nextTurn();
      return page ?? null;
    },
  };
};

/** The separator between two texts, and the mark of a null. */
type Marks = { readonly between: string; readonly absent: string };

/** Random marks: no text that was written before contains them. */
const marksOf = (unforeseen: string): Marks => ({
  between: `\u001f${unforeseen},`,
  absent: `\u001f${unforeseen}-`,
});

/**
 * A whole page in one row, with one text per column: separate values take this process three times as long to read, and
 * JSON takes the database a third longer. $4 and $5 are the marks.
 */
const pageSql = (columns: readonly string[], most: number): string => {
  const names = columns.map((_, at) => `column_${at}`);
  return `
    SELECT count(*), max(position), ${names.map((name) => `string_agg(coalesce(${name}, $5), $4)`).join(', ')}
    FROM (
      SELECT e.position, ${columns.map((column, at) => `${column} AS column_${at}`).join(', ')}
      FROM es_event AS e
      WHERE e.position > $1 AND e.position <= $2 AND e.type = ANY ($3)
      ORDER BY e.position LIMIT ${most}
    ) AS page`;
};

/** The values of one column, in the order of the log. */
type Values = RawRow;

const valuesIn = (written: string | null, { between, absent }: Marks): Values => {
  if (written === null) return [];
  const values = written.split(between);
  return written.includes(absent) ? values.map((one) => (one === absent ? null : one)) : values;
};

type Wanted = {
  /** Texts of es_event AS e: position, type, schema version and others; names of fields are the parameters from $6 on. */
  readonly columns: readonly string[];
  readonly names: readonly string[];
  readonly toEvent: (columns: readonly Values[], row: number) => FoldedEvent;
};

const firstColumns = ['e.position::text', 'e.type', 'e.schema_version::text'];
const firstOf = ([positions, types, versions]: readonly Values[], row: number): RawRow => [
  positions?.[row] ?? null,
  types?.[row] ?? null,
  versions?.[row] ?? null,
];

/**
 * Single fields cost the database two thirds and this process half as much as the whole data. Upcasters need the whole
 * data: when a type has one, all types are read whole.
 */
const wantedOf = ({ fields, types }: ReplayOptions, shapes: Upcasting): Wanted => {
  if (fields === undefined || types.some((type) => shapes.versionOf(type) > 1)) {
    const toEvent: Wanted['toEvent'] = (columns, row) =>
      toFolded(firstOf(columns, row), JSON.parse(text(columns[3]?.[row])), shapes);
    return { columns: [...firstColumns, 'e.data::text'], names: [], toEvent };
  }
  const wanted = Object.entries(fields).map(([name, kind], at) => ({ name, kind, column: at + 3 }));
  const toEvent: Wanted['toEvent'] = (columns, row) => {
    const data: Record<string, unknown> = {};
    for (const { name, kind, column } of wanted) {
      const value = columns[column]?.[row] ?? null;
      data[name] = value === null || kind === 'text' ? value : Number(value);
    }
    return toFolded(firstOf(columns, row), data, shapes);
  };
  return {
    columns: [...firstColumns, ...wanted.map((_, at) => `e.data ->> $${at + 6}::text`)],
    names: wanted.map(({ name }) => name),
    toEvent,
  };
};
