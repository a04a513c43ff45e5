import type { Pool } from 'pg';
import { appendEvents } from './append/append-events.ts';
import type { SerializedAppend } from './append/serialize-appends.ts';
import type { AppendOutcome, EventLog, RecordedEvent } from './event-log.ts';
import type { EventSchemas } from './event-schema.ts';
import { highWaterMark, type LogReader, reading } from './read/read-events.ts';
import { type LogReplay, replaying } from './read/replay.ts';
import { snapshots } from './read/snapshots.ts';
import { type Rollback, type RollbackGuard, rollbackGuard } from './rollback-guard.ts';
import { type Upcasters, type Upcasting, upcasting } from './upcasting.ts';

/** The log on Postgres. */
export type PostgresEventLog = EventLog &
  LogReplay &
  Pick<LogReader, 'readBatch' | 'readLinks' | 'readStored'> &
  Pick<RollbackGuard, 'detectedRollback'> & {
    /** The data of a stored event in the current schema version, for code that reads rows itself. Throws `NewerSchemaVersionError`. */
    readonly upcast: Upcasting['upcast'];
    /** As `onAppended`, for appends of this process only. */
    readonly onOwnAppended: EventLog['onAppended'];
    /** Another process has appended: calls the listeners of `onAppended`. */
    readonly wake: (lastPosition: bigint) => void;
  };

/**
 * The event log on Postgres 15 to 18 (`migrations/0001_event_log.sql`). The pool bounds every wait, see
 * `adapters/postgres/pool.ts`; errors that mean the database cannot be reached are thrown as `LogUnavailableError`.
 */
export const postgresEventLog = (deps: {
  readonly pool: Pool;
  readonly upcasters?: Upcasters;
  /** Of all events that can stand in the log; an event of any other type is a later program's (`NewerSchemaVersionError`). Absent: any. */
  readonly schemas?: EventSchemas;
  /** Called once, when an event that was in the log is missing, see `rollback-guard.ts`. */
  readonly onRollback?: (lost: Rollback) => void;
  /** Called for each append that found its stream at another version. */
  readonly onConflict?: () => void;
  /** Connections keep prepared statements; not so through a transaction pooler. */
  readonly isPrepared?: boolean;
}): PostgresEventLog => {
  const { pool, isPrepared = false, onRollback = () => {}, onConflict } = deps;
  const shapes = upcasting(deps.upcasters ?? {}, deps.schemas);
  const guard = rollbackGuard(pool, onRollback);
  const water = highWaterMark(pool);
  const onConnectionChange = (): void => {
    guard.invalidate();
    water.forget();
  };
  pool.on('connect', onConnectionChange).on('remove', onConnectionChange);

  const waking = wakeList();
  const own = wakeList();
  const onOutcomes = (appends: readonly SerializedAppend[], outcomes: readonly AppendOutcome[]): void => {
    const last = lastStored(appends, outcomes);
    if (last === null) {
      if (outcomes.some(({ outcome }) => outcome === 'conflict')) onConflict?.();
      return;
    }
    guard.saw(last);
    own.wake(last.position);
    waking.wake(last.position);
  };
  return {
    ...appendEvents({ pool, shapes, guard, onOutcomes, isPrepared }),
    ...reading({ pool, shapes, water, guard, isPrepared }),
    ...replaying(pool, shapes),
    ...snapshots(pool),
    onAppended: waking.onAppended,
    onOwnAppended: own.onAppended,
    wake: waking.wake,
    upcast: shapes.upcast,
    detectedRollback: guard.detectedRollback,
  };
};

/** The newest event that these appends stored, null when they stored nothing. */
const lastStored = (
  appends: readonly SerializedAppend[],
  outcomes: readonly AppendOutcome[],
): Pick<RecordedEvent, 'position' | 'id'> | null => {
  let last: Pick<RecordedEvent, 'position' | 'id'> | null = null;
  for (const [at, { events }] of appends.entries()) {
    const outcome = outcomes[at];
    const id = events.at(-1)?.id;
    if (outcome?.outcome !== 'appended' || id === undefined) continue;
    if (outcome.lastPosition > (last?.position ?? 0n)) last = { position: outcome.lastPosition, id };
  }
  return last;
};

/** Listeners in this process. */
export const wakeList = () => {
  const listeners = new Set<{ readonly hear: (lastPosition: bigint) => void }>();
  return {
    wake: (lastPosition: bigint): void => {
      for (const { hear } of listeners) hear(lastPosition);
    },
    onAppended: (hear: (lastPosition: bigint) => void): (() => void) => {
      const listener = { hear };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
