import { alone, deathsUntilAlone, deathsUntilGivenUp, metBy } from '../../kernel/work.ts';

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

/**
 * Leaves what is under suspicion until this process has lived for a while, twice as long for each further death: one that
 * ends sooner, whatever it ends of, says nothing of it then. A few of these in a row would find the innocent guilty.
 */
export const keepingOff = (shared: Turns, ms: number): Disposable => {
  const timers = new DisposableStack();
  for (let deaths = deathsUntilAlone; deaths < deathsUntilGivenUp; deaths += 1) {
    const more = deaths - deathsUntilAlone;
    const turn = shared.take([more === 0 ? alone : metBy(deaths)]);
    const timer = setTimeout(() => turn?.[Symbol.dispose](), ms * 2 ** more);
    timer.unref();
    timers.defer(() => clearTimeout(timer));
  }
  return timers;
};
