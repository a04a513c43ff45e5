import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { operations } from '#src/contract/operations.ts';

it('verify-receipt.mjs knows the members of the result of every operation', () => {
  const program = readFileSync(new URL('../../docs/verify-receipt.mjs', import.meta.url), 'utf8');
  for (const { name, result } of operations) {
    const [, listed = ''] = new RegExp(`^  ${name}: \\[(.*)\\],$`, 'm').exec(program) ?? [];
    const members = listed.split(', ').map((member) => member.slice(1, -1));
    assert.deepEqual(members.toSorted(), Object.keys(result.shape).toSorted(), name);
  }
});
