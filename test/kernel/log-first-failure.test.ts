import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logFirstFailure } from '#src/kernel/log-first-failure.ts';

describe('consecutive failures', () => {
  it('are logged once, and again after a success', () => {
    const heard: unknown[] = [];
    const told = logFirstFailure((error) => heard.push(error));
    told.failed('first');
    told.failed('second');
    told.succeeded();
    told.failed('third');
    assert.deepEqual(heard, ['first', 'third']);
  });
});
