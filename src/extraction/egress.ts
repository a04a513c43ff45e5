import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from '../kernel/clock.ts';
import { semaphore } from '../kernel/semaphore.ts';
import { PlatformFault } from './platform.ts';

export type EgressLimits = {
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Steady rate; null for none (a platform of one's own). */
  readonly requestsPerSecond: number | null;
  /** Requests that may start at once after a pause. */
  readonly burst: number;
  /** Requests that may wait; one more is refused at once. */
  readonly queue: number;
};

export const politeLimits: EgressLimits = { concurrency: 32, requestsPerSecond: 20, burst: 60, queue: 500 };

export type Limiter = ReturnType<typeof limiter>;

/** Concurrency and a token bucket for one egress, first come, first served. */
export const limiter = (limits: EgressLimits, now: () => number = elapsedMs) => {
  const { concurrency, requestsPerSecond, burst, queue } = limits;
  const requests = semaphore({ total: concurrency });
  const intervalMs = requestsPerSecond === null ? 0 : 1_000 / requestsPerSecond;
  /** When the last token that was given out is in the bucket. */
  let takenUntilMs = Number.NEGATIVE_INFINITY;
  return {
    load: requests.load,
    /** Waits for a slot and a token. Throws `PlatformFault('busy')` if the queue is full, else the signal's reason. */
    async acquire(signal: AbortSignal): Promise<Disposable> {
      if (requests.load() >= concurrency + queue) throw new PlatformFault('busy');
      const slot = await requests.acquire(signal);
      const at = now();
      takenUntilMs = Math.max(takenUntilMs, at - burst * intervalMs) + intervalMs;
      try {
        if (takenUntilMs > at) await pause(Math.ceil(takenUntilMs - at), undefined, { signal });
        return slot;
      } catch {
        takenUntilMs -= intervalMs;
        slot[Symbol.dispose]();
        throw signal.reason;
      }
    },
  };
};

/** The egresses of one process, each with its own limits. */
export const egressPool = (ids: readonly string[], limits: EgressLimits, now: () => number = elapsedMs) => {
  const egresses = ids.map((id) => ({ id, limiter: limiter(limits, now), closedUntil: 0 }));
  const [first] = egresses;
  if (first === undefined) throw new Error('a pool needs at least one egress');
  let next = 0;
  return {
    /** The least loaded egress that the platform accepts; when it accepts none, the one whose pause ends first. */
    choose(): { readonly id: string; readonly limiter: Limiter } {
      const at = now();
      next = (next + 1) % egresses.length;
      let found = egresses[next] ?? first;
      for (const egress of egresses) {
        const isOpen = egress.closedUntil <= at;
        const isFoundOpen = found.closedUntil <= at;
        if (isOpen && (!isFoundOpen || egress.limiter.load() < found.limiter.load())) found = egress;
        else if (!isOpen && !isFoundOpen && egress.closedUntil < found.closedUntil) found = egress;
      }
      return found;
    },
    /** Avoids an egress for a while, never shorter than before. True when another one is open. */
    penalize(id: string, forMs: number): boolean {
      const at = now();
      for (const egress of egresses)
        if (egress.id === id) egress.closedUntil = Math.max(egress.closedUntil, at + forMs);
      return egresses.some((egress) => egress.id !== id && egress.closedUntil <= at);
    },
  };
};
