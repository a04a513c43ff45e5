/** How often something was tried in a bucket; times in Unix milliseconds. */
export type Tally = {
  readonly count: number;
  readonly startedAt: number;
  readonly blockedUntil: number;
};

/** At most `limit` tries within `windowMs`, counted from the first one. */
export type Limit = { readonly limit: number; readonly windowMs: number };

export const emptyTally = (now: number): Tally => ({ count: 0, startedAt: now, blockedUntil: 0 });

/** The tally as of now: a window that is over counts nothing. */
export const current = (tally: Tally | null, now: number, { windowMs }: Limit): Tally =>
  tally === null || now >= Math.max(tally.startedAt, tally.blockedUntil) + windowMs
    ? emptyTally(now)
    : tally;

/** One more try. It stands in the tally also when it is refused, and the window does not move. */
export const counted = (
  tally: Tally | null,
  now: number,
  limit: Limit,
): { readonly tally: Tally; readonly isWithin: boolean } => {
  const seen = current(tally, now, limit);
  const next = { ...seen, count: Math.min(seen.count + 1, limit.limit + 1) };
  return { tally: next, isWithin: next.count <= limit.limit };
};

/** After `limit` failures each further one waits, doubling from `firstWaitMs` to `longestWaitMs`; never for good. */
export type Throttle = Limit & { readonly firstWaitMs: number; readonly longestWaitMs: number };

export type Attempt =
  | { readonly isAllowed: true; readonly tally: Tally }
  | { readonly isAllowed: false; readonly tally: Tally; readonly retryAfterS: number };

/**
 * Counts an attempt as a failure before its outcome is known, so that parallel guesses get no more tries
 * than guesses one after the other; a success takes it back (`forgiven`).
 */
export const attempted = (tally: Tally | null, now: number, throttle: Throttle): Attempt => {
  const seen = current(tally, now, throttle);
  if (seen.blockedUntil > now) {
    const retryAfterS = Math.ceil((seen.blockedUntil - now) / 1000);
    return { isAllowed: false, tally: seen, retryAfterS };
  }
  const count = seen.count + 1;
  const over = count - throttle.limit;
  const waitMs =
    over < 0 ? 0 : Math.min(throttle.firstWaitMs * 2 ** Math.min(over, 30), throttle.longestWaitMs);
  return { isAllowed: true, tally: { ...seen, count, blockedUntil: waitMs && now + waitMs } };
};

/** One attempt less, and no wait. */
export const forgiven = (tally: Tally): Tally => ({
  ...tally,
  count: Math.max(0, tally.count - 1),
  blockedUntil: 0,
});
