import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sweepHostileValues } from '#test/support/hostile-values.ts';

describe('every value that programs trip over', () => {
  it('is no fault of the service in any parameter of any route', async () => {
    const { found, sent } = await sweepHostileValues({ isWhole: true });
    assert.deepEqual(found, []);
    assert.ok(sent > 5_000, `${sent} requests`);
  });
});
