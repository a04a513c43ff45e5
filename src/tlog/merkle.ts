import { hash } from 'node:crypto';

/** Bytes of a SHA-256. */
export const hashBytes = 32;

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** The hash of an entry as a leaf (RFC 9162, section 2.1.1). */
export const leafHash = (entry: Uint8Array): Buffer => sha256(leafPrefix, entry);

/** The hash of two subtrees side by side. */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(nodePrefix, left, right);

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = sha256();

/** Leaves from `from` up to, but not, `to`. */
export type Range = { readonly from: number; readonly to: number };

/** The largest power of two below `n`, which is at least 2. */
const powerBelow = (n: number): number => {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
};

/** Divides a tree on the way to a leaf: the last range that has it, and those beside the way, that at the top first. */
const divided = (leaf: number, size: number, isEnd: (range: Range) => boolean) => {
  const beside: Range[] = [];
  let [from, to] = [0, size];
  while (!isEnd({ from, to })) {
    const middle = from + powerBelow(to - from);
    const [left, right] = [
      { from, to: middle },
      { from: middle, to },
    ];
    beside.push(leaf < middle ? right : left);
    ({ from, to } = leaf < middle ? left : right);
  }
  return { beside, last: { from, to } };
};

/** The ranges whose hashes are the inclusion proof of a leaf in a tree of `size` leaves, the sibling of the leaf first. */
export const inclusionRanges = (index: number, size: number): readonly Range[] =>
  divided(index, size, ({ from, to }) => to - from <= 1).beside.reverse();

/** The ranges whose hashes prove that a tree of `first` leaves is the beginning of one of `second` (RFC 9162, 2.1.4.1). */
export const consistencyRanges = (first: number, second: number): readonly Range[] => {
  if (first <= 0 || first >= second) return [];
  const { beside, last } = divided(first - 1, second, ({ to }) => to === first);
  // The verifier has the root of the first tree already where it is one of the subtrees.
  return (last.from > 0 ? [...beside, last] : beside).reverse();
};

/** A tree by its size and root. */
export type TreeHead = { readonly size: number; readonly root: Uint8Array };

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Whether a proof shows that the second tree begins with the first (RFC 9162, 2.1.4.2). */
export const isConsistent = (first: TreeHead, second: TreeHead, proof: readonly Uint8Array[]): boolean => {
  if (first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && isEqual(first.root, second.root);
  if (first.size === 0) return proof.length === 0 && isEqual(first.root, emptyRoot);
  const ranges = consistencyRanges(first.size, second.size);
  if (ranges.length !== proof.length) return false;
  const hashes = ranges.map((range, place) => ({ ...range, hash: proof[place] ?? emptyRoot }));
  // The first subtree is that which ends where the first tree ends; where it is the whole first tree, its root is known.
  const start = ranges[0]?.to === first.size ? hashes.shift() : undefined;
  let [inFirst, inSecond]: [Uint8Array, Uint8Array] = [start?.hash ?? first.root, start?.hash ?? first.root];
  for (const { to, hash: sibling } of hashes) {
    if (to <= first.size) {
      inFirst = nodeHash(sibling, inFirst);
      inSecond = nodeHash(sibling, inSecond);
    } else inSecond = nodeHash(inSecond, sibling);
  }
  return isEqual(inFirst, first.root) && isEqual(inSecond, second.root);
};
