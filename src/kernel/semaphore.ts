/**
 * A counting semaphore, with a limit in all and one for each key; first come, first served for each key. A waiter leaves when
 * its signal aborts, which p-limit does not support.
 */
export type Semaphore = {
  /** Waits for its turn, which ends when the result is disposed. Throws the reason of the signal when that aborts first. */
  readonly acquire: (signal?: AbortSignal, key?: string) => Promise<Disposable>;
  /** Calls that have their turn or wait for it. */
  readonly load: () => number;
};

type Waiting = { readonly key: string; readonly start: () => void };

export const semaphore = ({
  total,
  perKey = total,
}: {
  readonly total: number;
  readonly perKey?: number;
}): Semaphore => {
  const used = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let inUse = 0;
  const usedBy = (key: string): number => used.get(key) ?? 0;
  const isFree = (key: string): boolean => inUse < total && usedBy(key) < perKey;

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
        waiting
          .values()
          .find((next) => isFree(next.key))
          ?.start();
      },
    };
  };

  return {
    acquire: async (signal, key = '') => {
      signal?.throwIfAborted();
      if (isFree(key)) return occupy(key);
      return await new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(entry);
          reject(signal?.reason);
        };
        const entry: Waiting = {
          key,
          start: () => {
            waiting.delete(entry);
            signal?.removeEventListener('abort', leave);
            resolve(occupy(key));
          },
        };
        waiting.add(entry);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    load: () => inUse + waiting.size,
  };
};
