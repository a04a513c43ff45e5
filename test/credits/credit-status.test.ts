import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creditStatus } from '#src/credits/credit-status.ts';

const free = (remaining: number, isBillingConfigured = false) =>
  creditStatus('free', remaining, { isBillingConfigured });

describe('the credit status of an account', () => {
  it('is low from a tenth of what the plan includes, and says so in one sentence', () => {
    assert.equal(free(1_001).isLow, false);
    assert.equal(free(1_001).upgradeNudge, null);
    assert.equal(free(1_000).isLow, true);
    assert.equal(free(1_000).threshold, 1_000);
    assert.equal(free(1_000).upgradeNudge, '1000 credits of the Free plan are left.');
    assert.equal(free(1).upgradeNudge, '1 credit of the Free plan is left.');
  });

  it('is exhausted when nothing is left', () => {
    assert.equal(free(1).isExhausted, false);
    assert.equal(free(0).isExhausted, true);
    assert.equal(free(0).upgradeNudge, 'All credits of the Free plan are used.');
  });

  it('mentions a larger plan only if one can be bought', () => {
    assert.equal(free(0).isUpgradeAvailable, false);
    assert.match(free(0, true).upgradeNudge ?? '', /A larger plan has more\.$/);
    assert.equal(creditStatus('scale', 0, { isBillingConfigured: true }).isUpgradeAvailable, true);
    const largest = creditStatus('enterprise', 0, { isBillingConfigured: true });
    assert.equal(largest.isUpgradeAvailable, false);
  });

  it('is never low nor exhausted on a plan by contract', () => {
    const { included, remaining, isLow, isExhausted, isUnlimited } = creditStatus('enterprise', -70, {
      isBillingConfigured: false,
    });
    assert.deepEqual(
      { included, remaining, isLow, isExhausted, isUnlimited },
      { included: 0, remaining: 0, isLow: false, isExhausted: false, isUnlimited: true },
    );
  });
});
