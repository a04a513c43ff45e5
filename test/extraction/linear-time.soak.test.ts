import { describe, it } from 'node:test';
import { assertFast, parsers } from '#test/support/linear-time.ts';

/**
 * The slowest linear parser takes a tenth of this. A quadratic one takes over ten times as long, at one nanosecond for
 * each pair of characters.
 */
const maxMs = 1_500;

/** The second is the length that counts. At the first, most quadratic parsers fail within seconds. */
const lengths = [80_000, 320_000];

describe('the time to parse long input from the platform', () => {
  for (const [name, parse] of Object.entries(parsers)) {
    it(`grows with the length of the input: ${name}`, () => {
      for (const length of lengths) assertFast(parse, length, maxMs);
    });
  }
});
