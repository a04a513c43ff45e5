import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';

/** Polling interval for a checkpoint that another process moves, while a caller waits (ms). */
const pollEveryMs = 25;

export type CheckpointWatch = {
  /** The checkpoint is at `position`, as far as this process knows. */
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
 * Waits for the checkpoint of one subscription, whichever process runs it. In the process that handles it `moved` is
 * called; elsewhere one query polls for all waiting callers.
 */
export const checkpointWatch = (pool: Pool, name: string): CheckpointWatch => {
  let known = 0n;
  const waiters = new Set<Waiter>();
  let isPolling = false;

  const moved = (position: bigint): void => {
    if (position > known) known = position;
    for (const waiter of waiters) {
      if (waiter.position > known) continue;
      waiters.delete(waiter);
      waiter.done(true);
    }
  };

  /** Polls as long as a caller waits. */
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    while (waiters.size > 0) {
      try {
        moved((await positionOf(pool, name)) ?? 0n);
      } catch {
        // The database cannot be reached: callers wait until their timeout.
      }
      if (waiters.size > 0) await pause(pollEveryMs);
    }
    isPolling = false;
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
      void poll();
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
