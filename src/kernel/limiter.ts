/** What one look at a window said. Times are Unix seconds. */
export type Verdict = {
  readonly isAllowed: boolean;
  readonly limit: number;
  /** How many are left in the window, never below 0. */
  readonly remaining: number;
  /** When the window ends and a new one begins. */
  readonly resetAt: number;
  /** Whole seconds until then, at least 1. */
  readonly resetInS: number;
};

type LimitWindow = { readonly key: string; readonly limit: number; readonly windowS: number };

/**
 * Counts in windows that are aligned to the clock: every minute (or hour, or day) begins at 0, for everybody
 * at the same time. The port of the limiter adapters; it never throws, whatever happens to its store.
 */
export type Limiter = {
  /** Counts one in the present window of `key`. What is above `limit` is refused and counted too. */
  consume(window: LimitWindow): Verdict | Promise<Verdict>;
  /** The same answer without counting, from what this process knows: no I/O. */
  peek(window: LimitWindow): Verdict;
};

/** The verdict on the `count`-th request of the window that ends at `resetAt`, asked at `nowS` (Unix seconds). */
export const verdictOf = (
  { count, limit }: { readonly count: number; readonly limit: number },
  resetAt: number,
  nowS: number,
): Verdict => ({
  isAllowed: count <= limit,
  limit,
  remaining: Math.max(limit - count, 0),
  resetAt,
  resetInS: Math.max(Math.ceil(resetAt - nowS), 1),
});
