import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeSettings } from '#src/contract/account.ts';
import { mostCredits } from '#src/contract/caps.ts';
import { createFollow } from '#src/contract/follows.ts';
import { consentFields } from '#src/contract/oauth.ts';
import { bodyOf, limitsOf, numberIn } from '#src/edges/http/website/parts/form-body.ts';

describe('a number in a form', () => {
  const price = (text: string) =>
    bodyOf(changeSettings, { ask_above_credits: numberIn(new URLSearchParams({ price: text }), 'price') })
      .ask_above_credits;

  it('is read in decimal digits, and nothing else is a number', () => {
    assert.deepEqual([' 007 ', '1000000000', ' ', ''].map(price), [7, mostCredits, null, null]);
    for (const wrong of ['1e3', '0x64', '1.0', '-1', '+1', '1 000', '١', 'many', '1000000001', '9'.repeat(400)]) {
      assert.throws(() => price(wrong), { code: 'INVALID_REQUEST' }, wrong);
    }
  });
});

describe('the limits of a field', () => {
  it('are those of its endpoint, for texts and for numbers', () => {
    assert.deepEqual(limitsOf(createFollow.body, 'source'), { maxlength: 2_048 });
    assert.deepEqual(limitsOf(createFollow.body, 'backfill'), { type: 'number', min: 0, max: 50 });
    assert.deepEqual(limitsOf(changeSettings.body, 'ask_above_credits'), { type: 'number', min: 0, max: mostCredits });
    assert.deepEqual(limitsOf(consentFields, 'credits_total'), { type: 'number', min: 1, max: mostCredits });
  });
});
