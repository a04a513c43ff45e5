import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlanKey } from '#src/contract/plan-keys.ts';
import { refused } from '#test/support/accounts.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const call = (deduplicationKey: string, capCredits: number | null = null) =>
  callOf(account, { deduplicationKey, capCredits });
const job = { reservationId: 'rsv_1', jobId: 'job_1' };
const item = (itemId: string, amount = 1) => ({ ...job, itemId, amount });
const settling = { attempt: 1, operation: 'job_item', videoId: 'abcdefghijk' } as const;

const opened = async (plan: PlanKey = 'starter', maxEvents = 1_000) => {
  const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan, clock });
  const ledger = ledgerOn(log, { clock, maxEvents });
  const state = async () => foldOf((await booksOf(log, account)).at(-1) ?? []);
  const balance = async () => {
    const { available, reserved, spent } = await state();
    return { available, reserved, spent };
  };
  return { log, ledger, moveTo, state, balance };
};

describe('a reservation', () => {
  it('reserves credits, spends them item by item and returns the rest', async () => {
    const { ledger, balance, state } = await opened();
    const reserved = await ledger.reserve(call('job'), { ...job, amount: 10 });
    assert.equal(reserved.credits, 0);
    assert.deepEqual(await balance(), { available: 990, reserved: 10, spent: 0 });

    const settled = await ledger.settleItem(call('one'), { ...item('itm_1', 3), ...settling });
    assert.equal(settled.credits, 3);
    assert.deepEqual(await balance(), { available: 990, reserved: 7, spent: 3 });
    await ledger.release(call('two'), { ...item('itm_2', 2), why: 'item_failed' });
    assert.deepEqual(await balance(), { available: 992, reserved: 5, spent: 3 });
    const rest = { ...job, itemId: null, amount: null, why: 'job_ended' } as const;
    await ledger.release(call('end'), rest);

    assert.deepEqual(await balance(), { available: 997, reserved: 0, spent: 3 });
    assert.equal((await state()).reservations.size, 0);
  });

  it('assigns each item to what its reservation named, and says what it was for and what priced it', async () => {
    const { log, ledger } = await opened();
    const budget = { creditsPerDay: 10, creditsTotal: 10 };
    const tagged = { ...call('job'), costTag: 'team a', authorizationId: 'aut_1', budget };
    await ledger.reserve(tagged, { ...job, amount: 10 });
    const delivery = { contentSha256: 'ab'.repeat(32), options: { lang: 'de' } };
    const pricedBy = { isRecognized: true };
    await ledger.settleItem(call('one'), { ...item('itm_1', 10), ...settling, delivery, pricedBy });
    const [settled] = (await booksOf(log, account)).flat().slice(-1);
    assert.partialDeepStrictEqual(settled?.data, {
      ...{ costTag: 'team a', authorizationId: 'aut_1', keyId: 'key_of_acc_1' },
      ...delivery,
      pricedBy,
    });
  });

  it('settles its last credit, and nothing once it is spent', async () => {
    const { ledger, balance } = await opened();
    await ledger.reserve(call('job'), { ...job, amount: 2 });
    await ledger.settleItem(call('one'), { ...item('itm_1', 2), ...settling });
    const late = await ledger.settleItem(call('two'), { ...item('itm_2', 1), ...settling });
    assert.equal(late.eventId, null);
    const rest = { ...job, itemId: null, amount: null, why: 'job_ended' } as const;
    assert.equal((await ledger.release(call('end'), rest)).eventId, null);
    assert.deepEqual(await balance(), { available: 998, reserved: 0, spent: 2 });
  });

  it('resolves each item once, as it was resolved first', async () => {
    const { ledger, balance } = await opened();
    await ledger.reserve(call('job'), { ...job, amount: 5 });
    await ledger.settleItem(call('one'), { ...item('itm_1'), ...settling });
    await ledger.release(call('one again'), { ...item('itm_1'), why: 'item_failed' });
    await ledger.release(call('two'), { ...item('itm_2'), why: 'item_failed' });
    await ledger.settleItem(call('two again'), { ...item('itm_2'), ...settling });
    assert.deepEqual(await balance(), { available: 996, reserved: 3, spent: 1 });
  });

  it('returns credits to the grants that they came from, soonest expiry first', async () => {
    const { ledger, state } = await opened('starter');
    const soon = '2026-01-20T00:00:00.000Z';
    await ledger.grant(call('soon'), { reference: 'soon', amount: 10, expiresAt: soon });
    await ledger.grant(call('ever'), { reference: 'ever', amount: 100, expiresAt: null });
    const left = async () =>
      (await state()).grants.map(({ kind, expiresAt, remaining }) => [
        kind,
        expiresAt?.slice(0, 10) ?? null,
        remaining,
      ]);

    await ledger.reserve(call('job'), { ...job, amount: 1_015 });
    assert.deepEqual(await left(), [['operator', null, 95]]);
    await ledger.settleItem(call('one'), { ...item('itm_1', 6), ...settling });
    await ledger.release(call('two'), { ...item('itm_2', 7), why: 'item_failed' });
    assert.deepEqual(await left(), [
      ['operator', '2026-01-20', 4],
      ['plan', '2026-02-10', 3],
      ['operator', null, 95],
    ]);
    await ledger.release(call('end'), { ...job, itemId: null, amount: null, why: 'job_ended' });
    assert.deepEqual(await left(), [
      ['operator', '2026-01-20', 4],
      ['plan', '2026-02-10', 1_000],
      ['operator', null, 100],
    ]);
  });

  it('counts for the cap of its key until it is released', async () => {
    const { ledger } = await opened();
    await ledger.reserve(call('job', 10), { ...job, amount: 8 });
    await assert.rejects(ledger.charge(call('too much', 10), [transcriptCharge(3)]), refused('INSUFFICIENT_CREDITS'));
    await ledger.settleItem(call('one', 10), { ...item('itm_1', 2), ...settling });
    await ledger.release(call('two', 10), { ...item('itm_2', 1), why: 'item_failed' });
    await ledger.charge(call('enough', 10), [transcriptCharge(3)]);
    await assert.rejects(ledger.charge(call('no more', 10), [transcriptCharge(1)]), refused('INSUFFICIENT_CREDITS'));
  });

  it('is carried into the next books, and counts for the cap of its key there', async () => {
    const { ledger, moveTo, state, balance } = await opened('starter', 6);
    await ledger.charge(call('before', 20), [transcriptCharge(5)]);
    await ledger.reserve(call('job', 20), { ...job, amount: 8 });
    await ledger.settleItem(call('one', 20), { ...item('itm_1', 2), ...settling });
    await ledger.charge(call('after', 20), [transcriptCharge(1)]);
    await ledger.charge(call('another', 20), [transcriptCharge(1)]);
    assert.equal((await state()).part, 2);
    assert.deepEqual([...(await state()).spentByKey.values()], [15]);
    assert.equal((await balance()).reserved, 6);

    moveTo('2026-02-10T00:00:00Z');
    await ledger.rollPeriod(call('turn'));
    assert.deepEqual([...(await state()).spentByKey.values()], [6]);
    await ledger.release(call('end'), { ...job, itemId: null, amount: null, why: 'job_ended' });
    assert.deepEqual([...(await state()).spentByKey.values()], [0]);
    // What comes back of a period that is over expires at the next look.
    const { remaining, reserved } = await ledger.balance(call('look'), { fresh: true });
    assert.deepEqual({ remaining, reserved }, { remaining: 1_000, reserved: 0 });
  });

  it('of an unlimited plan reduces the overdraft first', async () => {
    const { ledger, balance } = await opened('enterprise');
    await ledger.grant(call('gift'), { reference: 'gift', amount: 10, expiresAt: null });
    await ledger.reserve(call('job'), { ...job, amount: 25 });
    assert.deepEqual(await balance(), { available: -15, reserved: 25, spent: 0 });
    await ledger.release(call('one'), { ...item('itm_1', 12), why: 'item_failed' });
    assert.deepEqual(await balance(), { available: -3, reserved: 13, spent: 0 });
    await ledger.release(call('end'), { ...job, itemId: null, amount: null, why: 'job_ended' });
    const { available } = await balance();
    assert.equal(available, 10);
    await ledger.assignPlan(call('plan'), 'starter');
    assert.deepEqual(await balance(), { available: 1_010, reserved: 0, spent: 0 });
  });

  it('is refused above what is available and above the cap of its key', async () => {
    const { ledger, balance } = await opened();
    const tooLittle = refused('INSUFFICIENT_CREDITS');
    await assert.rejects(ledger.reserve(call('much'), { ...job, amount: 1_001 }), tooLittle);
    await assert.rejects(ledger.reserve(call('cap', 5), { ...job, amount: 6 }), tooLittle);
    await ledger.reserve(call('all'), { ...job, amount: 1_000 });
    assert.deepEqual(await balance(), { available: 0, reserved: 1_000, spent: 0 });
  });

  it('settles whole credits, at least one', async () => {
    const { ledger, balance } = await opened();
    await ledger.reserve(call('job'), { ...job, amount: 5 });
    for (const amount of [0, -1, 0.5, Number.NaN]) {
      const settled = ledger.settleItem(call(`${amount}`), { ...item('itm_1', amount), ...settling });
      await assert.rejects(settled);
    }
    assert.deepEqual(await balance(), { available: 995, reserved: 5, spent: 0 });
  });

  it('of an unlimited plan can come back at once: its grants hold what is available', async () => {
    const { ledger, state } = await opened('enterprise');
    for (const reference of ['a', 'b']) {
      await ledger.grant(call(reference), { reference, amount: 10, expiresAt: null });
    }
    await ledger.reserve(call('job'), { ...job, amount: 30 });
    await ledger.charge(call('more'), [transcriptCharge(5)]);
    await ledger.release(call('end'), { ...job, itemId: null, amount: null, why: 'job_ended' });
    const { available, grants } = await state();
    assert.equal(available, 15);
    assert.equal(
      grants.reduce((sum, { remaining }) => sum + remaining, 0),
      15,
    );
  });
});
