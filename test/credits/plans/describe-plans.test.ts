import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describePlans } from '#src/credits/plans/describe-plans.ts';
import { plans } from '#src/credits/plans/plans.ts';

describe('the file of an operator about the plans', () => {
  it('changes names, prices and features, but neither credits nor limits', () => {
    assert.deepEqual(describePlans('{"plans": {}}'), plans);
    const described = describePlans(
      '{"currency": "EUR", "plans": {"pro": {"label": "Team", "monthly_price_cents": 3900, "features": ["Support"]}}}',
    );
    const [before, after] = [plans, described].map((list) => list.find(({ key }) => key === 'pro'));
    assert.deepEqual(after, {
      ...before,
      ...{ label: 'Team', monthlyPriceCents: 3_900, currency: 'EUR', priceLabel: '€39 / month', features: ['Support'] },
    });
  });

  it('is refused with the location of its mistake', () => {
    assert.throws(() => describePlans('{'), /^Error: it is not JSON: /);
    for (const [file, message] of [
      ['{"currency": "XXQ", "plans": {}}', /^Error: currency: it is no currency code like USD$/],
      ['{"plans": {"gold": {}}}', /^Error: plans: Unrecognized key: "gold"$/],
      ['{"plans": {"pro": {"credits": 5}}}', /^Error: plans\.pro: Unrecognized key: "credits"$/],
      ['{"plans": {"pro": {"monthly_price_cents": 9.5}}}', /^Error: plans\.pro\.monthly_price_cents: /],
      ['{"plans": {"pro": {"texts": {"xx": {}}}}}', /^Error: plans\.pro\.texts: Unrecognized key: "xx"$/],
      ['[]', /^Error: the file: /],
    ] as const) {
      assert.throws(() => describePlans(file), message);
    }
  });
});
