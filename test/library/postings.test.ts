import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  bestPassages,
  cutPostings,
  decodePostings,
  encodePostings,
  heldPassages,
  type Posting,
  type StoredPostings,
  splitPostings,
} from '#src/library/postings.ts';

/** Far enough apart that they lie in several windows of a search. */
const passage = fc.oneof(fc.nat(300), fc.nat(200_000));
const postings = fc
  .uniqueArray(fc.record({ passage, impact: fc.integer({ min: 1, max: 255 }) }, { noNullPrototype: true }), {
    selector: (each) => each.passage,
    maxLength: 60,
  })
  .map((all) => all.toSorted((a, b) => a.passage - b.passage));
const sizes = { headSize: 8, partSize: 3 };

/** A list of one run as it is stored: a head, and the parts of its tail. */
const storedOf = (term: string, run: number, list: readonly Posting[]): StoredPostings[] => {
  const placed = list.map((each) => ({ ...each, passage: run + each.passage }));
  const whole = { passages: list.length, postings: encodePostings(run, placed) };
  const split = splitPostings(run, whole, sizes);
  if (split === null) return [{ ...whole, term, run, start: run, isHead: false }];
  return [
    { term, run, start: run, passages: list.length, postings: split.head, isHead: true },
    ...split.tail.map(({ base, postings }) => ({ term, run, start: base, passages: 0, postings, isHead: false })),
  ];
};

describe('postings', () => {
  it('find the passages with the highest sums, in lists of any length and runs of any size', () => {
    const terms = ['a', 'b', 'c'];
    const runs = fc.array(fc.array(postings, { minLength: terms.length, maxLength: terms.length }), { maxLength: 4 });
    const weights = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: terms.length, maxLength: terms.length });
    fc.assert(
      fc.property(runs, weights, fc.integer({ min: 1, max: 12 }), (given, weighing, limit) => {
        const sums = new Map<number, number>();
        const stored = given.flatMap((lists, run) =>
          lists.flatMap((list, at) => {
            const start = run * 300_000;
            for (const each of list) {
              const known = sums.get(start + each.passage) ?? 0;
              sums.set(start + each.passage, known + (weighing[at] ?? 0) * each.impact);
            }
            return storedOf(terms[at] ?? '', start, list);
          }),
        );
        const weightOf = new Map(terms.map((term, at) => [term, weighing[at] ?? 0]));
        const accepts = (passage: number): boolean => passage % 7 !== 0;
        const best = bestPassages(stored, weightOf, { limit, accepts });
        const expected = [...sums]
          .filter(([passage]) => accepts(passage))
          .map(([passage, score]) => ({ passage, score }))
          .toSorted((a, b) => b.score - a.score || a.passage - b.passage);
        assert.deepEqual(
          best.map(({ score }) => score),
          expected.slice(0, limit).map(({ score }) => score),
        );
        for (const { passage, score } of best) assert.equal(score, sums.get(passage));
      }),
      { numRuns: 300 },
    );
  });

  it('are cut, looked up and split without a change to the others', () => {
    fc.assert(
      fc.property(postings, fc.nat(300), fc.nat(300), fc.array(passage), (list, from, size, asked) => {
        const stored = { start: 0, postings: encodePostings(0, list) };
        const range = { first: from, end: from + size };
        const left = list.filter((each) => each.passage < range.first || each.passage >= range.end);
        const cut = cutPostings(stored, range);
        assert.deepEqual(decodePostings({ start: 0, postings: cut.postings }), left);
        assert.equal(cut.removed, list.length - left.length);

        const sorted = [...new Set(asked)].toSorted((a, b) => a - b);
        const held = new Set(list.map((each) => each.passage));
        assert.deepEqual(
          heldPassages(stored, sorted),
          sorted.filter((each) => held.has(each)),
        );

        const parts = storedOf('a', 0, list);
        assert.deepEqual(
          parts.flatMap(decodePostings).toSorted((a, b) => a.passage - b.passage),
          list,
        );
      }),
      { numRuns: 300 },
    );
  });
});
