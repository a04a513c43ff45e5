import type { Pool } from 'pg';
import { inTransaction, transactionOf } from '../connection.ts';
import type { BatchEvent, Transaction } from '../event-log.ts';

/** A stream that is set aside because one of its events could not be handled. Its order is kept; other streams continue. */
export type ParkedStream = {
  readonly subscription: string;
  readonly stream: string;
  /** The version of the event that failed, the first one that waits. */
  readonly version: bigint;
  readonly position: bigint;
  readonly eventId: string;
  readonly failure: string;
  readonly parkedAt: string;
};

/** Events in one transaction of `resumeParked` at most. */
const repairBatch = 200;
const listed = 1_000;

/** The parked streams of one subscription or of all, oldest first, at most 1,000. */
export const parkedStreams = async (
  pool: Pool,
  subscription: string | null = null,
): Promise<readonly ParkedStream[]> => {
  const { rows } = await pool.query<Record<'s' | 'stream' | 'v' | 'p' | 'id' | 'f' | 't', string>>(
    `SELECT subscription AS s, stream, version::text AS v, position::text AS p, event_id::text AS id, failure AS f,
       to_char(parked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS t
     FROM es_parked_stream
     WHERE $1::text IS NULL OR subscription = $1
     ORDER BY parked_at, stream
     LIMIT ${listed}`,
    [subscription],
  );
  return rows.map(({ s, stream, v, p, id, f, t }) => ({
    subscription: s,
    stream,
    version: BigInt(v),
    position: BigInt(p),
    eventId: id,
    failure: f,
    parkedAt: t,
  }));
};

/**
 * Handles the waiting events of a parked stream, in order, up to the subscription's checkpoint, and then removes it from
 * the parked streams. Each batch moves the parked version in its own transaction, so that every event is handled
 * exactly once. Throws what `handle` throws; the stream then stays parked. False when the stream is not parked.
 */
export const resumeParked = async <E extends BatchEvent>(deps: {
  readonly pool: Pool;
  readonly readStream: (
    stream: string,
    range: { readonly from: bigint; readonly limit: number },
  ) => Promise<readonly E[]>;
  readonly name: string;
  readonly stream: string;
  readonly types: readonly string[] | undefined;
  readonly handle: (transaction: Transaction, events: readonly E[]) => Promise<void>;
}): Promise<boolean> => {
  const { pool, readStream, name, stream, types, handle } = deps;
  for (let wasParked = false; ; wasParked = true) {
    const parked = await pool.query<{ version: string }>(
      'SELECT version::text AS version FROM es_parked_stream WHERE subscription = $1 AND stream = $2',
      [name, stream],
    );
    const from = parked.rows[0]?.version;
    if (from === undefined) return wasParked;
    const waiting = await readStream(stream, { from: BigInt(from), limit: repairBatch });

    await inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ position: string; version: string }>(
        `SELECT s.position::text AS position, p.version::text AS version
         FROM es_subscription AS s JOIN es_parked_stream AS p ON p.subscription = s.name
         WHERE s.name = $1 AND p.stream = $2
         FOR UPDATE OF s, p`,
        [name, stream],
      );
      const [row] = rows;
      // A concurrent call has handled this batch.
      if (row === undefined || row.version !== from) return { commit: false, result: undefined };
      const due = waiting.filter(({ position }) => position <= BigInt(row.position));
      const matching = due.filter(({ type }) => types === undefined || types.includes(type));
      if (matching.length > 0) await handle(transactionOf(client), matching);
      // A statement of its own: it sees all events that the checkpoint, now locked, has passed.
      const passed = await client.query<{ last: string }>(
        'SELECT max(version)::text AS last FROM es_event WHERE stream = $1 AND position <= $2',
        [stream, row.position],
      );
      const next = (due.at(-1)?.version ?? BigInt(from) - 1n) + 1n;
      await client.query(
        next > BigInt(passed.rows[0]?.last ?? 0)
          ? 'DELETE FROM es_parked_stream WHERE subscription = $1 AND stream = $2 AND version < $3'
          : 'UPDATE es_parked_stream SET version = $3 WHERE subscription = $1 AND stream = $2',
        [name, stream, String(next)],
      );
      return { commit: true, result: undefined };
    });
  }
};
