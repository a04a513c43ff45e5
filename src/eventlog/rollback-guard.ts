import type { Pool } from 'pg';
import { elapsedMs } from '../kernel/clock.ts';
import type { RecordedEvent } from './event-log.ts';
import { LogUnavailableError, orUnavailable } from './unavailable-error.ts';

/** An event that this process has stored or read and that the log does not contain any more, and the log's last position. */
export type Rollback = { readonly position: bigint; readonly id: string; readonly endsAt: bigint };

type EventMark = Pick<RecordedEvent, 'position' | 'id'>;

export type RollbackGuard = ReturnType<typeof rollbackGuard>;

/** Behind a pooler a failover breaks no connection of this process: the check is repeated at this interval. */
const checkEveryMs = 1_000;

/**
 * Stops a process from continuing on a log that was rolled back: a database that comes back from a failover or a backup
 * without commits that were acknowledged. The newest event that the process has seen is looked up again whenever a
 * connection was opened or closed, and every second. Once it is missing, every append and every read of the whole log
 * is refused as unavailable until the process ends, so that no stream contradicts an answer that was given.
 */
export const rollbackGuard = (pool: Pool, onLost: (lost: Rollback) => void) => {
  let newest: EventMark | null = null;
  let lost: Rollback | null = null;
  let checkedUntilMs = 0;
  let isInvalidated = false;
  let checking: Promise<void> | null = null;

  const lookUp = async (): Promise<void> => {
    const expected = newest;
    const startedAt = elapsedMs();
    isInvalidated = false;
    const endsAt = expected === null ? null : await endIfMissing(pool, expected);
    if (expected !== null && endsAt !== null) {
      lost = { position: expected.position, id: expected.id, endsAt };
      onLost(lost);
    }
    // The query itself may have opened a connection: then the check is not valid yet.
    if (!isInvalidated) checkedUntilMs = startedAt + checkEveryMs;
  };

  return {
    /** Throws `LogUnavailableError` once the log has lost an event. Called before every append and every read of the whole log. */
    check: async (): Promise<void> => {
      if (lost === null && elapsedMs() >= checkedUntilMs) {
        checking ??= orUnavailable('looking up its last known event', lookUp).finally(() => {
          checking = null;
        });
        await checking;
      }
      if (lost !== null) {
        throw new LogUnavailableError('reading and appending', new Error(rollbackMessage(lost)));
      }
    },
    /** This event is in the log. */
    saw: ({ position, id }: EventMark): void => {
      if (position > (newest?.position ?? 0n)) newest = { position, id };
    },
    /** A connection was opened or closed: the next check looks the event up again. */
    invalidate: (): void => {
      isInvalidated = true;
      checkedUntilMs = 0;
    },
    /** The event that the log has lost, null while it has lost none. */
    detectedRollback: (): Rollback | null => lost,
  };
};

/** The message for operators. */
export const rollbackMessage = ({ position, id, endsAt }: Rollback): string =>
  `the log has lost its end: event ${id} at position ${position} was acknowledged and is not there; the log ends at ${endsAt}`;

/** Null when the event is at its position, otherwise the last position of the log. */
const endIfMissing = async (pool: Pool, { position, id }: EventMark): Promise<bigint | null> => {
  const { rows } = await pool.query<{ id: string | null; last: string }>(
    `SELECT (SELECT e.event_id FROM es_event AS e WHERE e.position = $1) AS id,
            (SELECT coalesce(max(e.position), 0)::text FROM es_event AS e) AS last`,
    [String(position)],
  );
  const [row] = rows;
  return row?.id === id.toLowerCase() ? null : BigInt(row?.last ?? 0);
};
