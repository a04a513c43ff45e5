/** A line that only one of two versions has. Its time is that of the version that has it. */
export type LineChange<Line> = { readonly change: 'removed' | 'added'; readonly line: Line };

/** Beyond so many differences, what stands between the common beginning and end counts as replaced. */
const mostEdits = 1_000;

/**
 * The lines that differ, in their order: those that were removed before those that came in their place. Lines are the same
 * where their texts are, whatever their times. The shortest script of edits, by the algorithm of Myers.
 */
export const compareLines = <Line extends { readonly text: string }>(
  before: readonly Line[],
  after: readonly Line[],
): LineChange<Line>[] => {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start]?.text === after[start]?.text) start += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before.at(-1 - same)?.text === after.at(-1 - same)?.text) same += 1;
  const old = before.slice(start, before.length - same);
  const young = after.slice(start, after.length - same);
  const kept = commonLines(old, young);
  const changes: LineChange<Line>[] = [];
  let [from, to] = [0, 0];
  for (const [left, right] of [...kept, [old.length, young.length] as const]) {
    changes.push(...old.slice(from, left).map((line) => ({ change: 'removed' as const, line })));
    changes.push(...young.slice(to, right).map((line) => ({ change: 'added' as const, line })));
    [from, to] = [left + 1, right + 1];
  }
  return changes;
};

/** Pairs of places of lines that both have, ascending. */
const commonLines = (
  old: readonly { readonly text: string }[],
  young: readonly { readonly text: string }[],
): (readonly [number, number])[] => {
  const reached: Int32Array[] = [];
  const middle = mostEdits + 1;
  let ends = new Int32Array(2 * mostEdits + 3);
  for (let edits = 0; edits <= Math.min(mostEdits, old.length + young.length); edits += 1) {
    reached.push(ends.slice(middle - edits - 1, middle + edits + 2));
    ends = ends.slice();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let left = reachedBy(ends, middle, diagonal, edits).furthest;
      let right = left - diagonal;
      while (left < old.length && right < young.length && old[left]?.text === young[right]?.text) {
        left += 1;
        right += 1;
      }
      ends[middle + diagonal] = left;
      if (left >= old.length && right >= young.length) return walkBack(reached, old.length, young.length);
    }
  }
  return [];
};

/** How far in the old lines a diagonal is reached by one more edit: a line that is removed, or one that is added. */
const reachedBy = (ends: Int32Array, middle: number, diagonal: number, edits: number) => {
  const [below, above] = [ends[middle + diagonal - 1] ?? 0, ends[middle + diagonal + 1] ?? 0];
  const isAdded = diagonal === -edits || (diagonal !== edits && below < above);
  return { isAdded, furthest: isAdded ? above : below + 1 };
};

const walkBack = (reached: readonly Int32Array[], oldLength: number, youngLength: number): [number, number][] => {
  const pairs: [number, number][] = [];
  let [left, right] = [oldLength, youngLength];
  for (let edits = reached.length - 1; edits >= 0; edits -= 1) {
    const ends = reached[edits] ?? new Int32Array(0);
    const diagonal = left - right;
    const { isAdded, furthest } = reachedBy(ends, edits + 1, diagonal, edits);
    const from = edits === 0 ? 0 : furthest;
    while (left > from && right > from - diagonal) {
      left -= 1;
      right -= 1;
      pairs.push([left, right]);
    }
    if (edits === 0) break;
    if (isAdded) right -= 1;
    else left -= 1;
  }
  return pairs.reverse();
};
