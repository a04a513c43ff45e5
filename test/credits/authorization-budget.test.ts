import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { BudgetReached, CreditsEvent } from '#src/credits/credits.ts';
import { refused } from '#test/support/accounts.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const exhausted = refused('BUDGET_EXHAUSTED');
const budget = { creditsPerDay: 5, creditsTotal: 8 };
const actor = { type: 'authorization', id: 'aut_1' } as const;
const call = (deduplicationKey: string) =>
  callOf(account, { deduplicationKey, actor, authorizationId: 'aut_1', budget });
const job = { reservationId: 'rsv_1', jobId: 'job_1' };

const opened = async (maxEvents = 1_000) => {
  const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan: 'starter', clock });
  const ledger = ledgerOn(log, { clock, maxEvents });
  const spend = async () => foldOf((await booksOf(log, account)).at(-1) ?? []).spentByAuthorization.get('aut_1');
  return { log, ledger, moveTo, spend };
};

describe('the budget of an authorized application', () => {
  it('ends at the daily credits, renews at midnight UTC, and ends permanently at the total credits', async () => {
    const { ledger, moveTo } = await opened();
    await ledger.charge(call('1'), [transcriptCharge(5)]);
    await assert.rejects(ledger.charge(call('2'), [transcriptCharge(1)]), exhausted);
    moveTo('2026-01-11T00:00:00Z');
    await ledger.charge(call('2'), [transcriptCharge(3)]);
    moveTo('2026-01-12T00:00:00Z');
    const left = { remaining: 0, remaining_total: 0, reserved: 0, renews: null };
    const details = { required: 1, credits_per_day: 5, credits_total: 8, ...left };
    await assert.rejects(ledger.charge(call('3'), [transcriptCharge(1)]), { code: 'BUDGET_EXHAUSTED', details });
  });

  it('answers a repeat of a charge after the budget is spent', async () => {
    const { ledger } = await opened();
    const first = await ledger.charge(call('1'), [transcriptCharge(5)]);
    const again = await ledger.charge(call('1'), [transcriptCharge(5)]);
    assert.equal(again.eventId, first.eventId);
  });

  it('holds the whole price of a job, and takes back what it does not use on the day that counted it', async () => {
    const { ledger, moveTo, spend } = await opened();
    await ledger.reserve(call('job'), { ...job, amount: 4 });
    await assert.rejects(ledger.reserve(call('job-2'), { ...job, reservationId: 'rsv_2', amount: 2 }), exhausted);
    const settling = { attempt: 1, operation: 'job_item', videoId: 'abcdefghijk' } as const;
    await ledger.settleItem(callOf(account), { ...job, itemId: 'itm_1', amount: 1, ...settling });
    await ledger.release(callOf(account), { ...job, itemId: 'itm_2', amount: 1, why: 'item_failed' });
    const told = { day: '2026-01-10', onDay: 80, total: 50 };
    assert.deepEqual(await spend(), { authorizationId: 'aut_1', total: 3, day: '2026-01-10', onDay: 3, told });
    moveTo('2026-01-11T09:00:00Z');
    await ledger.charge(call('next day'), [transcriptCharge(4)]);
    await ledger.release(callOf(account), { ...job, itemId: null, amount: null, why: 'job_ended' });
    const next = { day: '2026-01-11', onDay: 80, total: 80 };
    assert.deepEqual(await spend(), { authorizationId: 'aut_1', total: 5, day: '2026-01-11', onDay: 4, told: next });
  });

  it('names the authorization in each event, and gives a refund back to it', async () => {
    const { ledger, log, spend } = await opened();
    const { eventId } = await ledger.charge(call('1'), [transcriptCharge(5)]);
    await ledger.refund(callOf(account), { chargeId: eventId ?? '', amount: 2, why: 'late' });
    assert.equal((await spend())?.total, 3);
    const types = (await booksOf(log, account)).flat().filter(({ data }) => 'authorizationId' in data);
    assert.deepEqual(
      types.map(({ type }) => type),
      [
        'CreditsCharged',
        'BudgetReached',
        'BudgetReached',
        'BudgetReached',
        'BudgetReached',
        'BudgetReached',
        'ChargeRefunded',
      ],
    );
  });

  it('reports each threshold of the day and of the total once, across all books', async () => {
    const { ledger, log, moveTo } = await opened(9);
    for (const [index, [day, amount]] of [
      [10, 3],
      [10, 1],
      [10, 1],
      [11, 2],
      [11, 1],
    ].entries()) {
      moveTo(`2026-01-${day}T10:00:00Z`);
      await ledger.charge(call(`${index}`), [transcriptCharge(amount ?? 0)]);
    }
    const told = (await booksOf(log, account)).flat().flatMap(({ type, data }) => {
      if (type !== 'BudgetReached') return [];
      const { window, share, spent, capCredits } = data as BudgetReached['data'];
      return [`${window}: ${share} % at ${spent} of ${capCredits}`];
    });
    assert.deepEqual(told, [
      'day 2026-01-10: 50 % at 3 of 5',
      'day 2026-01-10: 80 % at 4 of 5',
      'total: 50 % at 4 of 8',
      'day 2026-01-10: 95 % at 5 of 5',
      'day 2026-01-10: 100 % at 5 of 5',
      'total: 80 % at 7 of 8',
      'day 2026-01-11: 50 % at 3 of 5',
      'total: 95 % at 8 of 8',
      'total: 100 % at 8 of 8',
    ]);
  });

  it('continues in the next period and in the next book', async () => {
    const { ledger, moveTo, spend } = await opened(6);
    for (const [index, day] of ['2026-01-10', '2026-01-11', '2026-02-11', '2026-03-12'].entries()) {
      moveTo(`${day}T10:00:00Z`);
      await ledger.charge(call(`${index}`), [transcriptCharge(2)]);
    }
    assert.equal((await spend())?.total, 8);
    moveTo('2026-04-13T10:00:00Z');
    await assert.rejects(ledger.charge(call('more'), [transcriptCharge(1)]), exhausted);
  });

  it('is never overspent, whatever is charged on any day, however many charge at once', async () => {
    const attempt = fc.record({ day: fc.integer({ min: 10, max: 13 }), amount: fc.integer({ min: 1, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 12 }), async (attempts) => {
        const { ledger, log, moveTo } = await opened();
        const byDay = [...Map.groupBy(attempts, ({ day }) => day)].sort(([a], [b]) => a - b);
        for (const [day, its] of byDay) {
          moveTo(`2026-01-${day}T10:00:00Z`);
          await Promise.allSettled(
            its.map(({ amount }, index) => ledger.charge(call(`${day}-${index}`), [transcriptCharge(amount)])),
          );
        }
        const charges = (await booksOf(log, account)).flat().flatMap((event) => {
          const { type, data } = event as CreditsEvent;
          return type === 'CreditsCharged' ? [data] : [];
        });
        const sum = (some: readonly { amount: number }[]) => some.reduce((all, { amount }) => all + amount, 0);
        assert.ok(sum(charges) <= budget.creditsTotal);
        for (const its of Map.groupBy(charges, ({ at }) => at.slice(0, 10)).values()) {
          assert.ok(sum(its) <= budget.creditsPerDay);
        }
      }),
      { numRuns: 25 },
    );
  });
});
