import { emptyRoot, hashBytes, nodeHash, type Range } from './merkle.ts';

/** Hashes of a full tile; its subtree has the height 8. */
export const tileWidth = 256;
const tileHeight = 8;

/** A tile of C2SP tlog-tiles. Level 0 holds leaf hashes, each further level the roots of the full tiles below. */
export type TileId = { readonly level: number; readonly index: number };

/** A tile with its hashes one after the other: 256 of a full one, fewer at the right edge of the tree. */
export type Tile = TileId & { readonly hashes: Uint8Array };

/** Reads tiles by their ids; those of a tree that is asked about are there. */
export type ReadTiles = (ids: readonly TileId[]) => Promise<readonly Tile[]>;

const hashesIn = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / hashBytes }, (_, place) =>
    bytes.subarray(place * hashBytes, (place + 1) * hashBytes),
  );

/** The root over a power of two of hashes. */
const rootOver = (hashes: readonly Uint8Array[]): Uint8Array => {
  let level = hashes;
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let place = 0; place < level.length; place += 2) {
      above.push(nodeHash(level[place] ?? emptyRoot, level[place + 1] ?? emptyRoot));
    }
    level = above;
  }
  return level[0] ?? emptyRoot;
};

/** A full subtree of 2^height leaves, and where its hash is, or the hashes from which it is made. */
type Subtree = TileId & { readonly place: number; readonly width: number };

const subtreeOf = (from: number, height: number): Subtree => {
  const level = Math.floor(height / tileHeight);
  const width = 2 ** (height % tileHeight);
  const place = from / tileWidth ** level;
  return { level, index: Math.floor(place / tileWidth), place: place % tileWidth, width };
};

/** The full subtrees of a range as RFC 9162 divides it, the largest first. */
const subtreesOf = ({ from, to }: Range): readonly Subtree[] => {
  const subtrees: Subtree[] = [];
  for (let at = from; at < to; ) {
    let height = 0;
    while (at + 2 ** (height + 1) <= to) height += 1;
    subtrees.push(subtreeOf(at, height));
    at += 2 ** height;
  }
  return subtrees;
};

const nameOf = ({ level, index }: TileId): string => `${level}/${index}`;

/** The hashes of ranges of a tree, from its tiles, which are read at once. A range begins where a division of the tree does. */
export const hashesOf = async (ranges: readonly Range[], read: ReadTiles): Promise<readonly Buffer[]> => {
  const divided = ranges.map(subtreesOf);
  const wanted = new Map(divided.flat().map(({ level, index }) => [nameOf({ level, index }), { level, index }]));
  const tiles = new Map((await read([...wanted.values()])).map((tile) => [nameOf(tile), tile.hashes]));
  return divided.map((subtrees) => {
    const roots = subtrees.map((subtree) => {
      const { place, width } = subtree;
      const found = tiles.get(nameOf(subtree))?.subarray(place * hashBytes, (place + width) * hashBytes);
      if (found?.length !== width * hashBytes) throw new Error(`tile ${nameOf(subtree)} is missing or too short`);
      return rootOver(hashesIn(found));
    });
    const last = roots.pop() ?? emptyRoot;
    return Buffer.from(roots.reduceRight((right, left) => nodeHash(left, right), last));
  });
};

/** The root of the tree of the first `size` leaves. */
export const rootAt = async (size: number, read: ReadTiles): Promise<Buffer> => {
  if (size === 0) return emptyRoot;
  const [root = emptyRoot] = await hashesOf([{ from: 0, to: size }], read);
  return root;
};

/** Hashes in the last tile of a level of a tree; 0: it ends with a full one. */
export const partialWidth = (level: number, size: number): number => Math.floor(size / tileWidth ** level) % tileWidth;

/** The partial tiles at the right edge of a tree. */
export const edgeOf = (size: number): readonly TileId[] => {
  const edge: TileId[] = [];
  for (let level = 0; tileWidth ** level <= size; level += 1) {
    if (partialWidth(level, size) > 0) edge.push({ level, index: Math.floor(size / tileWidth ** (level + 1)) });
  }
  return edge;
};

/** The tiles that change when leaves are added to a tree of `size`; `edge`: the tiles that `edgeOf` names. */
export const grown = (size: number, edge: readonly Tile[], leaves: readonly Uint8Array[]): readonly Tile[] => {
  const changed: Tile[] = [];
  let added = leaves;
  for (let level = 0; added.length > 0; level += 1) {
    const width = partialWidth(level, size);
    const present = edge.find((tile) => tile.level === level)?.hashes.subarray(0, width * hashBytes);
    if ((present?.length ?? 0) !== width * hashBytes) throw new Error(`the last tile of level ${level} is too short`);
    const hashes = [...hashesIn(present ?? new Uint8Array()), ...added];
    const above: Uint8Array[] = [];
    let index = Math.floor(size / tileWidth ** (level + 1));
    for (let at = 0; at < hashes.length; at += tileWidth, index += 1) {
      const own = hashes.slice(at, at + tileWidth);
      changed.push({ level, index, hashes: Buffer.concat(own) });
      if (own.length === tileWidth) above.push(rootOver(own));
    }
    added = above;
  }
  return changed;
};
