import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toldOnce } from '#src/kernel/told-once.ts';

describe('failures in a row', () => {
  it('are told once, and again after it went well', () => {
    const heard: unknown[] = [];
    const told = toldOnce((error) => heard.push(error));
    told.failed('first');
    told.failed('second');
    told.succeeded();
    told.failed('third');
    assert.deepEqual(heard, ['first', 'third']);
  });
});
