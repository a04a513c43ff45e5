import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldOf, type InputField } from '#src/contract/operation.ts';
import { membersOf, optionOf } from '#src/edges/cli/endpoint-request.ts';
import { endpoints } from '#src/edges/http/routes.ts';

const counts = endpoints.flatMap((endpoint) =>
  Object.entries(membersOf(endpoint)).flatMap(([name, schema]) => {
    const field = fieldOf(name, schema);
    return field.kind === 'count' && endpoint.path.startsWith('/v1/') ? [{ endpoint, schema, field }] : [];
  }),
);

const parse = (field: InputField, text: string) => optionOf(field).parseArg?.(text, undefined);

describe('the option of a number', () => {
  for (const { endpoint, schema, field } of counts) {
    const { min, max } = field;
    it(`takes what the API takes: ${endpoint.id} ${field.name}`, () => {
      // A query has texts.
      const isTaken = (value: number) => schema.safeParse(endpoint.method === 'GET' ? String(value) : value).success;
      assert.deepEqual([min, max].map(isTaken), [true, true]);
      assert.deepEqual([min - 1, max + 1].map(isTaken), [false, false]);
      assert.deepEqual([parse(field, String(min)), parse(field, String(max))], [min, max]);
      for (const wrong of [min - 1, max + 1, '', '1e1', '0x1', '1.5', ' ', 'all']) {
        assert.throws(() => parse(field, String(wrong)), new RegExp(`from ${min} to ${max}`));
      }
    });
  }
});
