/** So many at the same time, first come, first served; who waits gives up when its signal aborts. */
export type Permits = {
  take(signal: AbortSignal): Promise<Disposable>;
};

export const permits = (count: number): Permits => {
  const waiting = new Set<() => void>();
  let free = count;
  const permit = (): Disposable => {
    let isBack = false;
    return {
      [Symbol.dispose]: () => {
        if (isBack) return;
        isBack = true;
        const [next] = waiting;
        if (next === undefined) free += 1;
        else next();
      },
    };
  };
  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return permit();
      }
      return await new Promise((resolve, reject) => {
        const go = () => {
          waiting.delete(go);
          signal.removeEventListener('abort', leave);
          resolve(permit());
        };
        const leave = () => {
          waiting.delete(go);
          reject(signal.reason);
        };
        waiting.add(go);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
};
