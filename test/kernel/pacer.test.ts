import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedMs } from '#src/kernel/clock.ts';
import { pacer } from '#src/kernel/pacer.ts';

async function* numbers(count: number): AsyncIterable<number> {
  for (let n = 0; n < count; n += 1) yield n;
}

/** Keeps the process busy for so long (ms). */
const work = (ms: number): void => {
  for (const end = elapsedMs() + ms; elapsedMs() < end; ) {}
};

describe('values at a pace', () => {
  it('are the same, in order, with rests that leave the consumer its share of the time', async () => {
    const pace = pacer({ share: 0.25, signal: AbortSignal.timeout(60_000) });
    const read: number[] = [];
    let workedMs = 0;
    const begunMs = elapsedMs();
    for await (const n of pace.paced(numbers(9))) {
      const fromMs = elapsedMs();
      work(10);
      workedMs += elapsedMs() - fromMs;
      read.push(n);
    }
    assert.deepEqual(read, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // The last stretch may not have been long enough for a rest.
    assert.ok(pace.restedMs() >= (workedMs - 20) * 3);
    assert.ok(elapsedMs() - begunMs >= pace.restedMs() + workedMs);
  });

  it('rest between lists that are short too', async () => {
    const pace = pacer({ share: 0.5, signal: AbortSignal.timeout(60_000) });
    for (let list = 0; list < 5; list += 1) for await (const _ of pace.paced(numbers(1))) work(15);
    assert.ok(pace.restedMs() >= 30);
  });

  it('end a rest when they are no longer wanted', async () => {
    const closing = new AbortController();
    const pace = pacer({ share: 0.000_01, signal: closing.signal });
    const reading = async () => {
      for await (const _ of pace.paced(numbers(2))) {
        work(25);
        setTimeout(() => closing.abort(), 10);
      }
    };
    await assert.rejects(reading(), { name: 'AbortError' });
  });
});
