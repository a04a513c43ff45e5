import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '#src/kernel/refusal.ts';

describe('a refusal', () => {
  it('takes no stack, and leaves faults theirs', () => {
    assert.equal(new Refusal('NOT_FOUND', 'no').stack, 'Refusal: no');
    assert.match(new Error('a fault').stack ?? '', /refusal\.test\.ts/);
  });

  it('says what it was given, and nothing where it was given nothing', () => {
    const { code, message, details, retryAfterS } = new Refusal('NOT_FOUND', 'no', { a: 1 }, 7);
    assert.deepEqual([code, message, details, retryAfterS], ['NOT_FOUND', 'no', { a: 1 }, 7]);
    const bare = new Refusal('NOT_FOUND', 'no');
    assert.deepEqual([bare.details, bare.retryAfterS], [null, null]);
  });
});
