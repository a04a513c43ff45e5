import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '#src/kernel/refusal.ts';

describe('a refusal', () => {
  it('takes no stack, and leaves faults theirs', () => {
    assert.equal(new Refusal('NOT_FOUND', 'no').stack, 'Refusal: no');
    assert.match(new Error('a fault').stack ?? '', /refusal\.test\.ts/);
  });
});
