import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commentOn, eventIn, typeIn } from '#src/app/declarations.ts';

const source = `
/** Tea was made; it
 * is hot. */
export type TeaMade = Event<
  'TeaMade',
  {
    cups: readonly { readonly size: 'small' | 'a, large; one'; readonly sugar: number }[];
    /** Null: nobody; a guest. */
    for: string | null;
    sugar?: number;
  }
>;

export type TeaSpilled = Event<'TeaSpilled', { at: string }>;

/** Some. */
export type Amount = number;

/** Not an event. */
export type TeaDrunk = Event<'TeaDrunk', Tea & { at: string }>;
`;

describe('reading declarations', () => {
  it('gives an event with its comment, its fields, their types and comments', () => {
    assert.deepEqual(eventIn(source, 'TeaMade'), {
      comment: 'Tea was made; it is hot.',
      fields: [
        {
          name: 'cups',
          type: "readonly { readonly size: 'small' | 'a, large; one'; readonly sugar: number }[]",
          comment: null,
        },
        { name: 'for', type: 'string | null', comment: 'Null: nobody; a guest.' },
        { name: 'sugar', type: 'number | undefined', comment: null },
      ],
    });
  });

  it('refuses an event without a comment, one of another form, and one that is not there', () => {
    assert.throws(() => eventIn(source, 'TeaSpilled'), /no doc comment/);
    assert.throws(() => eventIn(source, 'TeaDrunk'), /not declared as an event/);
    assert.throws(() => eventIn(source, 'TeaSold'), /not declared as an event/);
  });

  it('gives any type with its comment', () => {
    assert.equal(typeIn(source, 'Amount'), ' number');
    assert.equal(commentOn(source, 'Amount'), 'Some.');
    assert.equal(typeIn(source, 'Volume'), null);
  });
});
