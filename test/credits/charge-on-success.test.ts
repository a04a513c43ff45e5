import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Charge } from '#src/credits/charge-credits.ts';
import { chargeOnSuccess } from '#src/credits/charge-on-success.ts';
import { priceOf } from '#src/credits/prices.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { booksOf, callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const call = callOf(account);
const quoted: Charge = {
  what: 'abcdefghijk',
  operation: 'ask',
  amount: priceOf('ask'),
  requests: 1,
  videoId: 'abcdefghijk',
};
const modelUse = { model: 'a-model', promptVersion: '1', inputTokens: 1_200, outputTokens: 80 };
const fallback = { ...quoted, amount: priceOf('ask', { usesModel: false }) };

const opened = async () => {
  const { clock } = manualClock('2026-11-21T10:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { clock });
  const ledger = ledgerOn(log, { clock });
  const entries = async () => (await booksOf(log, account)).flat();
  const operate = (charges: readonly Charge[], quote: readonly Charge[] = [quoted]) =>
    chargeOnSuccess(ledger)(call, {
      operation: 'ask',
      quote,
      run: async () => ({ made: 'answer', charges }),
    });
  const spent = async () => 10_000 - (await ledger.balance(call, { fresh: true })).remaining;
  return { ledger, entries, operate, spent };
};

describe('an operation that is charged on success', () => {
  it('is charged what it came to, which may be less than was quoted', async () => {
    const { operate, spent } = await opened();
    const { made, creditsCharged } = await operate([fallback]);
    assert.deepEqual([made, creditsCharged, await spent()], ['answer', 1, 1]);
  });

  it('names the model, its prompts and its tokens in the charge', async () => {
    const { operate, entries } = await opened();
    const { eventId } = await operate([{ ...quoted, modelUse }]);
    const charge = (await entries()).find(({ id }) => id === eventId);
    assert.deepEqual(charge?.data, { ...charge?.data, ...modelUse, amount: 3 });
  });

  it('is recorded as served if nothing is due', async () => {
    const { operate, entries, spent } = await opened();
    const { creditsCharged, eventId } = await operate([], []);
    assert.deepEqual([creditsCharged, await spent()], [0, 0]);
    assert.deepEqual(
      (await entries()).flatMap(({ id, type }) => (id === eventId ? type : [])),
      ['OperationServed'],
    );
  });

  it('is refused before the work if the balance does not cover its quote', async () => {
    const { operate, spent } = await opened();
    const dear = { ...quoted, amount: 10_001 };
    await assert.rejects(operate([fallback], [dear]), { code: 'INSUFFICIENT_CREDITS' });
    assert.equal(await spent(), 0);
  });

  for (const [what, charge] of [
    ['more than was quoted', { ...quoted, amount: 4 }],
    ['for something that was not quoted', { ...quoted, what: 'bbbbbbbbbbb' }],
  ] as const) {
    it(`fails as a fault and costs nothing if it charges ${what}`, async () => {
      const { operate, spent } = await opened();
      await assert.rejects(operate([charge]), { code: 'ERR_ASSERTION' });
      assert.equal(await spent(), 0);
    });
  }

  it('gives back the charge of an earlier attempt whose answer was lost, once it is refused for good', async () => {
    const { ledger, operate, spent } = await opened();
    await operate([quoted]);
    const refused = chargeOnSuccess(ledger)(call, {
      operation: 'ask',
      quote: [quoted],
      run: () => Promise.reject(new Refusal('VIDEO_NOT_FOUND', 'It is gone.')),
    });
    await assert.rejects(refused, { code: 'VIDEO_NOT_FOUND' });
    assert.equal(await spent(), 0);
  });
});
