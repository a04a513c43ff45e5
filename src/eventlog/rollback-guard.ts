import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import { elapsedMs } from '../kernel/clock.ts';
import { connectionOf, onConnections } from './connection.ts';
import type { Append, AppendOutcome, EventLog, LockedOptions, RecordedEvent } from './event-log.ts';
import type { Reading } from './read/read-events.ts';
import { LogUnavailableError, orUnavailable } from './unavailable-error.ts';

/** An event that this process has stored or read, and where the log ends that does not hold it any more. */
export type Rollback = {
  readonly position: bigint;
  readonly id: string;
  readonly endsAt: bigint;
};

type Guarded = Pick<EventLog, 'append' | 'appendLocked' | 'readAll'> & Pick<Reading, 'readBatch'>;
type Known = { readonly position: bigint; readonly id: string };

/** Behind a pooler a failover breaks no connection of ours: so often it is looked anyway. */
const lookEveryMs = 1_000;
/** Who works without a pause looks beside its work so long before: nobody waits for it then. */
const lookBesideMs = 500;

/**
 * Keeps a process from going on with a log that has lost its end: a database that comes back from a failover or a
 * backup without commits that were acknowledged. The newest event that the process has seen is looked up again
 * whenever a connection was lost or made, and every second; once it is not there, every append and every reading of
 * the whole log is refused as unavailable, as long as the process lives. So no stream is continued behind an answer
 * that was given.
 */
export const rollbackGuard = (
  inner: Guarded,
  { pool, onLost }: { readonly pool: Pool; readonly onLost: (lost: Rollback) => void },
): Guarded & { readonly detectedRollback: () => Rollback | null } => {
  const { see, sure, detectedRollback } = watchedEnd(pool, onLost);
  return {
    append: async (appends, options) => {
      await sure();
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
      await sure();
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
      await sure();
      const read = await inner.readAll(options);
      see(read.events.at(-1) ?? null);
      return read;
    },
    readBatch: async (options) => {
      await sure();
      const read = await inner.readBatch(options);
      see(read.events.at(-1) ?? null);
      return read;
    },
    detectedRollback,
  };
};

/** What this process has seen of the log, and whether it is still there. */
const watchedEnd = (pool: Pool, onLost: (lost: Rollback) => void) => {
  let known: Known | null = null;
  let lost: Rollback | null = null;
  let sureUntilMs = 0;
  let doubts = 0;
  let looking: Promise<void> | null = null;
  const doubt = (): void => {
    doubts += 1;
    sureUntilMs = 0;
  };
  onConnections(pool, doubt);

  const see = (seen: Known | null): void => {
    if (seen !== null && seen.position > (known?.position ?? 0n)) known = seen;
  };
  const look = async (): Promise<void> => {
    const wanted = known;
    const before = doubts;
    const startedAt = elapsedMs();
    const end = wanted === null ? null : await endOf(pool, wanted);
    if (wanted !== null && end !== null && lost === null) {
      lost = { ...wanted, endsAt: end };
      onLost(lost);
    }
    // A connection that was made for the question brings the doubt back.
    if (doubts === before) sureUntilMs = startedAt + lookEveryMs;
  };
  const looked = (): Promise<void> => {
    looking ??= orUnavailable('looking for its last known event', look).finally(() => {
      looking = null;
    });
    return looking;
  };
  const sure = async (): Promise<void> => {
    const left = sureUntilMs - elapsedMs();
    if (lost === null && left <= 0) await looked();
    // What fails is asked again when nobody is sure any more.
    else if (lost === null && left < lookBesideMs) looked().catch(() => undefined);
    if (lost !== null) {
      throw new LogUnavailableError('reading and appending', new Error(sentenceOf(lost)));
    }
  };
  return { see, sure, detectedRollback: () => lost };
};

/** What operators are told. */
export const sentenceOf = ({ position, id, endsAt }: Rollback): string =>
  `the log has lost its end: event ${id} at position ${position} was acknowledged and is not there; the log ends at ${endsAt}`;

/** The last event of these appends that was stored now, null when none was. */
const lastOf = (appends: readonly Append[], outcomes: readonly AppendOutcome[]): Known | null =>
  outcomes.reduce<Known | null>((last, outcome, index) => {
    const id = appends[index]?.events.at(-1)?.id;
    if (outcome.outcome !== 'appended' || id === undefined) return last;
    const position = outcome.lastPosition;
    return position > (last?.position ?? 0n) ? { position, id } : last;
  }, null);

/** Null: the event is where it was. Else the position of the last event that is there. */
const endOf = async (pool: Pool, { position, id }: Known): Promise<bigint | null> => {
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
