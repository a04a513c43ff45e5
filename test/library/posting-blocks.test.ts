import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { blocksOf, byBytes, decodeBlock, findInBlock, soughtTerms } from '#src/library/posting-blocks.ts';

describe('blocks of postings', () => {
  it('contain every term with its postings, in the order of the bytes', () => {
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
        const sought = given.filter((_, at) => at % 3 === 0).map((each) => each.term);
        const found = blocks.flatMap(({ block }) => findInBlock(block, soughtTerms([...sought, 'unknown'])));
        assert.deepEqual(found.map(bytes), terms.filter((each) => sought.includes(each.term)).map(bytes));
      }),
      { numRuns: 50 },
    );
  });
});
