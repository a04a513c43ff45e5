import assert from 'node:assert/strict';
import type { CreditsEvent } from '#src/credits/credits.ts';

type Key = string | null;
type Counts = { requests: number; failed: number; credits: number };

/** The sums of an account's ledger entries. */
export type ReferenceLedger = {
  readonly buckets: Record<'issuer' | 'available' | 'reserved' | 'spent' | 'expired', number>;
  /** What each key has spent and set aside in the period that is open. */
  readonly used: ReadonlyMap<string, number>;
  /** Usage by `day kind key`. */
  readonly usage: ReadonlyMap<string, Counts>;
  readonly plan: string | null;
};

/**
 * Sums an account's entries independently of the product's fold and read models. The key that paid is looked up at the charge,
 * or at the reservation of an item. Throws if a balance falls below zero on a limited
 * plan, a key spends more than its cap, or refunds exceed charges.
 */
export const referenceLedger = (
  entries: readonly CreditsEvent[],
  caps: Readonly<Record<string, number>>,
): ReferenceLedger => {
  const buckets = { issuer: 0, available: 0, reserved: 0, spent: 0, expired: 0 };
  const used = new Map<string, number>();
  const usage = new Map<string, Counts>();
  const held = new Map<string, { key: Key; credits: number }>();
  const paid = new Map<string, { key: Key; at: string; left: number }>();
  let plan: string | null = null;
  let opensAt = '';

  const move = (from: keyof typeof buckets, to: keyof typeof buckets, amount: number): void => {
    buckets[from] -= amount;
    buckets[to] += amount;
  };
  const count = (key: Key, amount: number): void => {
    if (key !== null) used.set(key, (used.get(key) ?? 0) + amount);
  };
  const spend = (key: Key, amount: number): void => {
    count(key, amount);
    if (key !== null) assert.ok((used.get(key) ?? 0) <= (caps[key] ?? Infinity), `cap of ${key}`);
  };
  const tally = (at: string, kind: string, key: Key, more: Partial<Counts>): void => {
    const name = `${at.slice(0, 10)} ${kind} ${key ?? ''}`;
    const known = usage.get(name) ?? { requests: 0, failed: 0, credits: 0 };
    usage.set(name, {
      requests: known.requests + (more.requests ?? 0),
      failed: known.failed + (more.failed ?? 0),
      credits: known.credits + (more.credits ?? 0),
    });
  };
  const holdOf = (reservationId: string) => {
    const hold = held.get(reservationId);
    assert(hold !== undefined, 'what is resolved was set aside');
    return hold;
  };

  const enter = ({ type, data }: CreditsEvent): void => {
    switch (type) {
      case 'BookOpened':
        plan = data.plan;
        if (data.opensAt === opensAt) return;
        opensAt = data.opensAt;
        used.clear();
        for (const { key, credits } of held.values()) count(key, credits);
        return;
      case 'BookClosed':
        return;
      case 'PlanAssigned':
        plan = data.plan;
        return;
      case 'CreditsGranted':
        move('issuer', 'available', data.amount);
        return;
      case 'CreditsCharged':
        move('available', 'spent', data.amount);
        spend(data.keyId, data.amount);
        paid.set(data.chargeId, { key: data.keyId, at: data.at, left: data.amount });
        tally(data.at, data.operation, data.keyId, { requests: data.requests, credits: data.amount });
        return;
      case 'CreditsReserved':
        move('available', 'reserved', data.amount);
        spend(data.keyId, data.amount);
        held.set(data.reservationId, { key: data.keyId, credits: data.amount });
        return;
      case 'ReservationSettled': {
        const hold = holdOf(data.reservationId);
        move('reserved', 'spent', data.amount);
        hold.credits -= data.amount;
        paid.set(data.chargeId, { key: hold.key, at: data.at, left: data.amount });
        tally(data.at, data.operation, hold.key, { requests: 1, credits: data.amount });
        return;
      }
      case 'ReservationReleased': {
        const hold = holdOf(data.reservationId);
        move('reserved', 'available', data.amount);
        hold.credits -= data.amount;
        count(hold.key, -data.amount);
        return;
      }
      case 'ChargeRefunded': {
        const charge = paid.get(data.chargeId);
        assert(charge !== undefined, 'what is given back was paid');
        move('spent', 'available', data.amount);
        charge.left -= data.amount;
        assert.ok(charge.left >= 0, 'no more is given back than was paid');
        if (charge.at >= opensAt) count(charge.key, -data.amount);
        tally(data.at, data.operation, charge.key, { credits: -data.amount });
        return;
      }
      case 'BalanceCorrected':
        if (data.amount < 0) assert.ok(buckets.available + data.amount >= 0, 'a correction takes what is there');
        move('issuer', 'available', data.amount);
        return;
      case 'CreditsExpired':
        move('available', 'expired', data.amount);
        return;
      case 'OperationServed':
        tally(data.at, data.operation, data.keyId, { requests: 1 });
        return;
      case 'OperationFailed':
        tally(data.at, data.operation, data.keyId, { requests: data.requests ?? 1, failed: data.requests ?? 1 });
        return;
    }
  };
  for (const entry of entries) {
    enter(entry);
    assert.ok(buckets.reserved >= 0, `reserved after ${entry.type}`);
    assert.ok(buckets.available >= 0 || plan === 'enterprise', `available after ${entry.type}`);
  }
  return { buckets, used, usage, plan };
};
