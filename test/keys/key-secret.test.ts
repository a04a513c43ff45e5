import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashOfSecret, isWellFormed, newSecret, prefixOf } from '#src/keys/key-secret.ts';

describe('the secret of a key', () => {
  it('is well formed when it is new', () => {
    for (let i = 0; i < 1_000; i += 1) assert.ok(isWellFormed(newSecret()));
  });

  it('is never the same twice', () => {
    assert.equal(new Set(Array.from({ length: 1_000 }, newSecret)).size, 1_000);
  });

  it('shows only its first 13 characters', () => {
    const secret = newSecret();
    assert.equal(prefixOf(secret), secret.slice(0, 13));
  });

  it('is refused with one character changed, added, removed or in the other case', () => {
    const secret = newSecret();
    const at = 20;
    const other = secret[at] === 'a' ? 'b' : 'a';
    const swapped = secret.replace(/[a-z]$|[A-Z]$/, (sign) =>
      sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase(),
    );
    assert.equal(isWellFormed(secret.slice(0, at) + other + secret.slice(at + 1)), false);
    assert.equal(isWellFormed(`${secret}0`), false);
    assert.equal(isWellFormed(secret.slice(0, -1)), false);
    if (swapped !== secret) assert.equal(isWellFormed(swapped), false);
    assert.equal(isWellFormed(secret.replace('stn_live_', 'stn_test_')), false);
    assert.equal(isWellFormed(`${secret}\n`), false);
    assert.equal(isWellFormed(''), false);
  });

  it('is stored as a hash only', () => {
    const secret = newSecret();
    assert.match(hashOfSecret(secret), /^[0-9a-f]{64}$/);
    assert.equal(hashOfSecret(secret), hashOfSecret(secret));
  });
});
