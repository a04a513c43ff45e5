import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPlanKey, planOf, plans } from '#src/credits/plans/plans.ts';
import { type PriceFacts, priceOf, type UsageKind } from '#src/credits/prices.ts';

describe('the price of', () => {
  const cases: readonly (readonly [UsageKind, PriceFacts, number])[] = [
    ['transcript', {}, 1],
    ['raw', {}, 1],
    ['search', {}, 1],
    ['languages', {}, 0],
    ['job', {}, 0],
    ['batch', {}, 1],
    ['batch', { quantity: 7 }, 7],
    ['job_item', { quantity: 1_000 }, 1_000],
    ['ask', {}, 3],
    ['summarize', {}, 3],
    ['chapters', {}, 3],
    ['clips', {}, 3],
    ['quotes', {}, 2],
    ['repurpose', {}, 5],
    ['translate', {}, 5],
    ['ask', { usesModel: false }, 1],
    ['quotes', { usesModel: false }, 1],
    ['translate', { usesModel: false }, 1],
    ['playlist', { quantity: 0 }, 1],
    ['playlist', { quantity: 1 }, 1],
    ['channel', { quantity: 100 }, 1],
    ['playlist', { quantity: 101 }, 2],
    ['channel', { quantity: 200 }, 2],
    ['channel', { quantity: 201 }, 3],
    ['playlist', { quantity: 500 }, 5],
  ];
  for (const [operation, facts, price] of cases) {
    it(`${operation} with ${JSON.stringify(facts)} is ${price}`, () => assert.equal(priceOf(operation, facts), price));
  }
});

describe('the plans', () => {
  it('are those of the specification, from the lowest to the highest', () =>
    assert.deepEqual(
      plans.map((plan) => [
        plan.label,
        plan.monthlyPriceCents,
        plan.priceLabel,
        plan.includedCredits,
        plan.isUnlimited,
        plan.limitPerMinute,
      ]),
      [
        ['Free', 0, 'Free', 10_000, false, 120],
        ['Starter', 900, '$9 / month', 1_000, false, 240],
        ['Pro', 2_900, '$29 / month', 10_000, false, 600],
        ['Scale', 9_900, '$99 / month', 50_000, false, 1_500],
        ['Enterprise', 0, 'Custom', 0, true, 3_000],
      ],
    ));

  it('are found by their keys', () =>
    assert.deepEqual(
      plans.map(({ key }) => planOf(key).key),
      ['free', 'starter', 'pro', 'scale', 'enterprise'],
    ));

  it('are recognized among other texts', () => {
    assert.ok(plans.every(({ key }) => isPlanKey(key)));
    assert.equal(isPlanKey('gold'), false);
  });
});
