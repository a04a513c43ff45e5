import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { consistencyRanges, emptyRoot, inclusionRanges, isConsistent, leafHash, nodeHash } from '#src/tlog/merkle.ts';
import { parseTilePath, tilePath } from '#src/tlog/tile-path.ts';
import { edgeOf, grown, hashesOf, partialWidth, type ReadTiles, rootAt, type Tile } from '#src/tlog/tiles.ts';

/** The root that an inclusion proof leads to; null: the proof has another length than such a tree needs. */
const rootOfInclusion = (
  leaf: { readonly index: number; readonly hash: Uint8Array },
  size: number,
  proof: readonly Uint8Array[],
): Buffer | null => {
  const ranges = leaf.index >= 0 && leaf.index < size ? inclusionRanges(leaf.index, size) : null;
  if (ranges === null || ranges.length !== proof.length) return null;
  return proof.reduce<Buffer>((known, sibling, place) => {
    const isLeft = (ranges[place]?.from ?? 0) < leaf.index;
    return isLeft ? nodeHash(sibling, known) : nodeHash(known, sibling);
  }, Buffer.from(leaf.hash));
};

/** The root by the definition of RFC 9162. */
const definedRoot = (leaves: readonly Buffer[]): Buffer => {
  const [only] = leaves;
  if (leaves.length <= 1) return only ?? emptyRoot;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return nodeHash(definedRoot(leaves.slice(0, half)), definedRoot(leaves.slice(half)));
};

const leavesOf = (size: number): Buffer[] => Array.from({ length: size }, (_, n) => leafHash(Buffer.from(String(n))));

/** The tiles of a tree that has grown by these steps. */
const treeOf = async (steps: readonly number[]) => {
  const tiles = new Map<string, Tile>();
  const read: ReadTiles = async (ids) => ids.flatMap(({ level, index }) => tiles.get(`${level}/${index}`) ?? []);
  const leaves = leavesOf(steps.reduce((sum, one) => sum + one, 0));
  let size = 0;
  for (const step of steps) {
    const changed = grown(size, await read(edgeOf(size)), leaves.slice(size, size + step));
    for (const tile of changed) tiles.set(`${tile.level}/${tile.index}`, tile);
    size += step;
  }
  return { tiles, read, leaves, size, root: await rootAt(size, read) };
};

describe('the Merkle tree of the log', () => {
  it('has the root of the test vectors of Certificate Transparency', async () => {
    const entries = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ];
    const leaves = entries.map((hex) => leafHash(Buffer.from(hex, 'hex')));
    assert.equal(
      definedRoot(leaves).toString('hex'),
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    );
  });

  it('has the same root however it has grown, in tiles of C2SP', async () => {
    const { root, leaves, tiles } = await treeOf([1, 2, 253, 1, 600, 4]);
    assert.deepEqual(root, definedRoot(leaves));
    const widths = ['0/0', '0/3', '1/0'].map((name) => (tiles.get(name)?.hashes.length ?? 0) / 32);
    assert.deepEqual(widths, [256, 93, 3]);
    // The example of the specification.
    assert.deepEqual(
      [0, 1, 2].map((level) => partialWidth(level, 70_000)),
      [112, 17, 1],
    );
  });

  it('proves every leaf, and refuses a proof for another leaf, index or size', async () => {
    const { read, leaves, size, root } = await treeOf([300, 277]);
    await fc.assert(
      fc.asyncProperty(fc.nat(size - 1), fc.nat(size - 1), async (index, other) => {
        const proof = await hashesOf(inclusionRanges(index, size), read);
        const hash = leaves[index] ?? emptyRoot;
        assert.deepEqual(rootOfInclusion({ index, hash }, size, proof), root);
        if (other === index) return;
        assert.notDeepEqual(rootOfInclusion({ index: other, hash }, size, proof), root);
        assert.notDeepEqual(rootOfInclusion({ index, hash: leaves[other] ?? emptyRoot }, size, proof), root);
        assert.equal(rootOfInclusion({ index, hash }, size, proof.slice(1)), null);
        assert.equal(rootOfInclusion({ index: size, hash }, size, proof), null);
      }),
      { numRuns: 40 },
    );
  });

  it('proves that it is consistent with each of its earlier sizes, and with no other tree', async () => {
    const { read, leaves, size, root } = await treeOf([611]);
    await fc.assert(
      fc.asyncProperty(fc.nat(size), async (first) => {
        const proof = await hashesOf(consistencyRanges(first, size), read);
        const old = { size: first, root: definedRoot(leaves.slice(0, first)) };
        assert.equal(isConsistent(old, { size, root }, proof), true);
        const forked = { size: first, root: definedRoot(leaves.slice(1, first + 1)) };
        assert.equal(isConsistent(forked, { size, root }, proof), first === size ? false : first === 0);
        assert.equal(isConsistent(old, { size, root: nodeHash(root, root) }, proof), first === 0);
        assert.equal(isConsistent({ size, root }, { size: size - 1, root }, proof), false);
      }),
      { numRuns: 40 },
    );
  });

  it('has only one path for a tile', () => {
    for (const [path, tile] of [
      ['0/000', { level: 0, index: 0, width: 256 }],
      ['2/x001/x234/067.p/5', { level: 2, index: 1_234_067, width: 5 }],
      ['entries/x001/000', { level: null, index: 1_000, width: 256 }],
    ] as const) {
      assert.deepEqual(parseTilePath(path), tile);
      assert.equal(tilePath(tile), path);
    }
    for (const path of [
      ...[
        '',
        '0',
        '0/0',
        '0/0000',
        '00/000',
        '64/000',
        '-1/000',
        '0/x000/001',
        '0/001/002',
        '0/000.p/0',
        '0/000.p/256',
      ],
      ...['0/000.p/01', '0/000/', 'entries/000.p/', 'toString/000', `0/${'x001/'.repeat(6)}000`, '0/000\n', '0/x1/000'],
    ]) {
      assert.equal(parseTilePath(path), null, path);
    }
  });
});
