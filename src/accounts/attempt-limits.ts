import { createHmac } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { KeyRing } from '../kernel/key-ring.ts';
import type { AccountStore, Tally } from './account-store.ts';

/** At most `limit` attempts within `windowMs`, counted from the first one. */
export type Limit = { readonly limit: number; readonly windowMs: number };

/** No attempts. `now`: Unix milliseconds. */
export const emptyTally = (now: number): Tally => ({ count: 0, startedAt: now, blockedUntil: 0 });

/** The tally at `now`: empty after the end of its window. */
export const current = (tally: Tally | null, now: number, { windowMs }: Limit): Tally =>
  tally === null || now >= Math.max(tally.startedAt, tally.blockedUntil) + windowMs ? emptyTally(now) : tally;

/** Counts one attempt. A refused attempt counts too, and the window does not move. */
export const counted = (
  tally: Tally | null,
  now: number,
  limit: Limit,
): { readonly tally: Tally; readonly isWithin: boolean } => {
  const seen = current(tally, now, limit);
  const next = { ...seen, count: Math.min(seen.count + 1, limit.limit + 1) };
  return { tally: next, isWithin: next.count <= limit.limit };
};

type BucketKind = 'registration' | 'reset' | 'deed' | 'sign-in' | 'allowance';

/** The stored name of a bucket. What it counts by can be an address, so only the HMAC of it is stored. */
export const bucketOf = (kind: BucketKind, key: Uint8Array, name: string): string =>
  `${kind} ${createHmac('sha256', key).update(name).digest('base64url')}`;

/** `bucket`: what it counts by. */
export type Counter = Limit & { readonly bucket: string };

/** Counts one attempt in each of these buckets; false when one of them is over its limit. */
export const countAttempt = (
  deps: { readonly store: Pick<AccountStore, 'changeTallies'>; readonly mailboxKeys: KeyRing; readonly clock: Clock },
  kind: BucketKind,
  counters: readonly Counter[],
): Promise<boolean> => {
  const buckets = counters.map(({ bucket }) => bucketOf(kind, deps.mailboxKeys.current.bytes, bucket));
  const now = deps.clock().getTime();
  return deps.store.changeTallies(buckets, (tallies) => {
    const next = counters.map((counter, index) => counted(tallies[index] ?? null, now, counter));
    return { tallies: next.map(({ tally }) => tally), result: next.every((one) => one.isWithin) };
  });
};

/** After `limit` failures each further attempt has to wait, doubling from `firstWaitMs` to `longestWaitMs`. */
export type Throttle = Limit & { readonly firstWaitMs: number; readonly longestWaitMs: number };

export type Attempt =
  | { readonly isAllowed: true; readonly tally: Tally }
  | { readonly isAllowed: false; readonly tally: Tally; readonly retryAfterS: number };

/**
 * Counts an attempt as a failure before its outcome is known, so that parallel guesses get no more attempts than
 * sequential ones; `forgiven` takes a success back.
 */
export const attempted = (tally: Tally | null, now: number, throttle: Throttle): Attempt => {
  const seen = current(tally, now, throttle);
  if (seen.blockedUntil > now) {
    const retryAfterS = Math.ceil((seen.blockedUntil - now) / 1000);
    return { isAllowed: false, tally: seen, retryAfterS };
  }
  const count = seen.count + 1;
  const over = count - throttle.limit;
  const waitMs = over < 0 ? 0 : Math.min(throttle.firstWaitMs * 2 ** Math.min(over, 30), throttle.longestWaitMs);
  return { isAllowed: true, tally: { ...seen, count, blockedUntil: waitMs && now + waitMs } };
};

/** Removes one attempt and ends the wait. */
export const forgiven = (tally: Tally): Tally => ({ ...tally, count: Math.max(0, tally.count - 1), blockedUntil: 0 });
