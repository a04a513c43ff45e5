import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMailbox } from '#src/accounts/email-address.ts';
import { passwordProblem } from '#src/accounts/password/password-policy.ts';
import { commonPasswords } from '#src/adapters/passwords/word-lists.ts';

const mailbox = parseMailbox('Joanna.Doe+x@gmail.com');
assert.ok(mailbox);
const known = { mailbox, commonPasswords: commonPasswords(), serviceNames: ['Steno'] };
const problemOf = (password: string): string | undefined => passwordProblem(password, known)?.code;

describe('a password', () => {
  it('has 8 to 256 characters', () => {
    assert.equal(problemOf('x7!kQ2p'), 'too_short');
    assert.equal(problemOf('x7!kQ2pz'), undefined);
    assert.equal(problemOf('ab'.repeat(128)), undefined);
    assert.equal(problemOf(`${'ab'.repeat(128)}c`), 'too_long');
  });

  it('may contain any character, and each counts once', () => {
    assert.equal(problemOf('nul\u0000inside'), undefined);
    assert.equal(problemOf('🦊🐢🦉🐙🦋🐝🐳🦔'), undefined);
    assert.equal(problemOf('🦊🐢🦉🐙🦋🐝🐳'), 'too_short');
    assert.equal(problemOf('correct horse battery staple with spaces, sixty-four characters'), undefined);
    assert.equal(problemOf('  inner and outer spaces  '), undefined);
  });

  it('is well-formed text', () => assert.equal(problemOf('lone \ud800 surrogate'), 'malformed'));

  it('is not among the most common ones, in any case', () => {
    for (const password of ['password1', 'PASSWORD1', 'qwertyuiop', '12345678', 'iloveyou']) {
      assert.equal(problemOf(password), 'too_common', password);
    }
  });

  it('is not the mail address, its parts, or the name of the service', () => {
    for (const password of [
      'Joanna.Doe+x@gmail.com',
      'joannadoe@gmail.com',
      'joannadoe',
      'joanna.doe+x',
      'joannadoe2026',
      'steno2026!',
      'STENO123',
    ]) {
      assert.equal(problemOf(password), 'own_name', password);
    }
  });
});
