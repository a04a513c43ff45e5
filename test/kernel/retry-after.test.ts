import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfterMsOf } from '#src/kernel/retry-after.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');

describe('Retry-After', () => {
  const cases: readonly (readonly [string | null, number | null])[] = [
    [null, null],
    ['0', 0],
    [' 120 ', 120_000],
    ['99999999999', 30 * 24 * 3_600_000],
    ['Sat, 21 Nov 2026 10:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 09:59:00 GMT', null],
    ['-5', null],
    ['soon', null],
  ];
  for (const [value, expected] of cases) {
    it(`reads ${value} as ${expected} ms`, () => {
      assert.equal(retryAfterMsOf(value, nowMs), expected);
    });
  }
});
