import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { sharedLookUps } from '../../kernel/shared-look-ups.ts';
import { isUuid } from '../append/serialize-appends.ts';
import type { EventLog, LogPart, LogRange, ReadOptions, RecordedEvent } from '../event-log.ts';
import {
  eventColumns,
  type FoldedEvent,
  type RawRow,
  rawQuery,
  type StoredEvent,
  text,
  toFolded,
  toRecorded,
  toStored,
} from '../event-rows.ts';
import type { RollbackGuard } from '../rollback-guard.ts';
import { orUnavailable } from '../unavailable-error.ts';
import type { EventData, Upcasting } from '../upcasting.ts';

const maxLimit = 100_000;
const columnsWithoutMeta = 'e.position, e.type, e.schema_version, e.data, e.stream, e.version, e.event_id';

/** An event as projections handle it: reading its `meta` as well would cost twice as much. */
export type EventWithoutMeta = FoldedEvent & Pick<RecordedEvent, 'stream' | 'version' | 'id'>;

/** The place of an event, its link in the hash chain of its stream, and one member of its data as it was written; null: it has none. */
export type EventLink = Pick<RecordedEvent, 'position' | 'id' | 'type'> & {
  readonly hash: string | null;
  readonly member: string | null;
};

export type LogReader = Pick<EventLog, 'read' | 'versionOf' | 'readById' | 'streamsWithPrefix' | 'readAll'> & {
  /** As `readAll`, without the `meta` of the events. */
  readonly readBatch: (range: LogRange) => Promise<LogPart<EventWithoutMeta>>;
  /** As `readAll`, for whoever needs no more: it takes a third of the processor time. */
  readonly readLinks: (range: LogRange & { readonly member: string }) => Promise<LogPart<EventLink>>;
  /** As `readAll`, of all types, without upcasting: events of types that this program does not know too. */
  readonly readStored: (range: Omit<LogRange, 'types'>) => Promise<LogPart<StoredEvent>>;
};

/** The read operations of the log on Postgres. */
export const reading = (deps: {
  readonly pool: Pool;
  readonly shapes: Upcasting;
  readonly water: HighWaterMark;
  readonly guard: RollbackGuard;
  readonly isPrepared: boolean;
}): LogReader => {
  const { pool, shapes, isPrepared } = deps;
  const rows: Rows = (doing, sql, values, name) =>
    orUnavailable(doing, async () => {
      const query = rawQuery(sql, values);
      // With a name each connection parses and plans it once.
      const named = isPrepared && name !== undefined ? { ...query, name } : query;
      return (await pool.query<(string | null)[]>(named)).rows;
    });
  const toEvents = <E extends Event = Event>(raw: readonly RawRow[]): RecordedEvent<E>[] =>
    raw.map((row) => toRecorded<E>(row, shapes));

  const lookUpVersion = sharedLookUps(async (streams) => {
    const sql = 'SELECT stream, version FROM es_stream WHERE stream = ANY ($1)';
    const found = await rows('reading versions of streams', sql, [streams], 'es_versions');
    return new Map(found.map(([stream, version]) => [text(stream), BigInt(text(version))]));
  });

  return {
    read: async <E extends Event = Event>(stream: string, options?: ReadOptions) =>
      toEvents<E>(
        await rows(
          `reading ${stream}`,
          `SELECT ${eventColumns} FROM es_event AS e
           WHERE e.stream = $1 AND e.version >= $2
             AND ($4::text[] IS NULL OR e.type = ANY ($4) OR e.type <> ALL ($5::text[]))
           ORDER BY e.version LIMIT $3`,
          [
            stream,
            String(options?.from ?? 1n),
            options?.limit ?? null,
            options?.types ?? null,
            options?.types === undefined ? null : shapes.types,
          ],
        ),
      ),

    versionOf: async (stream) => (await lookUpVersion(stream)) ?? 0n,

    readById: async <E extends Event = Event>(id: string) => {
      if (!isUuid(id)) return null;
      const [row] = await rows(
        `reading event ${id}`,
        `SELECT ${eventColumns} FROM es_event AS e WHERE e.event_id = $1`,
        [id],
      );
      return row === undefined ? null : toRecorded<E>(row, shapes);
    },

    streamsWithPrefix: async (prefix, options) => {
      const found = await rows(
        `listing streams ${prefix}`,
        `SELECT stream FROM es_stream WHERE stream ^@ $1 ORDER BY stream ${options?.descending ? 'DESC' : 'ASC'} LIMIT $2`,
        [prefix, Math.min(options?.limit ?? 1_000, maxLimit)],
      );
      return found.map(([stream]) => text(stream));
    },

    ...readingAll(rows, deps),
  };
};

