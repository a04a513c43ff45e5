import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoizeByObject, once } from '#src/kernel/memoize.ts';

describe('a result that is kept', () => {
  it('is computed by the first call alone, also if it is a rejected promise', async () => {
    let calls = 0;
    const fail = once(() => Promise.reject(new Error(`call ${++calls}`)));
    assert.equal(calls, 0);
    await assert.rejects(fail(), { message: 'call 1' });
    await assert.rejects(fail(), { message: 'call 1' });
  });

  it('is computed once for each object, also if it is undefined', () => {
    const computed: object[] = [];
    const compute = memoizeByObject((from: object) => {
      computed.push(from);
      return undefined;
    });
    const [one, other] = [{}, {}];
    for (const from of [one, other, one]) assert.equal(compute(from), undefined);
    assert.deepEqual(computed, [one, other]);
  });
});
