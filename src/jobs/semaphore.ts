/**
 * A counting semaphore with a FIFO queue. A waiter leaves the queue when its signal aborts, which p-limit does not
 * support.
 */
export type Semaphore = {
  acquire(signal: AbortSignal): Promise<Disposable>;
};

export const semaphore = (count: number): Semaphore => {
  const waiting = new Set<() => void>();
  let free = count;
  const permit = (): Disposable => {
    let isReleased = false;
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        const [next] = waiting;
        if (next === undefined) free += 1;
        else next();
      },
    };
  };
  return {
    acquire: async (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return permit();
      }
      return await new Promise((resolve, reject) => {
        const proceed = () => {
          waiting.delete(proceed);
          signal.removeEventListener('abort', leave);
          resolve(permit());
        };
        const leave = () => {
          waiting.delete(proceed);
          reject(signal.reason);
        };
        waiting.add(proceed);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
};
