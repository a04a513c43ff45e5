import { readNumber, writeNumber } from './postings.ts';

/** The postings of one term within a block. */
export type BlockTerm = {
  readonly term: string;
  /** Passages that hold the term. */
  readonly passages: number;
  readonly postings: Uint8Array;
};

/** Some terms that follow each other in the order of their bytes. `term`: the first of them when the block was made. */
export type Block = { readonly term: string; readonly block: Uint8Array };

/** A block is closed beyond so many bytes: a row of it still fits into a page of the database with others. */
const fullBlock = 1_500;

/** Terms in the order of their bytes, as the database compares them. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

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
