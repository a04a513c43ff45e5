import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sweepHostileValues } from '#test/support/hostile-values.ts';

describe('a value that programs trip over', () => {
  it('is no fault of the service in a parameter of any route: a sample', async () => {
    assert.deepEqual((await sweepHostileValues({ isWhole: false })).found, []);
  });
});