/** The reads of the whole log. */
const readingAll = (
  rows: Rows,
  deps: Parameters<typeof reading>[0],
): Pick<LogReader, 'readAll' | 'readBatch' | 'readLinks' | 'readStored'> => {
  const { shapes } = deps;
  const readFinal = finalPart(rows, deps);
  return {
    readAll: (options) => readFinal(options, eventColumns, (row) => toRecorded(row, shapes)),
    readBatch: (options) =>
      readFinal(options, columnsWithoutMeta, (row) => {
        const data: EventData = JSON.parse(text(row[3]));
        return {
          ...toFolded(row, data, shapes),
          stream: text(row[4]),
          version: BigInt(text(row[5])),
          id: text(row[6]),
        };
      }),
    readLinks: ({ member, ...options }) =>
      readFinal(
        options,
        `e.position, e.event_id, e.type, e.meta -> 'chain' ->> 'hash', e.data ->> $5`,
        ([position, id, type, hash = null, value = null]) => ({
          ...{ position: BigInt(text(position)), id: text(id), type: text(type) },
          ...{ hash, member: value },
        }),
        [member],
      ),
    readStored: (options) => readFinal(options, eventColumns, toStored),
  };
};

/** `name`: for what many requests run. */
type Rows = (doing: string, sql: string, values: unknown[], name?: string) => Promise<readonly RawRow[]>;

/** Reads the next part of the log that is final; the first of the columns is the position, their parameters begin with $5. */
const finalPart =
  (rows: Rows, { water, guard }: { readonly water: HighWaterMark; readonly guard: RollbackGuard }) =>
  async <E extends Pick<RecordedEvent, 'position' | 'id'>>(
    { after, limit, types }: LogRange,
    columns: string,
    toEvent: (row: RawRow) => E,
    parameters: readonly string[] = [],
  ): Promise<LogPart<E>> => {
    await guard.check();
    const final = await orUnavailable('reading the high-water mark', () => water.advance(after));
    if (final <= after) return { events: [], safeUpTo: after };
    const most = Math.min(limit, maxLimit);
    // A bounded range: a planner without statistics may sort it, and rare types do not make a long query.
    const longest = BigInt(Math.max(4 * most, 2_000));
    const upTo = final - after > longest ? after + longest : final;
    const found = await rows(
      `reading all events after ${after}`,
      `SELECT ${columns} FROM es_event AS e
       WHERE e.position > $1 AND e.position <= $2 AND ($3::text[] IS NULL OR e.type = ANY ($3))
       ORDER BY e.position LIMIT $4`,
      [String(after), String(upTo), types ?? null, most, ...parameters],
    );
    const events = found.map(toEvent);
    const last = events.at(-1);
    if (last !== undefined) guard.saw(last);
    return { events, safeUpTo: events.length < most ? upTo : (last?.position ?? after) };
  };

/** The delays in which one call waits for appends in flight before it returns the position that is final already. */
const delaysMs = [1, 2, 4, 8];

type HighWaterMark = ReturnType<typeof highWaterMark>;

/**
 * The high-water mark: the position up to which no event can appear any more. An appender takes a shared lock before it
 * draws a position and releases it after its events are visible. A position is final once none of the transactions that
 * held the lock right after the position was read holds it any more. Transactions that do not append never delay it.
 * Must run outside any transaction; its state is only an optimization of this process.
 */
export const highWaterMark = (pool: Pool) => {
  let final = 0n;
  /** The last position drawn, and the appenders of that time that may still hold a position at or below it. */
  let pending: { readonly position: bigint; readonly appenders: ReadonlySet<string> } | null = null;

  const readMark = async (): Promise<void> => {
    const waiting = pending;
    const { rows } = await pool.query<string[]>(
      rawQuery('SELECT h, appenders FROM es_high_water($1, $2)', [
        String(waiting?.position ?? final),
        waiting !== null,
      ]),
    );
    // It was forgotten, or replaced by a concurrent read: the next read decides.
    if (waiting !== null && pending !== waiting) return;
    const [row]: (RawRow | undefined)[] = rows;
    const drawn = BigInt(text(row?.[0]));
    const appenders = appendersOf(text(row?.[1]));

    if (waiting !== null) {
      const left = waiting.appenders.intersection(appenders);
      if (left.size > 0) {
        pending = { position: waiting.position, appenders: left };
        return;
      }
      if (waiting.position > final) final = waiting.position;
      pending = null;
    }
    if (drawn <= final) return;
    if (appenders.size === 0) final = drawn;
    else pending = { position: drawn, appenders };
  };

  return {
    /** The final position; waits a few milliseconds for appends in flight when it is not above `after`. */
    advance: async (after: bigint): Promise<bigint> => {
      await readMark();
      for (const ms of delaysMs) {
        if (final > after || pending === null) break;
        await pause(ms);
        await readMark();
      }
      return final;
    },
    /**
     * To be called whenever a connection is opened or closed. A crash of the server can take back positions that were drawn
     * and not committed, and they are drawn again: a mark of before would pass their events.
     */
    forget: (): void => {
      final = 0n;
      pending = null;
    },
  };
};

/** `{3/17,5/4}` as a set. */
const appendersOf = (array: string): ReadonlySet<string> =>
  new Set(array === '{}' ? [] : array.slice(1, -1).split(','));
