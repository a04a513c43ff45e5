import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { elapsedMs } from '../kernel/clock.ts';
import { connectionOf, onConnections } from './connection.ts';
import type { Append, AppendOutcome, EventLog, LockedOptions, RecordedEvent } from './event-log.ts';
import type { Reading } from './read/read-events.ts';
import { LogUnavailableError, orUnavailable } from './unavailable-error.ts';

/** An event that this process has stored or read and that the log does not contain any more, and the log's last position. */
export type Rollback = {
  readonly position: bigint;
  readonly id: string;
  readonly endsAt: bigint;
};

type Guarded = Pick<EventLog, 'append' | 'appendLocked' | 'readAll'> & Pick<Reading, 'readBatch'>;
type Known = { readonly position: bigint; readonly id: string };

/** Behind a pooler a failover breaks no connection of this process: the check is repeated at this interval. */
const checkEveryMs = 1_000;
/** A busy process repeats the check this long before it is due, in the background, so that no call waits for it. */
const checkAheadMs = 500;

/**
 * Stops a process from continuing on a log that was rolled back: a database that comes back from a failover or a backup
 * without commits that were acknowledged. The newest event that the process has seen is looked up again whenever a
 * connection was opened or closed, and every second. Once it is missing, every append and every read of the whole log
 * is refused as unavailable until the process ends, so that no stream contradicts an answer that was given.
 */
export const rollbackGuard = (
  inner: Guarded,
  { pool, onLost }: { readonly pool: Pool; readonly onLost: (lost: Rollback) => void },
): Guarded & { readonly detectedRollback: () => Rollback | null } => {
  const { see, check, detectedRollback } = newestEvent(pool, onLost);
  return {
    append: async (appends, options) => {
      await check();
      const outcomes = await inner.append(appends, options);
      see(lastOf(appends, outcomes));
      return outcomes;
    },
    appendLocked: async <E extends Event = Event>(
      stream: string,
      from: bigint,
      decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
      options?: LockedOptions<E>,
    ) => {
      await check();
      let appends: readonly Append[] = [];
      const deciding = (tail: readonly RecordedEvent<E>[]): readonly Append[] => {
        appends = decide(tail);
        return appends;
      };
      const outcomes = await inner.appendLocked<E>(stream, from, deciding, options);
      see(lastOf(appends, outcomes));
      return outcomes;
    },
    readAll: async (options) => {
      await check();
      const read = await inner.readAll(options);
      see(read.events.at(-1) ?? null);
      return read;
    },
    readBatch: async (options) => {
      await check();
      const read = await inner.readBatch(options);
      see(read.events.at(-1) ?? null);
      return read;
    },
    detectedRollback,
  };
};

/** The newest event that this process has seen, and whether it is still in the log. */
const newestEvent = (pool: Pool, onLost: (lost: Rollback) => void) => {
  let known: Known | null = null;
  let lost: Rollback | null = null;
  let checkedUntilMs = 0;
  let changes = 0;
  let checking: Promise<void> | null = null;
  const invalidate = (): void => {
    changes += 1;
    checkedUntilMs = 0;
  };
  onConnections(pool, invalidate);

  const see = (seen: Known | null): void => {
    if (seen !== null && seen.position > (known?.position ?? 0n)) known = seen;
  };
  const lookUp = async (): Promise<void> => {
    const expected = known;
    const before = changes;
    const startedAt = elapsedMs();
    const end = expected === null ? null : await lastPositionIfMissing(pool, expected);
    if (expected !== null && end !== null && lost === null) {
      lost = { ...expected, endsAt: end };
      onLost(lost);
    }
    // The query itself may have opened a connection: then the check is not valid yet.
    if (changes === before) checkedUntilMs = startedAt + checkEveryMs;
  };
  const lookedUp = (): Promise<void> => {
    checking ??= orUnavailable('looking up its last known event', lookUp).finally(() => {
      checking = null;
    });
    return checking;
  };
  const check = async (): Promise<void> => {
    const left = checkedUntilMs - elapsedMs();
    if (lost === null && left <= 0) await lookedUp();
    // A failure here is repeated when the check is due.
    else if (lost === null && left < checkAheadMs) lookedUp().catch(() => undefined);
    if (lost !== null) {
      throw new LogUnavailableError('reading and appending', new Error(rollbackMessage(lost)));
    }
  };
  return { see, check, detectedRollback: () => lost };
};

/** The message for operators. */
export const rollbackMessage = ({ position, id, endsAt }: Rollback): string =>
  `the log has lost its end: event ${id} at position ${position} was acknowledged and is not there; the log ends at ${endsAt}`;

/** The last event of these appends that was stored now, null when none was. */
const lastOf = (appends: readonly Append[], outcomes: readonly AppendOutcome[]): Known | null =>
  outcomes.reduce<Known | null>((last, outcome, index) => {
    const id = appends[index]?.events.at(-1)?.id;
    if (outcome.outcome !== 'appended' || id === undefined) return last;
    const position = outcome.lastPosition;
    return position > (last?.position ?? 0n) ? { position, id } : last;
  }, null);

/** Null when the event is at its position, otherwise the last position of the log. */
const lastPositionIfMissing = async (
  pool: Pool,
  { position, id }: Known,
): Promise<bigint | null> => {
  const client = await connectionOf(pool);
  let row: { readonly id: string | null; readonly last: string } | undefined;
  try {
    const { rows } = await client.query<{ id: string | null; last: string }>(
      `SELECT (SELECT e.event_id FROM es_event AS e WHERE e.position = $1) AS id,
              (SELECT coalesce(max(e.position), 0)::text FROM es_event AS e) AS last`,
      [String(position)],
    );
    [row] = rows;
  } finally {
    client.release();
  }
  return row?.id === id.toLowerCase() ? null : BigInt(row?.last ?? 0);
};
