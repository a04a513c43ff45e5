import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPlanKey, planOf, plans } from '#src/credits/plans.ts';
import { listingPrice, prices } from '#src/credits/prices.ts';

describe('the price list', () => {
  it('names what each operation costs', () => {
    const { ask, summarize, chapters, clips, quotes, repurpose, translate, ...others } = prices;
    assert.deepEqual([ask, summarize, chapters, clips], [3, 3, 3, 3]);
    assert.deepEqual([quotes, repurpose, translate], [2, 5, 5]);
    const { languages, job, ...single } = others;
    assert.deepEqual([languages, job], [0, 0]);
    assert.deepEqual([...new Set(Object.values(single))], [1]);
  });

  for (const [returned, price] of [
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [200, 2],
    [201, 3],
    [500, 5],
  ] as const) {
    it(`asks ${price} for a list of ${returned}`, () =>
      assert.equal(listingPrice(returned), price));
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

  it('are told from what is none', () => {
    assert.ok(plans.every(({ key }) => isPlanKey(key)));
    assert.equal(isPlanKey('gold'), false);
  });
});
