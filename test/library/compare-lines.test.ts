import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareLines } from '#src/library/compare-lines.ts';

const linesOf = (texts: readonly string[]) => texts.map((text) => ({ text }));

/** The length of the longest sequence that both have, by the textbook's table. */
const commonLength = (a: readonly string[], b: readonly string[]): number => {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (const [i, left] of a.entries()) {
    for (const [j, right] of b.entries()) {
      (table[i + 1] ?? [])[j + 1] = left === right ? at(i, j) + 1 : Math.max(at(i, j + 1), at(i + 1, j));
    }
  }
  return at(a.length, b.length);
};

describe('the lines that differ between two versions', () => {
  it('are as few as possible', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 9 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const changes = compareLines(linesOf(before), linesOf(after));
        assert.equal(changes.length, before.length + after.length - 2 * commonLength(before, after));
        const removed = changes.filter(({ change }) => change === 'removed').map(({ line }) => line.text);
        assert.equal(removed.length, before.length - commonLength(before, after));
      }),
    );
  });

  it('are all lines if more than a thousand differ', () => {
    const before = linesOf(['same', ...Array.from({ length: 700 }, (_, at) => `before ${at}`), 'end']);
    const after = linesOf(['same', ...Array.from({ length: 700 }, (_, at) => `after ${at}`), 'end']);
    assert.equal(compareLines(before, after).length, 1_400);
  });
});
