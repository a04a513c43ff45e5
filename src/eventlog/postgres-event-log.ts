import type { Pool } from 'pg';
import { appendEvents } from './append/append-events.ts';
import type { AppendOutcome, EventLog } from './event-log.ts';
import { type Reading, reading, snapshots } from './read/read-events.ts';
import { type Replaying, replaying } from './read/replay.ts';
import { type Rollback, rollbackGuard } from './rollback-guard.ts';
import { type Upcasters, type Upcasting, upcasting } from './upcasting.ts';

/** The log on Postgres. */
export type PostgresEventLog = EventLog &
  Replaying &
  Pick<Reading, 'readBatch'> & {
    /** The data of a stored event in the current schema version, for code that reads rows itself. Throws `NewerSchemaVersionError`. */
    readonly upcast: Upcasting['upcast'];
    /** As `onAppended`, for appends of this process only. */
    readonly onOwnAppended: EventLog['onAppended'];
    /** Another process has appended: calls the listeners of `onAppended`. */
    readonly wake: (lastPosition: bigint) => void;
    /** Called when this process starts or stops receiving notifications of appends. */
    readonly receivesNotifications: (areReceived: boolean) => void;
    /** Whether every append that becomes readable wakes the listeners, so that they need to poll seldom. */
    readonly canRelyOnNotify: () => boolean;
    /** The event that this process has seen and that the log has lost: the log is then unavailable. Null: none. */
    readonly detectedRollback: () => Rollback | null;
  };

/**
 * The event log on Postgres 15 to 18 (`migrations/0001_event_log.sql`). The pool bounds every wait, see
 * `adapters/postgres.ts`; errors that mean the database cannot be reached are thrown as `LogUnavailableError`.
 */
export const postgresEventLog = (deps: {
  readonly pool: Pool;
  readonly upcasters?: Upcasters;
  /** All types that can stand in the log; an event of any other is a later program's (`NewerSchemaVersionError`). Absent: any. */
  readonly types?: readonly string[];
  /** Called once, when an event that was in the log is missing, see `rollback-guard.ts`. */
  readonly onRollback?: (lost: Rollback) => void;
  /** Called for each append that found its stream at another version. */
  readonly onConflict?: () => void;
  /** Connections keep prepared statements; not so through a transaction pooler. */
  readonly isPrepared?: boolean;
}): PostgresEventLog => {
  const { pool, isPrepared = false, onRollback: onLost = () => {}, onConflict } = deps;
  const shapes = upcasting(deps.upcasters ?? {}, deps.types);
  const waking = wakeList();
  const own = wakeList();
  const wake = (outcomes: readonly AppendOutcome[]): void => {
    const last = lastAppended(outcomes);
    if (last === null) {
      if (outcomes.some(({ outcome }) => outcome === 'conflict')) onConflict?.();
      return;
    }
    own.wake(last);
    waking.wake(last);
  };
  const { isHeldBack, ...read } = reading(pool, shapes);
  let areReceived = false;
  const { detectedRollback, readBatch, ...guarded } = rollbackGuard(
    { ...read, ...appendEvents({ pool, upcasting: shapes, onOutcomes: wake, isPrepared }) },
    { pool, onLost },
  );
  return {
    ...read,
    ...guarded,
    ...snapshots(pool),
    ...replaying(pool, shapes),
    onAppended: waking.onAppended,
    readBatch,
    upcast: shapes.upcast,
    onOwnAppended: own.onAppended,
    wake: waking.wake,
    receivesNotifications: (isListening) => {
      areReceived = isListening;
    },
    canRelyOnNotify: () => areReceived && !isHeldBack(),
    detectedRollback,
  };
};

/** The last position that these outcomes stored, null when they stored nothing. */
export const lastAppended = (outcomes: readonly AppendOutcome[]): bigint | null =>
  outcomes.reduce<bigint | null>(
    (last, outcome) =>
      outcome.outcome === 'appended' && outcome.lastPosition > (last ?? 0n)
        ? outcome.lastPosition
        : last,
    null,
  );

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
