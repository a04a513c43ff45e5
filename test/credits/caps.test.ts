import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { BudgetReached } from '#src/credits/credits.ts';
import { mondayOf } from '#src/credits/key-spend.ts';
import type { Call } from '#src/kernel/call.ts';
import { refused } from '#test/support/accounts.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const tooMuch = refused('INSUFFICIENT_CREDITS');

type Cap = Pick<Call, 'capCredits' | 'capPeriod' | 'warnAt'>;

/** The account opened on Saturday 2026-01-10: its periods begin on the tenth. */
const opened = async (cap: Cap, maxEvents = 1_000) => {
  const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan: 'pro', clock });
  const ledger = ledgerOn(log, { clock, maxEvents });
  let operations = 0;
  const call = (changed: Partial<Cap> = {}) =>
    callOf(account, { deduplicationKey: `operation ${++operations}`, ...cap, ...changed });
  const told = async () =>
    (await booksOf(log, account)).flat().flatMap(({ type, data }) => {
      if (type !== 'BudgetReached') return [];
      const { window, share, spent } = data as BudgetReached['data'];
      return [`${window}: ${share} % at ${spent}`];
    });
  return {
    ...{ log, ledger, moveTo, call, told },
    spend: (amount: number, changed: Partial<Cap> = {}) => ledger.charge(call(changed), [transcriptCharge(amount)]),
  };
};

describe('the cap of a key', () => {
  it('counts by the UTC day', async () => {
    const { spend, moveTo } = await opened({ capCredits: 10, capPeriod: 'day' });
    await spend(10);
    await assert.rejects(spend(1), tooMuch);
    moveTo('2026-01-10T23:59:59.999Z');
    await assert.rejects(spend(1), tooMuch);
    moveTo('2026-01-11T00:00:00Z');
    await spend(10);
    await assert.rejects(spend(1), tooMuch);
  });

  it('counts by the week from Monday, through the end of a billing period', async () => {
    const { spend, moveTo } = await opened({ capCredits: 10, capPeriod: 'week' });
    moveTo('2026-02-09T00:00:00Z'); // Monday; the period ends on Tuesday.
    await spend(6);
    moveTo('2026-02-10T00:00:01Z');
    await assert.rejects(spend(5), tooMuch);
    await spend(4);
    moveTo('2026-02-15T23:59:59Z');
    await assert.rejects(spend(1), tooMuch);
    moveTo('2026-02-16T00:00:00Z');
    await spend(10);
  });

  it('counts by the billing period, through all books of it', async () => {
    const { spend, moveTo } = await opened({ capCredits: 10 }, 4);
    await spend(4);
    await spend(4);
    await spend(2);
    await assert.rejects(spend(1), tooMuch);
    moveTo('2026-02-10T00:00:00Z');
    await spend(10);
  });

  it('counts by day through the books of a period', async () => {
    const { spend } = await opened({ capCredits: 10, capPeriod: 'day' }, 4);
    for (let spent = 0; spent < 10; spent += 1) await spend(1);
    await assert.rejects(spend(1), tooMuch);
  });

  it('restores the unused credits of a job in the same window, and none of an earlier one', async () => {
    const { ledger, call, spend, moveTo } = await opened({ capCredits: 10, capPeriod: 'day' });
    const job = { reservationId: 'rsv_1', jobId: 'job_1' };
    await ledger.reserve(call(), { ...job, amount: 10 });
    await assert.rejects(spend(1), tooMuch);
    await ledger.release(call(), { ...job, itemId: 'itm_1', amount: 4, why: 'item_failed' });
    await spend(4);
    moveTo('2026-01-11T00:00:00Z');
    await spend(9);
    await ledger.release(call(), { ...job, itemId: null, amount: null, why: 'job_ended' });
    await assert.rejects(spend(2), tooMuch);
  });

  it('restores a refund of the same window', async () => {
    const { ledger, call, spend } = await opened({ capCredits: 10, capPeriod: 'week' });
    const { eventId } = await spend(10);
    await ledger.refund(call(), { chargeId: eventId ?? '', amount: 3, why: 'wrong captions' });
    await spend(3);
    await assert.rejects(spend(1), tooMuch);
  });

  it('is never exceeded by concurrent calls', async () => {
    const { log, spend } = await opened({ capCredits: 10, capPeriod: 'day', warnAt: [50] });
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => spend(1)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
    assert.equal(foldOf((await booksOf(log, account)).at(-1) ?? []).spent, 10);
  });

  it('applies as soon as it is changed, and includes what was spent before', async () => {
    const { spend } = await opened({ capCredits: 10, capPeriod: 'period' });
    await spend(8);
    await assert.rejects(spend(1, { capPeriod: 'day', capCredits: 8 }), tooMuch);
    await spend(12, { capCredits: 20 });
  });
});

describe('warnings of the cap of a key', () => {
  it('are sent for each threshold once in a window, and for the whole cap', async () => {
    const { spend, told, moveTo } = await opened({ capCredits: 10, capPeriod: 'day', warnAt: [50, 80, 95] });
    await spend(4);
    assert.deepEqual(await told(), []);
    await spend(1);
    await spend(1);
    await spend(4);
    assert.deepEqual(await told(), [
      'day 2026-01-10: 50 % at 5',
      'day 2026-01-10: 80 % at 10',
      'day 2026-01-10: 95 % at 10',
      'day 2026-01-10: 100 % at 10',
    ]);
    moveTo('2026-01-11T00:00:00Z');
    await spend(5);
    assert.deepEqual((await told()).slice(4), ['day 2026-01-11: 50 % at 5']);
  });

  it('are not announced again after a refund, nor in the next book', async () => {
    const { ledger, call, spend, told } = await opened({ capCredits: 10, warnAt: [50] }, 5);
    const { eventId } = await spend(5);
    await ledger.refund(call(), { chargeId: eventId ?? '', amount: 5, why: 'wrong captions' });
    await spend(5);
    await spend(1);
    assert.deepEqual(await told(), ['period 2026-01: 50 % at 5']);
  });

  it('are announced for reserved credits of a job', async () => {
    const { ledger, call, told } = await opened({ capCredits: 10, capPeriod: 'week', warnAt: [50] });
    await ledger.reserve(call(), { reservationId: 'rsv_1', jobId: 'job_1', amount: 7 });
    assert.deepEqual(await told(), ['week 2026-01-05: 50 % at 7']);
  });

  it('are announced again for another cap', async () => {
    const { spend, told } = await opened({ capCredits: 10, warnAt: [50] });
    await spend(5);
    await spend(5, { capCredits: 20 });
    assert.deepEqual(await told(), ['period 2026-01: 50 % at 5', 'period 2026-01: 50 % at 10']);
  });

  it('cost nothing and are not part of the receipt of a charge', async () => {
    const { spend } = await opened({ capCredits: 2, warnAt: [50] });
    const { credits, eventIds } = await spend(2);
    assert.deepEqual([credits, eventIds.length], [2, 1]);
  });
});

describe('a week', () => {
  it('begins on Monday, in every year', () => {
    const days = fc.integer({ min: 0, max: 40_000 }).map((day) => new Date(day * 86_400_000));
    fc.assert(
      fc.property(days, (date) => {
        const monday = new Date(`${mondayOf(date.toISOString().slice(0, 10))}T00:00:00Z`);
        assert.equal(monday.getUTCDay(), 1);
        assert.ok(date.getTime() - monday.getTime() < 7 * 86_400_000 && monday <= date);
      }),
    );
  });
});
