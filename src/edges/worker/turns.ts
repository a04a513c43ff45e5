/** How much work that uses one thing (a receiver, an account) goes on at the same time in this process. */
export type Turns = {
  /** Null: something that the work uses has no turn left. */
  take(uses: readonly string[]): Disposable | null;
  /** What has no turn left now. */
  taken(): string[];
};

export const turns = (limitOf: (use: string) => number): Turns => {
  const counts = new Map<string, number>();
  const isTaken = (use: string): boolean => (counts.get(use) ?? 0) >= limitOf(use);
  const give = (use: string): void => {
    const left = (counts.get(use) ?? 0) - 1;
    if (left > 0) counts.set(use, left);
    else counts.delete(use);
  };
  return {
    take: (uses) => {
      if (uses.some(isTaken)) return null;
      for (const use of uses) counts.set(use, (counts.get(use) ?? 0) + 1);
      return {
        [Symbol.dispose]: () => {
          for (const use of uses) give(use);
        },
      };
    },
    taken: () => [...counts.keys()].filter(isTaken),
  };
};
