import type { Pool } from 'pg';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { appending } from './appending.ts';
import { type EmmettStore, emmettStore } from './emmett-store.ts';
import type { AppendOutcome, EventLog } from './log.ts';
import { reading } from './reading.ts';
import { type Replaying, replaying } from './replay.ts';
import { snapshots } from './snapshots.ts';
import { type Upcasters, upcasting } from './upcasting.ts';

/** The log on Postgres, and Emmett's view of it. */
export type PostgresEventLog = EventLog & EmmettStore & Replaying;

/**
 * The event log on Postgres 15 to 18 (`migrations/0001_event_log.sql`). The pool bounds every wait, see
 * `adapters/postgres.ts`; what says that the database is away is thrown as `LogUnavailable`. `clock` tells
 * the `occurred_at` of events that come through Emmett's view; all others bring theirs.
 */
export const postgresEventLog = (deps: {
  readonly pool: Pool;
  readonly clock?: Clock;
  readonly upcasters?: Upcasters;
}): PostgresEventLog => {
  const { pool, clock = systemClock } = deps;
  const shapes = upcasting(deps.upcasters ?? {});
  const waking = wakeList();
  const log: EventLog = {
    ...appending({ pool, shapes, wake: waking.wake }),
    ...reading(pool, shapes),
    ...snapshots(pool),
    onAppended: waking.onAppended,
  };
  return {
    ...log,
    ...emmettStore(log, { clock, versionOf: shapes.versionOf }),
    ...replaying(pool, shapes),
  };
};

/** Listeners in this process; `wake` tells them the last position that these outcomes stored. */
export const wakeList = () => {
  const listeners = new Set<{ readonly hear: (lastPosition: bigint) => void }>();
  return {
    wake: (outcomes: readonly AppendOutcome[]): void => {
      let last = 0n;
      for (const outcome of outcomes) {
        if (outcome.outcome === 'appended' && outcome.lastPosition > last) {
          last = outcome.lastPosition;
        }
      }
      if (last > 0n) for (const { hear } of listeners) hear(last);
    },
    onAppended: (hear: (lastPosition: bigint) => void): (() => void) => {
      const listener = { hear };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
