import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Slots, slots } from '#src/kernel/slots.ts';

const never = new AbortController().signal;

/** Takes a permit and says, whenever it is asked, whether it has it. */
const taking = (from: Slots, signal = never) => {
  let held: Disposable | null = null;
  const taken = from.take(signal).then((permit) => {
    held = permit;
    return permit;
  });
  taken.catch(() => undefined);
  return { taken, isHeld: () => held !== null };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are limited in number, granted in order of request', async () => {
    const two = slots({ total: 2 });
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => taking(two));
    assert(first && second && third && fourth);
    await turn();
    assert.deepEqual(
      [first, second, third, fourth].map(({ isHeld }) => isHeld()),
      [true, true, false, false],
    );
    (await second.taken)[Symbol.dispose]();
    await turn();
    assert.deepEqual([third.isHeld(), fourth.isHeld()], [true, false]);
  });

  it('are given back once, however often it is released', async () => {
    const one = slots({ total: 1 });
    const permit = await one.take(never);
    const [next, last] = [taking(one), taking(one)];
    permit[Symbol.dispose]();
    permit[Symbol.dispose]();
    await turn();
    assert.deepEqual([next.isHeld(), last.isHeld()], [true, false]);
    (await next.taken)[Symbol.dispose]();
    (await last.taken)[Symbol.dispose]();
    const [free, waits] = [taking(one), taking(one)];
    await turn();
    assert.deepEqual([free.isHeld(), waits.isHeld()], [true, false]);
  });

  it('skip waiters that have aborted, and reject a caller that aborted before', async () => {
    const one = slots({ total: 1 });
    const permit = await one.take(never);
    const leaving = new AbortController();
    const [gone, next] = [taking(one, leaving.signal), taking(one)];
    leaving.abort(new Error('no more'));
    await assert.rejects(gone.taken, /no more/);
    permit[Symbol.dispose]();
    await turn();
    assert.equal(next.isHeld(), true);
    (await next.taken)[Symbol.dispose]();
    await assert.rejects(one.take(leaving.signal), /no more/);
    await one.take(never);
  });

  it('are limited for each key and for all together, and a call that aborts frees its place', async () => {
    const limit = slots({ total: 3, perKey: 2 });
    const { signal } = new AbortController();
    const first = await limit.take(signal, 'a');
    await limit.take(signal, 'a');
    let isTaken = false;
    const third = limit.take(signal, 'a').then((slot) => {
      isTaken = true;
      return slot;
    });
    const leaving = new AbortController();
    const other = await limit.take(signal, 'b');
    const left = limit.take(leaving.signal, 'c');
    leaving.abort(new Error('left'));
    await assert.rejects(left, /left/);
    assert.equal(isTaken, false);
    other[Symbol.dispose]();
    assert.equal(isTaken, false);
    first[Symbol.dispose]();
    await third;
  });
});
