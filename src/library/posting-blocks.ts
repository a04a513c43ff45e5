import { readNumber, writeNumber } from './postings.ts';

/** The postings of one term within a block. */
export type BlockTerm = {
  readonly term: string;
  /** Passages that hold the term. */
  readonly passages: number;
  readonly postings: Uint8Array;
};

/** Some terms that follow each other in the order of their bytes. `term`: the first of them. */
export type Block = { readonly term: string; readonly block: Uint8Array };

/** A block is closed beyond so many bytes: a row of it still fits into a page of the database with others. */
const fullBlock = 1_500;

/** Terms in the order of their bytes in UTF-8, as the database compares them. */
export const byBytes = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return inUtf8(one) - inUtf8(other);
  }
  return a.length - b.length;
};

/** Code points of two units come after all others, while their units come before the last ones of one unit. */
const inUtf8 = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/**
 * One block: for each term how many bytes it shares with the term before, how many follow and which, how many passages hold it,
 * and its postings with their length. Numbers are of variable length.
 */
export const encodeBlock = (terms: readonly BlockTerm[]): Uint8Array => {
  const parts: Uint8Array[] = [];
  let before = Buffer.alloc(0);
  for (const { term, passages, postings } of terms) {
    const own = Buffer.from(term);
    let shared = 0;
    while (shared < own.length && own[shared] === before[shared]) shared += 1;
    const numbers: number[] = [];
    for (const number of [shared, own.length - shared]) writeNumber(numbers, number);
    const sizes: number[] = [];
    for (const number of [passages, postings.length]) writeNumber(sizes, number);
    parts.push(Uint8Array.from(numbers), own.subarray(shared), Uint8Array.from(sizes), postings);
    before = own;
  }
  return Buffer.concat(parts);
};

/** The terms of a block. */
export const decodeBlock = (block: Uint8Array): BlockTerm[] => {
  const terms: BlockTerm[] = [];
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  let [at, before] = [0, Buffer.alloc(0)];
  const next = (): number => {
    const { value, end } = readNumber(bytes, at);
    at = end;
    return value;
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const shared = before.subarray(0, next());
    before = Buffer.concat([shared, take(next())]);
    const passages = next();
    terms.push({ term: before.toString(), passages, postings: take(next()) });
  }
  return terms;
};

/** Terms, which come in the order of their bytes, in blocks. */
export const blocksOf = (terms: readonly BlockTerm[]): Block[] => {
  const blocks: Block[] = [];
  let [open, size]: [BlockTerm[], number] = [[], 0];
  const close = (): void => {
    const [first] = open;
    if (first !== undefined) blocks.push({ term: first.term, block: encodeBlock(open) });
    [open, size] = [[], 0];
  };
  for (const each of terms) {
    open.push(each);
    size += each.postings.length + 8;
    if (size >= fullBlock) close();
  }
  close();
  return blocks;
};

/** Terms to look for in blocks: their bytes, in order. */
export const soughtTerms = (terms: readonly string[]): readonly Buffer[] =>
  terms.map((term) => Buffer.from(term)).toSorted((a, b) => a.compare(b));

/** What a block holds of the terms of `soughtTerms`. It makes no object of the others, because most blocks hold one of them. */
export const findInBlock = (block: Uint8Array, sought: readonly Buffer[]): BlockTerm[] => {
  const found: BlockTerm[] = [];
  const term = new Uint8Array(block.length);
  let [at, next] = [0, 0];
  const number = (): number => {
    const { value, end } = readNumber(block, at);
    at = end;
    return value;
  };
  while (at < block.length) {
    const shared = number();
    const length = shared + number();
    for (let place = shared; place < length; place += 1) term[place] = block[at++] ?? 0;
    const passages = number();
    const size = number();
    let order = -1;
    for (; next < sought.length; next += 1) {
      order = compareBytes(sought[next], term, length);
      if (order >= 0) break;
    }
    const own = sought[next];
    if (own === undefined) return found;
    if (order === 0) found.push({ term: own.toString(), passages, postings: block.subarray(at, at + size) });
    at += size;
  }
  return found;
};

/** Compares bytes with the first `length` of others, as `Buffer.compare` does; a call of that takes longer than so few bytes. */
const compareBytes = (a: Uint8Array | undefined, b: Uint8Array, length: number): number => {
  if (a === undefined) return -1;
  const shorter = Math.min(a.length, length);
  for (let at = 0; at < shorter; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - length;
};
