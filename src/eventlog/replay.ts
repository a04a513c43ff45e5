import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { type FoldedEvent, type RawRow, rawQuery, text, toFolded } from './rows.ts';
import { orUnavailable } from './unavailable.ts';
import type { Upcasting } from './upcasting.ts';

type NamesIn<E extends Event> = E extends Event ? keyof E['data'] & string : never;

/** Fields of the data of some events, and what they hold; one that an event has not counts as null. */
export type Fields<E extends Event = Event> = Readonly<
  Partial<Record<NamesIn<E>, 'text' | 'integer'>>
>;

export type ReplayOptions = {
  /** Exclusive. */
  readonly after: bigint;
  /** Inclusive; must be final: a checkpoint, or `safeUpTo` of `readAll`. */
  readonly upTo: bigint;
  readonly types: readonly string[];
  /** All that the events' data shall hold; undefined: everything. */
  readonly fields?: Fields | undefined;
  /** Events in one batch, and up to 2,000 more; 10,000. Two batches and a page of 2,000 are in memory at most. */
  readonly batchSize?: number;
};

export type Replaying = {
  /** A stretch of the log in total order, for rebuilds: batches of events in today's shapes. */
  readonly replayFolded: (options: ReplayOptions) => AsyncIterable<readonly FoldedEvent[]>;
};

/** Rows and positions of one query: few enough to be sorted in memory by a planner that has no statistics yet. */
const pageSize = 2_000;
/** Positions of one query at most, where events of the types wanted are rare. */
const widest = 200_000n;

export const replaying = (pool: Pool, shapes: Upcasting): Replaying => ({
  replayFolded: (options) => batches(pool, shapes, options),
});

/**
 * The next page is asked for before the one that came is made into events, and the next batch while one is used: the
 * database and this process work side by side. A row becomes its event as soon as it is there: texts that live as long
 * as a batch cost as much again to collect.
 */
async function* batches(
  pool: Pool,
  shapes: Upcasting,
  options: ReplayOptions,
): AsyncIterable<readonly FoldedEvent[]> {
  const { upTo, types, batchSize = 10_000 } = options;
  const { columns, names, toEvent } = wantedOf(options, shapes);
  const most = Math.min(batchSize, pageSize);
  let from = options.after;
  let span = BigInt(most);
  let coming: Promise<readonly RawRow[]> | null = null;

  const ask = async (): Promise<readonly RawRow[]> => {
    const end = upTo - from > span ? from + span : upTo;
    const { rows } = await orUnavailable(`replaying events after ${from}`, () =>
      pool.query<(string | null)[]>(
        rawQuery(
          `SELECT e.position, e.type, e.schema_version, ${columns} FROM es_event AS e
           WHERE e.position > $1 AND e.position <= $2 AND e.type = ANY ($3)
           ORDER BY e.position LIMIT ${most}`,
          [String(from), String(end), types, ...names],
        ),
      ),
    );
    from = rows.length < most ? end : BigInt(text(rows.at(-1)?.[0]));
    const wider = span * 2n > widest ? widest : span * 2n;
    span = rows.length < most / 2 ? wider : BigInt(most);
    return rows;
  };
  const page = async (): Promise<readonly FoldedEvent[]> => {
    const rows = await (coming ?? ask());
    coming = from < upTo ? ask() : null;
    // Whoever leaves early never asks for it: its failure is then nobody's.
    coming?.catch(() => {});
    return rows.map(toEvent);
  };
  const batch = async (): Promise<readonly FoldedEvent[]> => {
    const events: FoldedEvent[] = [];
    while (events.length < batchSize && (coming !== null || from < upTo)) {
      for (const event of await page()) events.push(event);
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

type Wanted = {
  /** Those after position, type and schema version; names of fields are the parameters from $4 on. */
  readonly columns: string;
  readonly names: readonly string[];
  readonly toEvent: (row: RawRow) => FoldedEvent;
};

/**
 * Single fields cost the database two thirds and this process half of what whole data cost. Upcasters want whole data: a type that
 * has some is read whole, with all that are read beside it.
 */
const wantedOf = ({ fields, types }: ReplayOptions, shapes: Upcasting): Wanted => {
  if (fields === undefined || types.some((type) => shapes.versionOf(type) > 1)) {
    const toEvent = (row: RawRow): FoldedEvent => toFolded(row, JSON.parse(text(row[3])), shapes);
    return { columns: 'e.data', names: [], toEvent };
  }
  const wanted = Object.entries(fields).map(([name, kind], at) => ({ name, kind, column: at + 3 }));
  const toEvent = (row: RawRow): FoldedEvent => {
    const data: Record<string, unknown> = {};
    for (const { name, kind, column } of wanted) {
      const value = row[column] ?? null;
      data[name] = value === null || kind === 'text' ? value : Number(value);
    }
    return toFolded(row, data, shapes);
  };
  return {
    columns: wanted.map((_, at) => `e.data ->> $${at + 4}::text`).join(', '),
    names: wanted.map(({ name }) => name),
    toEvent,
  };
};
