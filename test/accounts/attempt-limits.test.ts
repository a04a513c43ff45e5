import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Tally } from '#src/accounts/account-store.ts';
import { attempted, counted, forgiven, type Throttle } from '#src/accounts/attempt-limits.ts';

const minute = 60_000;
const throttle: Throttle = { limit: 5, windowMs: 15 * minute, firstWaitMs: minute, longestWaitMs: 60 * minute };

/** Fails at each of these times (milliseconds); says of each whether it was allowed, or how long to wait. */
const failing = (times: readonly number[], on: Throttle = throttle) => {
  let tally: Tally | null = null;
  return times.map((time) => {
    const attempt = attempted(tally, time, on);
    tally = attempt.tally;
    return attempt.isAllowed || attempt.retryAfterS;
  });
};

describe('wrong passwords', () => {
  it('are allowed five times, then have to wait', () => {
    assert.deepEqual(failing([0, 1, 2, 3, 4, 5]), [true, true, true, true, true, 60]);
  });

  it('double the wait each further time, up to an hour, and never lock permanently', () => {
    const waits: number[] = [];
    let tally: Tally | null = null;
    let now = 0;
    for (let failure = 0; failure < 16; failure += 1) {
      const attempt = attempted(tally, now, throttle);
      assert.ok(attempt.isAllowed);
      tally = attempt.tally;
      const wait = Math.max(0, tally.blockedUntil - now);
      waits.push(wait / minute);
      now += wait;
    }
    assert.deepEqual(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]);
  });

  it('are forgotten after a whole window without an attempt', () => {
    assert.deepEqual(failing([0, 0, 0, 0, 15 * minute, 15 * minute, 15 * minute, 15 * minute]), [
      ...[true, true, true, true],
      ...[true, true, true, true],
    ]);
  });

  it('are not counted if the password was right after all', () => {
    let tally: Tally | null = null;
    for (let success = 0; success < 20; success += 1) {
      const attempt = attempted(tally, success, throttle);
      assert.ok(attempt.isAllowed);
      tally = forgiven(attempt.tally);
    }
    assert.equal(tally?.count, 0);
  });
});

describe('a limit', () => {
  it('allows its number of attempts in a window that starts with the first one', () => {
    const limit = { limit: 3, windowMs: 1000 };
    let tally: Tally | null = null;
    const outcomes = [0, 100, 200, 300, 999, 1000, 1001].map((now) => {
      const next = counted(tally, now, limit);
      tally = next.tally;
      return next.isWithin;
    });
    assert.deepEqual(outcomes, [true, true, true, false, false, true, true]);
  });
});
