import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { answerOf } from '#src/contract/answer-of.ts';

const schema = z.object({ id: z.string(), created_at: z.string(), tags: z.array(z.string()) });

describe('the response made from a view', () => {
  const answer = answerOf(schema);
  const view = { keyId: 'key_1', createdAt: '2026-11-24', tags: ['a'], secretHash: 'x' };

  it('has the members of the schema in its order, and nothing else of the view', () => {
    const shown = answer(view, { id: view.keyId });
    assert.equal(JSON.stringify(shown), '{"id":"key_1","created_at":"2026-11-24","tags":["a"]}');
  });

  it('prefers the given values to those of the view', () => {
    assert.equal(answer(view, { id: 'key_2', created_at: 'now' }).created_at, 'now');
  });

  it('does not compile if the view lacks a member or has it with another type', () => {
    // The types are what is tested: without their errors these lines do not compile.
    const refused = () => [
      // @ts-expect-error `id` is missing
      answer(view),
      // @ts-expect-error `created_at` is a Date
      answer({ ...view, id: 'key_1', createdAt: new Date(0) }),
    ];
    assert.equal(refused().length, 2);
  });
});
