import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refused } from '#test/support/accounts.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const call = (deduplicationKey: string) => callOf(account, { deduplicationKey });

const opened = async (plan: 'starter' | 'enterprise' = 'starter') => {
  const { clock } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan, clock });
  const ledger = ledgerOn(log, { clock });
  const { eventId } = await ledger.charge(call('charge'), [transcriptCharge(10)]);
  const correct = (reference: string, amount: number, entryId = eventId ?? '') =>
    ledger.correct(call(`correction ${reference}`), { reference, entryId, amount, why: 'billed twice' });
  const state = async () => foldOf((await booksOf(log, account)).at(-1) ?? []);
  return { log, ledger, correct, state };
};

describe('a correction', () => {
  it('gives credits that never expire, or takes those that expire first', async () => {
    const { correct, state } = await opened();
    await correct('one', 7);
    await correct('other', -991);
    assert.deepEqual(
      (await state()).grants.map(({ kind, remaining, expiresAt }) => [kind, remaining, expiresAt]),
      [['operator', 6, null]],
    );
  });

  it('happens once for one reference, and refuses the reference of another one', async () => {
    const { correct, state } = await opened();
    const first = await correct('one', -2);
    assert.partialDeepStrictEqual(await correct('one', -2), { eventId: first.eventId, isRepeat: true });
    await assert.rejects(correct('one', -3), refused('IDEMPOTENCY_KEY_REUSED'));
    assert.equal((await state()).available, 988);
  });

  for (const [plan, left] of [
    ['starter', 990],
    ['enterprise', 0],
  ] as const) {
    it(`never takes more than is left on the plan ${plan}, not even forty at once`, async () => {
      const { ledger, correct, state } = await opened(plan);
      const { available } = await state();
      await assert.rejects(correct('one', -left - 1), refused('INSUFFICIENT_CREDITS'));
      await ledger.grant(call('gift'), { reference: 'gift', amount: 10 + Math.max(0, -available), expiresAt: null });
      const taken = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => correct(`taken ${n}`, -100)));
      const held = taken.filter(({ status }) => status === 'fulfilled').length;
      assert.deepEqual([held, (await state()).available], [left === 0 ? 0 : 10, left === 0 ? 10 : 0]);
    });
  }

  it('is for an entry of the account alone', async () => {
    const { log, correct } = await opened();
    await openBook(log, 'acc_2', { plan: 'starter', clock: () => new Date('2026-01-10T09:00:00Z') });
    const [foreign] = (await booksOf(log, 'acc_2')).flat();
    for (const entryId of [foreign?.id ?? '', '00000000-0000-5000-8000-000000000000', 'nonsense']) {
      await assert.rejects(correct('one', 1, entryId), refused('NOT_FOUND'));
    }
  });

  it('permanently deducts credits that never expire: a refund does not restore them', async () => {
    const { ledger, correct, state } = await opened();
    await ledger.grant(call('gift'), { reference: 'gift', amount: 50, expiresAt: null });
    const { eventId } = await ledger.charge(call('plan'), [transcriptCharge(990)]);
    await correct('one', -50);
    await ledger.refund(call('back'), { chargeId: eventId ?? '', amount: 40, why: 'late' });
    assert.deepEqual(
      (await state()).grants.map(({ expiresAt }) => expiresAt === null),
      [false],
    );
  });
});
