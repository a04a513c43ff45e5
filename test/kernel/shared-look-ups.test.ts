import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedLookUps } from '#src/kernel/shared-look-ups.ts';

describe('look-ups that share queries', () => {
  it('collect the calls during a query into the next one, even if the query fails', async () => {
    const asked: (readonly string[])[] = [];
    const ends: PromiseWithResolvers<ReadonlyMap<string, number>>[] = [];
    const lookUp = sharedLookUps((keys) => {
      asked.push(keys);
      const end = Promise.withResolvers<ReadonlyMap<string, number>>();
      ends.push(end);
      return end.promise;
    });
    const first = lookUp('a');
    await new Promise(setImmediate);
    const [again, other] = [lookUp('a'), lookUp('b')];
    ends[0]?.reject(new Error('the database is away'));
    await assert.rejects(first);
    await new Promise(setImmediate);
    ends[1]?.resolve(new Map([['a', 1]]));
    assert.deepEqual([await again, await other], [1, undefined]);
    assert.deepEqual(asked, [['a'], ['a', 'b']]);
  });
});
