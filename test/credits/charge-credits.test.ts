import { describe, it } from 'node:test';
import { DeciderSpecification } from '@event-driven-io/emmett';
import { type ChargeCredits, chargeIdOf, decide } from '#src/credits/charge-credits.ts';
import { type CreditsEvent, evolve, initialState, type State } from '#src/credits/credits.ts';
import { keyIdOf } from '#src/credits/ledger-context.ts';
import { priceBook } from '#src/credits/prices.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { callOf, transcriptCharge } from '#test/support/credits.ts';

const now = new Date('2026-11-02T10:00:00Z');
const at = now.toISOString();
const given = DeciderSpecification.for<ChargeCredits, CreditsEvent, State>({ decide, evolve, initialState });

const granted = (amount: number): CreditsEvent => ({
  type: 'CreditsGranted',
  data: {
    accountId: 'acc_1',
    grantId: `grant of ${amount}`,
    kind: 'plan',
    amount,
    expiresAt: '2026-12-01T00:00:00.000Z',
    by: 'plan',
    requestId: null,
    at,
  },
});

const operation = (deduplicationKey: string, capCredits: number | null = null) =>
  callOf('acc_1', { deduplicationKey, capCredits });

const charged = (deduplicationKey: string, amount: number): CreditsEvent => ({
  type: 'CreditsCharged',
  data: {
    accountId: 'acc_1',
    chargeId: chargeIdOf(operation(deduplicationKey), transcriptCharge(amount)),
    operation: 'transcript',
    amount,
    requests: 1,
    priceBook,
    keyId: keyIdOf(operation(deduplicationKey)),
    videoId: 'abcdefghijk',
    requestId: 'req_1',
    at,
  },
});

const charge = (deduplicationKey: string, amount: number, past: readonly string[] = []) =>
  chargeUnderCap(deduplicationKey, amount, null, past);

const chargeUnderCap = (
  deduplicationKey: string,
  amount: number,
  cap: number | null,
  past: readonly string[] = [],
): ChargeCredits => ({
  type: 'ChargeCredits',
  data: { context: operation(deduplicationKey, cap), charges: [transcriptCharge(amount)] },
  metadata: { now, known: new Set(past) },
});

const idOf = (deduplicationKey: string) => chargeIdOf(operation(deduplicationKey), transcriptCharge(1));

const refused = (details: object) => (error: Error) =>
  error instanceof Refusal &&
  error.code === 'INSUFFICIENT_CREDITS' &&
  JSON.stringify(error.details) === JSON.stringify(details);

describe('charge credits', () => {
  it('takes the price from the balance', () =>
    given([granted(100)])
      .when(charge('request-1', 30))
      .then([charged('request-1', 30)]));

  it('takes the last credit', () =>
    given([granted(30)])
      .when(charge('request-1', 30))
      .then([charged('request-1', 30)]));

  it('refuses a price above the balance', () =>
    given([granted(100), charged('request-1', 80)])
      .when(charge('request-2', 30))
      .thenThrows(refused({ required: 30, remaining: 20 })));

  it('never charges one request twice, even when the balance is spent', () =>
    given([granted(30), charged('request-1', 30)])
      .when(charge('request-1', 30, [idOf('request-1')]))
      .thenNothingHappened());

  it('refuses a charge above the cap of the key although the account could pay', () =>
    given([granted(100), charged('request-1', 8)])
      .when(chargeUnderCap('request-2', 3, 10))
      .thenThrows(refused({ required: 3, remaining: 2, key_cap: 10, cap_period: 'period' })));

  it('lets a key spend within its cap', () =>
    given([granted(100), charged('request-1', 7)])
      .when(chargeUnderCap('request-2', 2, 10))
      .then([charged('request-2', 2)]));
});
