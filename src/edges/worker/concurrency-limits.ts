/** Limits how much work with the same concurrency key (a receiver, an account) runs at the same time in this process. */
export type ConcurrencyLimits = {
  /** Null: one of the keys is at its limit. */
  tryAcquire(keys: readonly string[]): Disposable | null;
  /** The keys that are at their limit now. */
  exhausted(): string[];
};

/** `limitOf`: how much work with a key may run at the same time. Disposing what `tryAcquire` returned releases it. */
export const concurrencyLimits = (limitOf: (key: string) => number): ConcurrencyLimits => {
  const counts = new Map<string, number>();
  const isExhausted = (key: string): boolean => (counts.get(key) ?? 0) >= limitOf(key);
  const release = (key: string): void => {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  return {
    tryAcquire: (keys) => {
      if (keys.some(isExhausted)) return null;
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      return {
        [Symbol.dispose]: () => {
          for (const key of keys) release(key);
        },
      };
    },
    exhausted: () => [...counts.keys()].filter(isExhausted),
  };
};
