import { elapsedMs } from '../kernel/clock.ts';
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

export const politeLimits: EgressLimits = {
  concurrency: 32,
  requestsPerSecond: 20,
  burst: 60,
  queue: 500,
};

export type Release = () => void;

export type Limiter = {
  /** Waits for a turn. Throws `PlatformFault('busy')` when the queue is full, the signal's reason when aborted. */
  acquire(signal: AbortSignal): Promise<Release>;
  readonly load: number;
};

type Waiter = { readonly grant: () => void; isGone: boolean };

/** Concurrency and a token bucket for one egress, first come, first served. */
export const limiter = (limits: EgressLimits, now: () => number = elapsedMs): Limiter => {
  const { concurrency, requestsPerSecond, burst, queue } = limits;
  const waiters: Waiter[] = [];
  let waiting = 0;
  let active = 0;
  let tokens = burst;
  let filledAt = now();
  let timer: NodeJS.Timeout | null = null;

  const hasToken = (): boolean => {
    if (requestsPerSecond === null) return true;
    const at = now();
    tokens = Math.min(burst, tokens + ((at - filledAt) / 1000) * requestsPerSecond);
    filledAt = at;
    return tokens >= 1;
  };
  const start = () => {
    active += 1;
    if (requestsPerSecond !== null) tokens -= 1;
  };
  const serve = () => {
    timer = null;
    while (waiters.length > 0 && active < concurrency && hasToken()) {
      const waiter = waiters.shift();
      if (waiter === undefined || waiter.isGone) continue;
      waiting -= 1;
      start();
      waiter.grant();
    }
    if (waiting === 0 || active >= concurrency || requestsPerSecond === null) return;
    timer ??= setTimeout(serve, Math.max(1, ((1 - tokens) / requestsPerSecond) * 1000));
  };
  const release = (): Release => {
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      active -= 1;
      if (timer === null) serve();
    };
  };

  return {
    get load() {
      return active + waiting;
    },
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (waiting === 0 && active < concurrency && hasToken()) {
        start();
        return Promise.resolve(release());
      }
      if (waiting >= queue) return Promise.reject(new PlatformFault('busy'));
      waiting += 1;
      return new Promise<Release>((resolve, reject) => {
        const abort = () => {
          waiter.isGone = true;
          waiting -= 1;
          reject(signal.reason);
        };
        const waiter: Waiter = {
          isGone: false,
          grant: () => {
            signal.removeEventListener('abort', abort);
            resolve(release());
          },
        };
        signal.addEventListener('abort', abort, { once: true });
        waiters.push(waiter);
        if (timer === null) serve();
      });
    },
  };
};

export type EgressPool = {
  /** The least loaded egress that the platform accepts; when it accepts none, the one whose pause ends first. */
  choose(): { readonly id: string; readonly limiter: Limiter };
  /** Avoids an egress for a while, never shorter than before. True when another one is open. */
  penalize(id: string, forMs: number): boolean;
};

/** The egresses of one process, each with its own limits. */
export const egressPool = (
  ids: readonly string[],
  limits: EgressLimits,
  now: () => number = elapsedMs,
): EgressPool => {
  const ways = ids.map((id) => ({ id, limiter: limiter(limits, now), closedUntil: 0 }));
  const [first] = ways;
  if (first === undefined) throw new Error('a pool needs at least one egress');
  let turn = 0;
  return {
    choose() {
      const at = now();
      turn = (turn + 1) % ways.length;
      let found = ways[turn] ?? first;
      for (const way of ways) {
        const isOpen = way.closedUntil <= at;
        const isFoundOpen = found.closedUntil <= at;
        if (isOpen && (!isFoundOpen || way.limiter.load < found.limiter.load)) found = way;
        else if (!isOpen && !isFoundOpen && way.closedUntil < found.closedUntil) found = way;
      }
      return found;
    },
    penalize(id, forMs) {
      const at = now();
      for (const way of ways)
        if (way.id === id) way.closedUntil = Math.max(way.closedUntil, at + forMs);
      return ways.some((way) => way.id !== id && way.closedUntil <= at);
    },
  };
};
