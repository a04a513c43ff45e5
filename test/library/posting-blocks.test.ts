import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { blocksOf, byBytes, decodeBlock } from '#src/library/posting-blocks.ts';

describe('blocks of postings', () => {
  it('hold every term with its postings, in the order of the bytes', () => {
    const term = fc.record({
      term: fc.string({ unit: 'grapheme', minLength: 1 }),
      passages: fc.nat(),
      postings: fc.uint8Array({ maxLength: 600 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(term, { selector: (each) => each.term, maxLength: 60 }), (given) => {
        const terms = given.toSorted((a, b) => byBytes(a.term, b.term));
        const blocks = blocksOf(terms);
        const read = blocks.flatMap(({ block }) => decodeBlock(block));
        const bytes = ({ postings, ...each }: (typeof read)[number]) => ({ ...each, postings: [...postings] });
        assert.deepEqual(read.map(bytes), terms.map(bytes));
        for (const { term: first, block } of blocks) assert.equal(decodeBlock(block)[0]?.term, first);
      }),
      { numRuns: 50 },
    );
  });
});
