import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreditsEvent } from '#src/credits/credits.ts';
import { emptyBuckets, postingsOf } from '#src/credits/ledger/postings.ts';

describe('the postings of an event', () => {
  for (const [type, from, to] of [
    ['CreditsGranted', 'issuer', 'available'],
    ['CreditsCharged', 'available', 'spent'],
    ['CreditsReserved', 'available', 'reserved'],
    ['ReservationSettled', 'reserved', 'spent'],
    ['ReservationReleased', 'reserved', 'available'],
    ['ChargeRefunded', 'spent', 'available'],
    ['BalanceCorrected', 'issuer', 'available'],
    ['CreditsExpired', 'available', 'expired'],
  ] as const) {
    it(`${type}: from ${from} to ${to}`, () =>
      assert.deepEqual(postingsOf({ type, data: { amount: 7 } } as CreditsEvent), [
        { bucket: from, amount: -7 },
        { bucket: to, amount: 7 },
      ]));
  }

  for (const type of ['BookOpened', 'BookClosed', 'PlanAssigned', 'OperationServed', 'OperationFailed'] as const) {
    it(`${type}: nothing`, () => assert.deepEqual(postingsOf({ type, data: {} } as CreditsEvent), []));
  }

  it('begin with every bucket at 0', () => assert.deepEqual(Object.values(emptyBuckets()), [0, 0, 0, 0, 0]));
});
