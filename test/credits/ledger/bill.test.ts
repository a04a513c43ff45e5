import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreditsEvent } from '#src/credits/credits.ts';
import { billing } from '#src/credits/ledger/bill.ts';

const account = 'acc_1';
const span = { from: '2026-02-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' };
const before = '2026-01-31T23:59:59.999Z';
const within = '2026-02-10T00:00:00.000Z';

const granted = (amount: number, at: string): CreditsEvent => ({
  type: 'CreditsGranted',
  data: {
    accountId: account,
    grantId: `grant ${amount}`,
    kind: 'operator',
    amount,
    expiresAt: null,
    by: 'operator',
    requestId: null,
    at,
  },
});

const charged = (operation: 'transcript' | 'batch', amount: number, at: string, requests = 1): CreditsEvent => ({
  type: 'CreditsCharged',
  data: {
    accountId: account,
    chargeId: `charge ${amount}`,
    operation,
    amount,
    requests,
    priceBook: 'p',
    keyId: null,
    videoId: null,
    requestId: 'req_1',
    at,
  },
});

const reservation = { accountId: account, reservationId: 'rsv_1', jobId: 'job_1' };
const reserved = (amount: number, at: string): CreditsEvent => ({
  type: 'CreditsReserved',
  data: { ...reservation, keyId: null, amount, requestId: 'req_1', at },
});
const settled = (amount: number, at: string): CreditsEvent => ({
  type: 'ReservationSettled',
  data: {
    ...reservation,
    itemId: 'itm_1',
    attempt: 1,
    chargeId: 'settled',
    operation: 'job_item',
    amount,
    priceBook: 'p',
    keyId: null,
    videoId: null,
    requestId: 'req_1',
    at,
  },
});
const refunded = (amount: number, at: string): CreditsEvent => ({
  type: 'ChargeRefunded',
  data: {
    accountId: account,
    refundId: `refund ${amount}`,
    chargeId: 'charge',
    operation: 'transcript',
    amount,
    expiresAt: null,
    why: 'late',
    by: 'operator',
    requestId: 'req_1',
    at,
  },
});
const expired = (amount: number, at: string): CreditsEvent => ({
  type: 'CreditsExpired',
  data: { accountId: account, expiryId: `expiry ${amount}`, grantId: 'grant', amount, at },
});

const corrected = (amount: number, at: string): CreditsEvent => ({
  type: 'BalanceCorrected',
  data: {
    accountId: account,
    correctionId: `correction ${amount}`,
    entryId: 'charge',
    amount,
    why: 'typed wrong',
    by: 'operator',
    requestId: 'req_1',
    at,
  },
});

const billOf = (...events: CreditsEvent[]) => {
  const making = billing(account, span);
  for (const event of events) making.add(event);
  return making.bill();
};

describe('a bill', () => {
  it('without events is 0 throughout', () =>
    assert.deepEqual(billOf(), {
      accountId: account,
      ...span,
      opening: 0,
      granted: 0,
      charged: 0,
      refunded: 0,
      corrected: 0,
      expired: 0,
      reserved: 0,
      closing: 0,
      lines: [],
    }));

  it('shows grants, charges, refunds and the balance, by operation', () =>
    assert.deepEqual(
      billOf(
        granted(100, before),
        charged('transcript', 7, before),
        granted(1_000, within),
        granted(200, within),
        charged('transcript', 3, within),
        charged('transcript', 4, within),
        charged('batch', 5, within),
        charged('batch', 5, within, 0),
        reserved(50, within),
        settled(20, within),
        settled(10, within),
        refunded(2, within),
        refunded(1, within),
        expired(30, within),
        expired(8, within),
        corrected(-4, within),
        corrected(1, within),
      ),
      {
        accountId: account,
        ...span,
        opening: 93,
        granted: 1_200,
        charged: 47,
        refunded: 3,
        corrected: -3,
        expired: 38,
        reserved: 20,
        closing: 1_188,
        lines: [
          { operation: 'batch', count: 1, credits: 10 },
          { operation: 'job_item', count: 2, credits: 30 },
          { operation: 'transcript', count: 2, credits: 4 },
        ],
      },
    ));

  it('of a period includes its start and excludes its end', () => {
    const {
      opening,
      charged: paid,
      closing,
    } = billOf(granted(100, before), charged('transcript', 1, span.from), charged('transcript', 2, span.to));
    assert.deepEqual({ opening, paid, closing }, { opening: 100, paid: 1, closing: 99 });
  });
});
