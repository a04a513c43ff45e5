import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { isUuid } from './append-rules.ts';
import { highWater } from './high-water.ts';
import type { EventLog, RecordedEvent } from './log.ts';
import { eventColumns, type RawRow, rawQuery, text, toRecorded } from './rows.ts';
import { orUnavailable } from './unavailable.ts';
import type { Upcasting } from './upcasting.ts';

const maxLimit = 100_000;

type Reading = Pick<EventLog, 'read' | 'versionOf' | 'readById' | 'streamsWithPrefix' | 'readAll'>;

/** The reading half of the log on Postgres. */
export const reading = (pool: Pool, shapes: Upcasting): Reading => {
  const water = highWater(pool);

  const rows = (doing: string, sql: string, values: unknown[]): Promise<readonly RawRow[]> =>
    orUnavailable(
      doing,
      async () => (await pool.query<(string | null)[]>(rawQuery(sql, values))).rows,
    );
  const toEvents = <E extends Event = Event>(raw: readonly RawRow[]): RecordedEvent<E>[] =>
    raw.map((row) => toRecorded<E>(row, shapes));

  return {
    read: async <E extends Event = Event>(
      stream: string,
      options?: { readonly from?: bigint; readonly limit?: number },
    ) =>
      toEvents<E>(
        await rows(
          `reading ${stream}`,
          `SELECT ${eventColumns} FROM es_event AS e WHERE e.stream = $1 AND e.version >= $2 ORDER BY e.version LIMIT $3`,
          [stream, String(options?.from ?? 1n), options?.limit ?? null],
        ),
      ),

    versionOf: async (stream) => {
      const [row] = await rows(
        `reading the version of ${stream}`,
        'SELECT version FROM es_stream WHERE stream = $1',
        [stream],
      );
      return row === undefined ? 0n : BigInt(text(row[0]));
    },

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

    readAll: async ({ after, limit, types }) => {
      const final = await orUnavailable('reading the high water', () => water.advance(after));
      if (final <= after) return { events: [], safeUpTo: after };
      const most = Math.min(limit, maxLimit);
      // A short stretch: a planner without statistics may sort it, and rare types do not make a long query.
      const stretch = BigInt(Math.max(4 * most, 2_000));
      const upTo = final - after > stretch ? after + stretch : final;
      const events = toEvents(
        await rows(
          `reading all events after ${after}`,
          `SELECT ${eventColumns} FROM es_event AS e
           WHERE e.position > $1 AND e.position <= $2 AND ($3::text[] IS NULL OR e.type = ANY ($3))
           ORDER BY e.position LIMIT $4`,
          [String(after), String(upTo), types ?? null, most],
        ),
      );
      return { events, safeUpTo: events.length < most ? upTo : (events.at(-1)?.position ?? after) };
    },
  };
};
