import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from '../../kernel/logger.ts';
import type { StoredEvent } from '../event-rows.ts';
import type { LogReader } from '../read/read-events.ts';
import { ensureCheckpoints, moveCheckpointFrom, recordFailure } from './checkpoints.ts';
import { sessionLocks } from './session-locks.ts';

/** Where a remote subscription delivers to. */
export type RemoteStore = {
  /**
   * Stores these events, which are in order of positions, and returns once all of them are acknowledged. A repeat of events
   * that are stored, in other batches too, stores nothing and succeeds. Throws the reason of `signal` when it aborts.
   */
  deliver(events: readonly StoredEvent[], signal: AbortSignal): Promise<void>;
};

export type RemoteSubscriptionOptions = {
  /** The name of its checkpoint. Of all processes that run it, one at a time delivers. */
  readonly name: string;
  readonly pool: Pool;
  /** Connections that keep their session, for the lock. */
  readonly sessions: Pool;
  readonly log: Pick<LogReader, 'readStored'>;
  readonly store: RemoteStore;
  /** Events of one batch at most; 500. */
  readonly batchSize?: number;
  /** How often it looks for new events, and for a lock that another process holds; 500 ms. */
  readonly pollMs?: number;
  /** Delays before the second, third … try after a failure. */
  readonly retryDelaysMs?: readonly number[];
  readonly logger: Pick<Logger, 'warn'>;
};

const usualDelaysMs = [100, 250, 500, 1_000, 2_000, 5_000, 15_000];

/**
 * Delivers every event of the log, in order of positions and as it is stored, to a store outside of the database. The
 * checkpoint moves after the events are acknowledged, so that each is delivered at least once. A batch is read after the
 * one before is acknowledged: a slow store is not overrun. A store that fails is tried again until it takes the events;
 * the reason stands in the report of the subscription. Disposing ends the delivery in progress.
 */
export const remoteSubscription = (options: RemoteSubscriptionOptions): AsyncDisposable => {
  const closing = new AbortController();
  const ended = deliverUntil(closing.signal, options);
  return {
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await ended;
    },
  };
};

/** Delivers until the signal. Never throws. */
const deliverUntil = async (signal: AbortSignal, options: RemoteSubscriptionOptions): Promise<void> => {
  const { name, sessions, pollMs = 500, retryDelaysMs = usualDelaysMs, logger } = options;
  const locks = sessionLocks(sessions, { retryMs: pollMs });
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = pollMs;
    try {
      const held = await locks.acquire([name]);
      if (held.has(name) && (await deliverBatch(signal, options))) waitMs = 0;
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      if (failures === 0) logger.warn(`subscription ${name} tries again`, { error });
      waitMs = retryDelaysMs[failures] ?? retryDelaysMs.at(-1) ?? pollMs;
      failures += 1;
    }
    if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
  await locks.close();
};

/** Delivers the next events; whether there were any. */
const deliverBatch = async (
  signal: AbortSignal,
  { name, pool, log, store, batchSize = 500 }: RemoteSubscriptionOptions,
): Promise<boolean> => {
  const after = (await ensureCheckpoints(pool, [name])).get(name) ?? 0n;
  const { events, safeUpTo } = await log.readStored({ after, limit: batchSize });
  if (safeUpTo <= after) return false;
  try {
    if (events.length > 0) await store.deliver(events, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) await recordFailure(pool, name, reason);
    throw error;
  }
  await moveCheckpointFrom(pool, name, after, safeUpTo);
  return true;
};
