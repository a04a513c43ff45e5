import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chargeIdOf } from '#src/credits/charge-credits.ts';
import { initialState, type State } from '#src/credits/credits.ts';
import { holdBalance } from '#src/credits/ledger/ledger-service.ts';
import { refused } from '#test/support/accounts.ts';
import { callOf, transcriptCharge } from '#test/support/credits.ts';

const tooLittle = refused('INSUFFICIENT_CREDITS');
const call = callOf('acc_1');
const other = callOf('acc_2');
const of = (...amounts: number[]) => amounts.map((amount, index) => transcriptCharge(amount, `video ${index}`));

/** What this process knows of the balance, and what a fresh look tells; ids of charges that happened. */
const holding = (given: {
  readonly known: Partial<State>;
  readonly fresh?: Partial<State>;
  readonly happened?: readonly string[];
}) =>
  holdBalance({
    stateOf: async (_, fresh) => ({ ...initialState(), ...(fresh ? (given.fresh ?? given.known) : given.known) }),
    clock: () => new Date('2026-11-26T10:00:00Z'),
    eventById: async (id) => (given.happened?.includes(id) === true ? { id } : null),
  });

describe('holding the cost of work', () => {
  it('takes the last credit and no more than that', async () => {
    const hold = holding({ known: { available: 5 } });
    await hold(call, of(2, 3));
    await assert.rejects(hold(call, of(1)), tooLittle);
  });

  it('returns a released hold once', async () => {
    const hold = holding({ known: { available: 5 } });
    const first = await hold(call, of(4));
    await hold(call, of(1));
    first.release();
    await assert.rejects(hold(call, of(5)), tooLittle);
    await hold(call, of(4));
    first.release();
    await assert.rejects(hold(call, of(1)), tooLittle);
  });

  it('holds for each account separately', async () => {
    const hold = holding({ known: { available: 5 } });
    await hold(call, of(5));
    await hold(other, of(5));
    await assert.rejects(hold(other, of(1)), tooLittle);
  });

  it('accepts a newer state if the cached one does not suffice', async () => {
    const hold = holding({ known: { available: 0 }, fresh: { available: 5 } });
    await hold(call, of(5));
    await assert.rejects(hold(call, of(1)), tooLittle);
  });

  it('reads the log again only if the cached balance does not suffice', async () => {
    const hold = holding({ known: { available: 5 }, fresh: { available: 0 } });
    await hold(call, of(5));
  });

  it('costs nothing for charges that an earlier attempt made', async () => {
    const [first, second] = of(4, 1);
    assert(first !== undefined && second !== undefined);
    const happened = [chargeIdOf(call, first)];
    const hold = holding({ known: { available: 1 }, happened });
    await hold(call, [first, second]);
    await assert.rejects(hold(call, [second]), tooLittle);
  });

  it('keeps a key within its cap', async () => {
    const spentByKey = new Map([['key_of_acc_1', 8]]);
    const hold = holding({ known: { available: 100, spentByKey } });
    const capped = callOf('acc_1', { capCredits: 10 });
    await hold(capped, of(2));
    await assert.rejects(hold(capped, of(3)), tooLittle);
  });

  it('throws a fault unchanged', async () => {
    const hold = holdBalance({
      stateOf: async () => {
        throw new Error('the log is away');
      },
      eventById: async () => null,
      clock: () => new Date('2026-11-26T10:00:00Z'),
    });
    await assert.rejects(hold(call, of(1)), /the log is away/);
  });
});
