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
    chargeOnSuccess(ledger)(call, { operation: 'ask', quote, run: async () => ({ made: 'answer', charges }) });
  const spent = async () => 10_000 - (await ledger.balance(call, { fresh: true })).remaining;
  return { ledger, entries, operate, spent };
};

describe('an operation that is charged on success', () => {
  it('is charged its actual price, which may be below the quote', async () => {
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

  it('refunds the charge of an earlier attempt whose response was lost, once it is permanently refused', async () => {
    const { ledger, operate, spent } = await opened();
    await operate([quoted]);
    for (const [wasAnswered, cost] of [
      [true, 3],
      [false, 0],
    ] as const) {
      const refused = chargeOnSuccess(ledger)(
        { ...call, wasAnswered },
        { operation: 'ask', quote: [quoted], run: () => Promise.reject(new Refusal('VIDEO_NOT_FOUND', 'It is gone.')) },
      );
      await assert.rejects(refused, { code: 'VIDEO_NOT_FOUND' });
      assert.equal(await spent(), cost, 'an answer that was sent stays charged');
    }
  });

  it('holds its quote for the address of a visitor, whose book is opened by the first charge', async () => {
    const { clock } = manualClock('2026-11-21T10:00:00Z');
    const log = memoryEventLog({ clock });
    const ledger = ledgerOn(log, { clock });
    let held = 0;
    let isOpen = false;
    const allowance = {
      reader: 'vis_1',
      isNew: false,
      hasBook: async () => isOpen,
      openBook: async () => {
        if (!isOpen) await openBook(log, account, { clock });
        isOpen = true;
      },
      hold: async (credits: number) => {
        held += credits;
      },
      release: async (credits: number) => {
        held -= credits;
      },
    };
    const work = (deduplicationKey: string, run: () => Promise<readonly Charge[]>, quote = [quoted]) =>
      chargeOnSuccess(ledger)(
        { ...call, deduplicationKey, allowance },
        {
          operation: 'ask',
          quote,
          run: async () => {
            const charges = await run();
            return { made: held, charges };
          },
        },
      );
    await assert.rejects(
      work('fails', () => Promise.reject(new Refusal('VIDEO_NOT_FOUND', 'It is gone.'))),
      { code: 'VIDEO_NOT_FOUND' },
    );
    assert.equal((await work('is free', async () => [], [])).eventId, null);
    assert.deepEqual([held, isOpen], [0, false]);
    assert.equal((await work('is charged', async () => [fallback])).made, 3);
    assert.deepEqual([held, isOpen], [1, true]);
    await work('another', async () => [fallback]);
    assert.equal(held, 2);
    await work('another', async () => [fallback]);
    assert.equal(held, 2, 'a repeat is not counted again');
    allowance.openBook = () => Promise.reject(new Error('the log is unavailable'));
    await assert.rejects(
      work('is not stored', async () => [fallback]),
      { message: 'the log is unavailable' },
    );
    assert.equal(held, 2, 'a charge that failed is not counted');
  });
});
