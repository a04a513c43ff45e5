import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readVisitorToken, visitorAccountId, visitorToken } from '#src/accounts/visitor/visitor.ts';
import { onlyKey } from '#test/support/keys.ts';

const keys = onlyKey(3);
const key = keys.current.bytes;
const name = 'A'.repeat(43);

describe('a visitor', () => {
  it('is recognized by a signed cookie', () => {
    const token = visitorToken(name, keys);
    assert.deepEqual(readVisitorToken(token, keys), { name, isCurrent: true });
    for (const forged of [`${token}x`, `B${token.slice(1)}`, name, `${name}.`, '', 'a.b.c', token.repeat(50)]) {
      assert.equal(readVisitorToken(forged, keys), null);
    }
    assert.equal(readVisitorToken(token, onlyKey(4)), null);
  });

  it('has another account id every day, which cannot be linked to that of the day before', () => {
    const today = visitorAccountId(name, '2026-11-21', key);
    const tomorrow = visitorAccountId(name, '2026-11-22', key);
    assert.match(today, /^vis_20261121_[0-9a-f]{32}$/);
    assert.notEqual(today.slice(-32), tomorrow.slice(-32));
  });
});
