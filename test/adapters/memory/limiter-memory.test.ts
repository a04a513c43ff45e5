import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryLimiter } from '#src/adapters/memory/limiter-memory.ts';
import type { Verdict } from '#src/kernel/limiter.ts';

const limiterAt = (state: { seconds: number }) => {
  const { consume, peek } = memoryLimiter({ clock: () => new Date(state.seconds * 1000) });
  return {
    peek,
    consume: (window: Parameters<typeof consume>[0]): Verdict => {
      const verdict = consume(window);
      assert.ok(!(verdict instanceof Promise));
      return verdict;
    },
  };
};
const window = { key: 'a', limit: 2, windowS: 60 };

describe('limits counted in this process', () => {
  it('allow as many as the limit and refuse the next', () => {
    const { consume } = limiterAt({ seconds: 120 });
    const verdicts = [1, 2, 3].map(() => consume(window));
    assert.deepEqual(
      verdicts.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
      [
        [true, 1],
        [true, 0],
        [false, 0],
      ],
    );
  });

  it('start again when the clock enters the next window', () => {
    const state = { seconds: 179.9 };
    const { consume } = limiterAt(state);
    assert.deepEqual(consume(window), { isAllowed: true, limit: 2, remaining: 1, resetAt: 180, resetInS: 1 });
    state.seconds = 180.1;
    const { remaining, resetAt, resetInS } = consume(window);
    assert.deepEqual([remaining, resetAt, resetInS], [1, 240, 60]);
  });

  it('recover within a window after the clock was set back', () => {
    const state = { seconds: 7_300 };
    const { consume } = limiterAt(state);
    consume(window);
    consume(window);
    assert.equal(consume(window).isAllowed, false);
    state.seconds = 100;
    assert.equal(consume(window).isAllowed, true);
  });

  it('are read without being counted', () => {
    const { consume, peek } = limiterAt({ seconds: 0 });
    consume(window);
    assert.equal(peek(window).remaining, 1);
    assert.equal(peek(window).remaining, 1);
  });

  it('keep windows of different lengths apart', () => {
    const { consume } = limiterAt({ seconds: 0 });
    consume(window);
    assert.equal(consume({ ...window, windowS: 3_600 }).remaining, 1);
  });

  it('stay bounded: above 100,000 keys in a window new ones share a counter', () => {
    const { consume } = limiterAt({ seconds: 0 });
    for (let at = 0; at < 100_000; at += 1) consume({ ...window, key: `k${at}` });
    assert.equal(consume({ ...window, key: 'x' }).remaining, 1);
    assert.equal(consume({ ...window, key: 'y' }).remaining, 0);
    assert.equal(consume({ ...window, key: 'k1' }).remaining, 0);
  });
});
