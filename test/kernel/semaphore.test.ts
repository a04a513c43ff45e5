import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Semaphore, semaphore } from '#src/kernel/semaphore.ts';

const never = new AbortController().signal;

/** Takes a permit and says, whenever it is asked, whether it has it. */
const taking = (from: Semaphore, signal = never) => {
  let held: Disposable | null = null;
  const taken = from.acquire(signal).then((permit) => {
    held = permit;
    return permit;
  });
  taken.catch(() => undefined);
  return { taken, isHeld: () => held !== null };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a semaphore', () => {
  it('limits calls, granted in order of request', async () => {
    const two = semaphore({ total: 2 });
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

  it('takes a permit back once, however often it is released', async () => {
    const one = semaphore({ total: 1 });
    const permit = await one.acquire(never);
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

  it('skips waiters that have aborted, and rejects a caller that aborted before', async () => {
    const one = semaphore({ total: 1 });
    const permit = await one.acquire(never);
    const leaving = new AbortController();
    const [gone, next] = [taking(one, leaving.signal), taking(one)];
    leaving.abort(new Error('no more'));
    await assert.rejects(gone.taken, /no more/);
    permit[Symbol.dispose]();
    await turn();
    assert.equal(next.isHeld(), true);
    (await next.taken)[Symbol.dispose]();
    await assert.rejects(one.acquire(leaving.signal), /no more/);
    await one.acquire(never);
  });

  it('limits calls per key and in total, and a call that aborts frees its place', async () => {
    const limit = semaphore({ total: 3, perKey: 2 });
    const { signal } = new AbortController();
    const first = await limit.acquire(signal, 'a');
    await limit.acquire(signal, 'a');
    let isTaken = false;
    const third = limit.acquire(signal, 'a').then((permit) => {
      isTaken = true;
      return permit;
    });
    const leaving = new AbortController();
    const other = await limit.acquire(signal, 'b');
    const left = limit.acquire(leaving.signal, 'c');
    leaving.abort(new Error('left'));
    await assert.rejects(left, /left/);
    assert.equal(isTaken, false);
    other[Symbol.dispose]();
    assert.equal(isTaken, false);
    first[Symbol.dispose]();
    await third;
  });

  it('serves keys in turn, and the calls of each in order', async () => {
    const limit = semaphore({ total: 1 });
    const first = await limit.acquire(never, 'a');
    const order: string[] = [];
    const calls = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
      using _ = await limit.acquire(never, name.charAt(0));
      order.push(name);
    });
    first[Symbol.dispose]();
    await Promise.all(calls);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('grants a permit at once, or none', () => {
    const limit = semaphore({ total: 2, perKey: 1 });
    const first = limit.tryAcquire('a');
    assert.equal(limit.tryAcquire('a'), null);
    assert.notEqual(limit.tryAcquire('b'), null);
    first?.[Symbol.dispose]();
    assert.notEqual(limit.tryAcquire('a'), null);
    assert.equal(limit.tryAcquire('c'), null);
  });
});
