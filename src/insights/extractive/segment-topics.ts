import { checkCancelled } from './cancellation.ts';

/** The best places to cut a sequence of blocks of words, and the cost of having so many parts. */
export type Segmentation = { readonly starts: readonly number[]; readonly cost: number };

/** Words of each block as numbers from 0. */
type Blocks = readonly (readonly number[])[];

/** Whether blocks from one to before another are long enough for a part. */
type MayBe = (from: number, to: number) => boolean;

/** `cost[i][j]`: minus the log likelihood of blocks i to j as one topic, by Laplace's rule. */
const costs = (blocks: Blocks, vocabulary: number, mayBe: MayBe) => {
  const size = blocks.length;
  const longest = Math.max(1, ...blocks.map((block) => block.length));
  const total = blocks.reduce((sum, block) => sum + block.length, 0) + longest;
  const logs = Float64Array.from({ length: total + vocabulary + 2 }, (_, at) => Math.log(at));
  const counts = new Int32Array(vocabulary);
  return Array.from({ length: size }, (_, from) => {
    checkCancelled();
    const row = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY);
    counts.fill(0);
    let [length, likelihood] = [0, 0];
    for (let to = from + 1; to <= size; to += 1) {
      for (const word of blocks[to - 1] ?? []) {
        const count = counts[word] ?? 0;
        // (f + 1) log(f + 2) - f log(f + 1): what one more occurrence adds to the sum of f log(f + 1).
        likelihood += (count + 1) * (logs[count + 2] ?? 0) - count * (logs[count + 1] ?? 0);
        counts[word] = count + 1;
        length += 1;
      }
      if (mayBe(from, to)) row[to] = length * (logs[length + vocabulary] ?? 0) - likelihood;
    }
    return row;
  });
};

/**
 * Utiyama and Isahara, "A statistical model for domain-independent text segmentation" (2001): the cuts under which the
 * words are most likely. One result for each number of parts up to `most`, by dynamic programming.
 */
export const segmentTopics = (
  blocks: Blocks,
  { vocabulary, most, mayBe }: { readonly vocabulary: number; readonly most: number; readonly mayBe: MayBe },
): Segmentation[] => {
  const size = blocks.length;
  const cost = costs(blocks, vocabulary, mayBe);
  let best = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY);
  best[0] = 0;
  const origins: Int32Array[] = [];
  const found: Segmentation[] = [];
  for (let parts = 1; parts <= Math.min(most, size); parts += 1) {
    const next = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY);
    const origin = new Int32Array(size + 1).fill(-1);
    for (let from = 0; from < size; from += 1) {
      checkCancelled();
      const before = best[from] ?? Number.POSITIVE_INFINITY;
      if (before === Number.POSITIVE_INFINITY) continue;
      const row = cost[from];
      for (let to = from + 1; to <= size; to += 1) {
        const sum = before + (row?.[to] ?? Number.POSITIVE_INFINITY);
        if (sum < (next[to] ?? 0)) {
          next[to] = sum;
          origin[to] = from;
        }
      }
    }
    origins.push(origin);
    best = next;
    const total = next[size] ?? Number.POSITIVE_INFINITY;
    if (total < Number.POSITIVE_INFINITY) found.push({ starts: startsOf(origins, size), cost: total });
  }
  return found;
};

const startsOf = (origins: readonly Int32Array[], size: number): number[] => {
  const starts: number[] = [];
  let at = size;
  for (const origin of origins.toReversed()) {
    at = origin[at] ?? 0;
    starts.unshift(at);
  }
  return starts;
};
