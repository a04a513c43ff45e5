import type { Pool } from 'pg';
import { inTransaction, ownTransaction } from '../connection.ts';
import type { BatchEvent, ReadOptions, Transaction } from '../event-log.ts';
import { lockCheckpoints, moveCheckpoints } from './checkpoints.ts';

/*
 * A stream is parked when one of its events fails again and again: the subscription passes its events, so that their order
 * is kept and other streams continue, until the waiting ones can be handled.
 */

/** Parks the stream of an event and passes the event, unless the checkpoint has moved or too many streams are parked. */
export const parkStream = (
  pool: Pool,
  parked: {
    readonly subscription: string;
    readonly event: BatchEvent;
    readonly failure: string;
    /** The checkpoint before and after the event. */
    readonly from: bigint | null;
    readonly to: bigint;
    readonly maxParked: number;
  },
): Promise<'parked' | 'moved' | 'too_many'> =>
  inTransaction<'parked' | 'moved' | 'too_many'>(pool, async (client) => {
    const { subscription, event, failure, from, to, maxParked } = parked;
    const locked = (await lockCheckpoints(client, [subscription])).get(subscription);
    if (locked === undefined || locked.position !== from) {
      return { commit: false, result: 'moved' };
    }
    if (locked.parked.size >= maxParked) return { commit: false, result: 'too_many' };
    const { stream, version, position, id } = event;
    await client.query(
      `INSERT INTO es_parked_stream (subscription, stream, version, position, event_id, failure)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [subscription, stream, String(version), String(position), id, failure],
    );
    await moveCheckpoints(client, [[subscription, to]]);
    return { commit: true, result: 'parked' };
  });

/** Some parked streams of a subscription, in random order: those that fail again do not delay the others for ever. */
export const someParked = async (pool: Pool, subscription: string, limit: number): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ stream: string }>(
    'SELECT stream FROM es_parked_stream WHERE subscription = $1 ORDER BY random() LIMIT $2',
    [subscription, limit],
  );
  return rows.map(({ stream }) => stream);
};

type OldestParked = Readonly<Record<'subscription' | 'stream' | 'eventId' | 'failure', string>>;

/** How many streams are parked, and the one that was parked first; null when none is. */
export const parkedReport = async (
  pool: Pool,
): Promise<{ readonly streams: number; readonly oldest: OldestParked } | null> => {
  const { rows } = await pool.query<OldestParked & { streams: number }>(
    `SELECT subscription, stream, event_id AS "eventId", failure, (count(*) OVER ())::int AS streams
     FROM es_parked_stream ORDER BY parked_at, stream LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { streams, ...oldest } = row;
  return { streams, oldest };
};

/** Events in one transaction of `resumeParked` at most. */
const repairBatch = 200;

/**
 * Handles the waiting events of a parked stream, in order, up to the subscription's checkpoint, and then removes it from
 * the parked streams. Each batch moves the parked version in its own transaction, so that every event is handled
 * exactly once. Throws what `handle` throws; the stream then stays parked. False when the stream is not parked.
 */
export const resumeParked = async <E extends BatchEvent>(deps: {
  readonly pool: Pool;
  readonly readStream: (stream: string, range: Required<Omit<ReadOptions, 'types'>>) => Promise<readonly E[]>;
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
      if (due.length > 0) await handle(ownTransaction(client), due);
      const last = passed.at(repairBatch - 1);
      if (last === undefined) {
        await client.query('DELETE FROM es_parked_stream WHERE subscription = $1 AND stream = $2', [name, stream]);
      } else {
        await client.query('UPDATE es_parked_stream SET version = $3 WHERE subscription = $1 AND stream = $2', [
          name,
          stream,
          String(last.version + 1n),
        ]);
      }
      return { commit: true, result: last !== undefined };
    });
  }
  return wasParked;
};
