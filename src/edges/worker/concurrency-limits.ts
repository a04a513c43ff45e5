/**
 * Limits how much work with the same concurrency key (a receiver, an account) runs at the same time in this process.
 * `limitOf`: how much work with a key may run at the same time.
 */
export const concurrencyLimits = (limitOf: (key: string) => number) => {
  const counts = new Map<string, number>();
  const isExhausted = (key: string): boolean => (counts.get(key) ?? 0) >= limitOf(key);
  const release = (key: string): void => {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  return {
    /** Null: one of the keys is at its limit. Disposing the result releases the keys. */
    tryAcquire: (keys: readonly string[]): Disposable | null => {
      if (keys.some(isExhausted)) return null;
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      return {
        [Symbol.dispose]: () => {
          for (const key of keys) release(key);
        },
      };
    },
    /** The keys that are at their limit now. */
    exhausted: (): string[] => [...counts.keys()].filter(isExhausted),
  };
};

export type ConcurrencyLimits = ReturnType<typeof concurrencyLimits>;
