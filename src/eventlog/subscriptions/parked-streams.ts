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
  let wasParked = false;
  for (let isParked = true; isParked; ) {
    isParked = await inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ position: string; version: string }>(
        `SELECT s.position::text AS position, p.version::text AS version
         FROM es_subscription AS s JOIN es_parked_stream AS p ON p.subscription = s.name
         WHERE s.name = $1 AND p.stream = $2
         FOR UPDATE OF s, p`,
        [name, stream],
      );
      const [row] = rows;
      if (row === undefined) return { commit: false, result: false };
      wasParked = true;
      // Read while the checkpoint is locked: all events up to it can be seen.
      const read = await readStream(stream, { from: BigInt(row.version), limit: repairBatch });
      const passed = read.filter(({ position }) => position <= BigInt(row.position));
      const due = passed.filter(({ type }) => types === undefined || types.includes(type));
      if (due.length > 0) await handle(transactionOf(client), due);
      const last = passed.at(repairBatch - 1);
      if (last === undefined) {
        await client.query('DELETE FROM es_parked_stream WHERE subscription = $1 AND stream = $2', [
          name,
          stream,
        ]);
      } else {
        await client.query(
          'UPDATE es_parked_stream SET version = $3 WHERE subscription = $1 AND stream = $2',
          [name, stream, String(last.version + 1n)],
        );
      }
      return { commit: true, result: last !== undefined };
    });
  }
  return wasParked;
};
