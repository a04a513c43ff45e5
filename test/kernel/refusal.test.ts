import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '#src/kernel/refusal.ts';

describe('a refusal', () => {
  it('captures no stack trace, while faults keep theirs', () => {
    assert.equal(new Refusal('NOT_FOUND', 'no').stack, 'Refusal: no');
    assert.match(new Error('a fault').stack ?? '', /refusal\.test\.ts/);
  });

  it('has the details that it was given, or none', () => {
    const { code, message, details, retryAfterS } = new Refusal('NOT_FOUND', 'no', { a: 1 }, 7);
    assert.deepEqual([code, message, details, retryAfterS], ['NOT_FOUND', 'no', { a: 1 }, 7]);
    const bare = new Refusal('NOT_FOUND', 'no');
    assert.deepEqual([bare.details, bare.retryAfterS], [null, null]);
  });
});
