import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { periodAfter, periodAt } from '#src/credits/plans/billing-period.ts';

const at = (time: string) => new Date(time);

describe('billing periods', () => {
  it('begin on the anchor day at midnight UTC', () => {
    assert.deepEqual(periodAt(15, at('2026-11-20T12:00:00Z')), {
      period: '2026-11',
      opensAt: '2026-11-15T00:00:00.000Z',
      closesAt: '2026-12-15T00:00:00.000Z',
    });
  });

  it('belong to the month before until the anchor day', () => {
    assert.equal(periodAt(15, at('2026-11-14T23:59:59.999Z')).period, '2026-10');
    assert.equal(periodAt(15, at('2026-11-15T00:00:00.000Z')).period, '2026-11');
  });

  it('start on the last day of a month that has no anchor day', () => {
    assert.equal(periodAt(31, at('2027-03-01T00:00:00Z')).opensAt, '2027-02-28T00:00:00.000Z');
    assert.equal(periodAt(31, at('2028-03-01T00:00:00Z')).opensAt, '2028-02-29T00:00:00.000Z');
    assert.equal(periodAt(30, at('2027-04-29T00:00:00Z')).opensAt, '2027-03-30T00:00:00.000Z');
  });

  it('leave no gap and no overlap for any anchor day over four years', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 0, max: 48 }), (day, months) => {
        let period = periodAt(day, at('2024-01-31T10:00:00Z'));
        for (let i = 0; i < months; i += 1) {
          const next = periodAfter(day, period.period);
          assert.equal(next.opensAt, period.closesAt);
          assert.deepEqual(periodAt(day, new Date(next.opensAt)), next);
          assert.equal(periodAt(day, new Date(Date.parse(next.opensAt) - 1)).period, period.period);
          period = next;
        }
      }),
    );
  });
});
