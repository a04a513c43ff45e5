import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';

/** How often a checkpoint that another process moves is looked at while somebody waits (ms). */
const lookEveryMs = 25;

export type CheckpointWatch = {
  /** This process has moved the checkpoint, or has seen it moved. */
  readonly moved: (position: bigint) => void;
  /** Whether it is known that everything up to `position` is handled. */
  readonly isPast: (position: bigint) => boolean;
  /** Whether the subscription has handled everything up to `position`; waits at most `timeoutMs` for it. */
  readonly caughtUpTo: (
    position: bigint,
    options: { readonly timeoutMs: number },
  ) => Promise<boolean>;
};

type Waiter = { readonly position: bigint; readonly done: (isCaughtUp: boolean) => void };

/**
 * Waits for the checkpoint of one subscription, wherever it runs: a process that handles it tells so
 * itself, others are seen by one query for all who wait.
 */
export const checkpointWatch = (pool: Pool, name: string): CheckpointWatch => {
  let known = 0n;
  const waiters = new Set<Waiter>();
  let isLooking = false;

  const moved = (position: bigint): void => {
    if (position > known) known = position;
    for (const waiter of waiters) {
      if (waiter.position > known) continue;
      waiters.delete(waiter);
      waiter.done(true);
    }
  };

  /** Goes on as long as somebody waits. */
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    while (waiters.size > 0) {
      try {
        moved((await positionOf(pool, name)) ?? 0n);
      } catch {
        // The database is away: those who wait go on until their time is up.
      }
      if (waiters.size > 0) await pause(lookEveryMs);
    }
    isLooking = false;
  };

  return {
    moved,
    isPast: (position) => position <= known,
    caughtUpTo: async (position, { timeoutMs }) => {
      if (position <= known) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiter: Waiter = { position, done: resolve };
      waiters.add(waiter);
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        resolve(false);
      }, timeoutMs);
      void look();
      const isCaughtUp = await promise;
      clearTimeout(timer);
      return isCaughtUp;
    },
  };
};

/** The checkpoint of a subscription, null when it has never run. */
export const positionOf = async (pool: Pool, name: string): Promise<bigint | null> => {
  const { rows } = await pool.query<{ position: string }>(
    'SELECT position::text AS position FROM es_subscription WHERE name = $1',
    [name],
  );
  const [row] = rows;
  return row === undefined ? null : BigInt(row.position);
};
