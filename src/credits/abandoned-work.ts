import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';

/** The most credits of abandoned work of one caller. */
export type AbandonedWorkLimits = { readonly creditsPerMinute: number; readonly creditsPerDay: number };

/** Counters of all processes. It throws when its store does not answer. */
export type AbandonedWorkStore = {
  /** Adds credits to each of these counters. */
  readonly add: (counters: readonly string[], credits: number, now: Date) => Promise<void>;
  /** What each of these counters holds. */
  readonly read: (counters: readonly string[]) => Promise<readonly number[]>;
};

/**
 * A budget of each caller for work that is begun and then abandoned: an extract that was under way, a model or a recognizer of
 * speech that was asked, an operation of a job that was cancelled. It is not charged and costs the service all the same, so it
 * counts by the credits that it would have cost, per minute and per UTC day.
 */
export type AbandonedWork = ReturnType<typeof abandonedWork>;

export const abandonedWork = ({
  store,
  clock,
  limits,
}: {
  readonly store: AbandonedWorkStore;
  readonly clock: Clock;
  readonly limits: AbandonedWorkLimits;
}) => {
  const windows = [
    { name: 'minute', windowS: 60, limit: limits.creditsPerMinute },
    { name: 'day', windowS: 86_400, limit: limits.creditsPerDay },
  ] as const;
  const countersOf = (caller: string, nowS: number): string[] =>
    windows.map(({ name, windowS }) => `${name} ${Math.floor(nowS / windowS)} ${caller}`);

  return {
    /** Throws RATE_LIMITED while the budget of a minute or of a day is used up. */
    check: async (caller: string): Promise<void> => {
      const nowS = clock().getTime() / 1_000;
      const used = await store.read(countersOf(caller, nowS));
      // The day first: who has used up both waits for its end.
      for (const [at, { name, windowS, limit }] of [...windows.entries()].reverse()) {
        if ((used[at] ?? 0) < limit) continue;
        const reset = (Math.floor(nowS / windowS) + 1) * windowS;
        const waitS = Math.max(1, Math.ceil(reset - nowS));
        throw new Refusal(
          'RATE_LIMITED',
          `Work worth ${limit} credits was started and then abandoned in this ${name}. The next ${name} begins in ${waitS} s.`,
          { policy: 'abandoned', limit, reset },
          waitS,
        );
      }
    },
    /** Counts work that was begun for a caller and is not charged. */
    record: async (caller: string, credits: number): Promise<void> => {
      if (credits <= 0) return;
      const now = clock();
      await store.add(countersOf(caller, now.getTime() / 1_000), credits, now);
    },
  };
};
