import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { editsWithin } from '#src/insights/extractive/search.ts';

describe('two words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '語'), maxLength: 6 });

  it('are within one edit if their distance is at most 1, or if two neighbouring letters changed places', () => {
    const swapped = (text: string): string[] =>
      Array.from({ length: Math.max(0, text.length - 1) }, (_, at) =>
        [text.slice(0, at), text[at + 1], text[at], text.slice(at + 2)].join(''),
      );
    fc.assert(
      fc.property(word, word, (one, other) => {
        assert.equal(editsWithin(1, one, other) <= 1, distance(one, other) <= 1 || swapped(one).includes(other));
      }),
      { numRuns: 5_000 },
    );
  });
});
