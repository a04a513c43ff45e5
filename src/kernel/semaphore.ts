/**
 * A counting semaphore, with a limit in all and one for each key. Keys take turns (round robin), so that one with many waiters
 * delays another by one call at most; calls of one key are served in order. A waiter leaves when its signal aborts, which
 * p-limit does not support.
 */
export type Semaphore = ReturnType<typeof semaphore>;

type Start = () => void;

export const semaphore = ({ total, perKey = total }: { readonly total: number; readonly perKey?: number }) => {
  const used = new Map<string, number>();
  /** Waiters by key; the key that was served last stands at the end. */
  const waiting = new Map<string, Set<Start>>();
  let inUse = 0;
  const usedBy = (key: string): number => used.get(key) ?? 0;
  const isFree = (key: string): boolean => inUse < total && usedBy(key) < perKey;

  const leave = (key: string, start: Start): void => {
    const others = waiting.get(key);
    others?.delete(start);
    if (others?.size === 0) waiting.delete(key);
  };

  const startNext = (): void => {
    const next = waiting.entries().find(([key]) => isFree(key));
    if (next === undefined) return;
    const [key, starts] = next;
    waiting.delete(key);
    waiting.set(key, starts);
    const [start] = starts;
    start?.();
  };

  const occupy = (key: string): Disposable => {
    inUse += 1;
    used.set(key, usedBy(key) + 1);
    let isReleased = false;
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        inUse -= 1;
        const left = usedBy(key) - 1;
        if (left > 0) used.set(key, left);
        else used.delete(key);
        startNext();
      },
    };
  };

  return {
    /** Waits for its turn, which ends when the result is disposed. Throws the reason of the signal when that aborts first. */
    acquire: async (signal?: AbortSignal, key = ''): Promise<Disposable> => {
      signal?.throwIfAborted();
      if (isFree(key)) return occupy(key);
      return await new Promise((resolve, reject) => {
        const giveUp = () => {
          leave(key, start);
          reject(signal?.reason);
        };
        const start = () => {
          leave(key, start);
          signal?.removeEventListener('abort', giveUp);
          resolve(occupy(key));
        };
        waiting.set(key, (waiting.get(key) ?? new Set()).add(start));
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
    /** A permit that is free at once, or null. It does not wait behind others. */
    tryAcquire: (key = ''): Disposable | null => (isFree(key) ? occupy(key) : null),
    /** Calls that have their turn or wait for it, of all keys or of one. */
    load: (key?: string): number =>
      key === undefined
        ? inUse + waiting.values().reduce((sum, starts) => sum + starts.size, 0)
        : usedBy(key) + (waiting.get(key)?.size ?? 0),
  };
};
