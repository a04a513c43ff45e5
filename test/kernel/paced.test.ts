import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedMs } from '#src/kernel/clock.ts';
import { paced } from '#src/kernel/paced.ts';

async function* numbers(count: number): AsyncIterable<number> {
  for (let n = 0; n < count; n += 1) yield n;
}

/** Keeps the process busy for so long (ms). */
const work = (ms: number): void => {
  for (const end = elapsedMs() + ms; elapsedMs() < end; ) {}
};

describe('values at a pace', () => {
  it('are the same, in order, with rests that leave the consumer its share of the time', async () => {
    const read: number[] = [];
    let workedMs = 0;
    const begunMs = elapsedMs();
    for await (const n of paced(numbers(9), { share: 0.25, signal: AbortSignal.timeout(60_000) })) {
      const fromMs = elapsedMs();
      work(10);
      workedMs += elapsedMs() - fromMs;
      read.push(n);
    }
    assert.deepEqual(read, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // Of the nine stretches, the last may not have been long enough for a rest.
    assert.ok(elapsedMs() - begunMs >= (workedMs - 10) * 3);
  });

  it('end a rest when they are no longer wanted', async () => {
    const closing = new AbortController();
    const reading = async () => {
      for await (const _ of paced(numbers(2), { share: 0.000_01, signal: closing.signal })) {
        work(25);
        setTimeout(() => closing.abort(), 10);
      }
    };
    await assert.rejects(reading(), { name: 'AbortError' });
  });
});
