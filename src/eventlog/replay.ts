import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import type { RecordedEvent } from './log.ts';
import { eventColumns, type RawRow, rawQuery, text, toRecorded } from './rows.ts';
import { orUnavailable } from './unavailable.ts';
import type { EventData, Upcasting } from './upcasting.ts';

export type ReplayOptions = {
  /** Exclusive. */
  readonly after: bigint;
  /** Inclusive; must be final: a checkpoint, or `safeUpTo` of `readAll`. */
  readonly upTo: bigint;
  readonly types?: readonly string[];
  /** Events in one batch, and up to 2,000 more; 10,000. Two batches are in memory at most. */
  readonly batchSize?: number;
};

/** An event without what surrounds it: what a fold needs. Half as dear to read as the whole. */
export type FoldedEvent<E extends Event = Event> = Omit<
  RecordedEvent<E>,
  'meta' | 'schemaVersion' | 'recordedAt'
>;

/** Rows and positions of one query: few enough to be sorted in memory by a planner that has no statistics yet. */
const pageSize = 2_000;
/** Positions of one query at most, where events of the types wanted are rare. */
const widest = 200_000n;

/**
 * Batches of events from rows of these columns, the first of them the position; the next is on its way while one is
 * used. A row becomes its event as soon as it is there: texts that live as long as a batch cost as much again to collect.
 */
async function* batches<Read>(
  pool: Pool,
  columns: string,
  options: ReplayOptions,
  toEvent: (row: RawRow) => Read,
): AsyncIterable<readonly Read[]> {
  const { upTo, types, batchSize = 10_000 } = options;
  let from = options.after;
  const most = Math.min(batchSize, pageSize);
  let span = BigInt(most);

  const page = async (): Promise<readonly Read[]> => {
    const end = upTo - from > span ? from + span : upTo;
    const { rows } = await orUnavailable(`replaying events after ${from}`, () =>
      pool.query<(string | null)[]>(
        rawQuery(
          `SELECT ${columns} FROM es_event AS e
           WHERE e.position > $1 AND e.position <= $2 AND ($3::text[] IS NULL OR e.type = ANY ($3))
           ORDER BY e.position LIMIT ${most}`,
          [String(from), String(end), types ?? null],
        ),
      ),
    );
    from = rows.length < most ? end : BigInt(rows.at(-1)?.[0] ?? end);
    const wider = span * 2n > widest ? widest : span * 2n;
    span = rows.length < most / 2 ? wider : BigInt(most);
    return rows.map(toEvent);
  };
  const batch = async (): Promise<readonly Read[]> => {
    const events: Read[] = [];
    while (events.length < batchSize && from < upTo) events.push(...(await page()));
    return events;
  };

  for (let events = await batch(); events.length > 0; ) {
    const next = batch();
    // Whoever leaves early never asks for it: its failure is then nobody's.
    next.catch(() => {});
    yield events;
    events = await next;
  }
}

export type Replaying = {
  /** A stretch of the log in total order, for audits and exports. */
  readonly replay: (options: ReplayOptions) => AsyncIterable<readonly RecordedEvent[]>;
  /** The same without what surrounds the events, for rebuilds. */
  readonly replayFolded: (options: ReplayOptions) => AsyncIterable<readonly FoldedEvent[]>;
};

export const replaying = (pool: Pool, shapes: Upcasting): Replaying => ({
  replay: (options) => batches(pool, eventColumns, options, (row) => toRecorded(row, shapes)),
  replayFolded: (options) => batches(pool, foldedColumns, options, (row) => toFolded(row, shapes)),
});

const foldedColumns =
  'e.position, e.stream, e.version, e.event_id, e.type, e.schema_version, e.data';

const toFolded = (row: RawRow, shapes: Upcasting): FoldedEvent => {
  const [position, stream, version, id, type, schemaVersion, data] = row;
  const name = text(type);
  const shape: EventData = JSON.parse(text(data));
  return {
    id: text(id),
    type: name,
    data: shapes.upcast(name, Number(schemaVersion), shape),
    stream: text(stream),
    version: BigInt(text(version)),
    position: BigInt(text(position)),
  };
};
