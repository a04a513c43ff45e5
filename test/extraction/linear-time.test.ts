import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { captionAddress } from '#src/extraction/captions/timedtext.ts';
import { assertFast, parsers } from '#test/support/linear-time.ts';

describe('the time to parse input from the platform', () => {
  it('grows with the length of the input', () => {
    // At one nanosecond for each pair of characters, a quadratic parser takes 400 ms. The slowest linear one takes a tenth.
    for (const parse of Object.values(parsers)) assertFast(parse, 20_000, 300);
  });

  it('is not spent on a caption address that is too long', () => {
    const address = captionAddress(`/api/timedtext?${'&a'.repeat(10_000)}`, {
      videoId: 'lighthouse1',
      format: 'json3',
    });
    assert.deepEqual(address, { kind: 'foreign' });
  });
});
