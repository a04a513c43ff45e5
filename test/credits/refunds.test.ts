import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryEventLog } from '#src/eventlog/memory.ts';
import {
  booksOf,
  callOf,
  foldOf,
  ledgerOn,
  openBook,
  standingClock,
  transcriptCharge,
} from '#test/support/credits.ts';

const account = 'acc_1';
const call = (operationKey: string) => callOf(account, { operationKey });

describe('refunds', () => {
  it('of any number of charges end with their period as one, so that its book can be closed', async () => {
    const { clock, moveTo } = standingClock('2026-01-10T09:00:00Z');
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'starter', clock });
    const ledger = ledgerOn(log, { clock });
    const charges: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const { eventId } = await ledger.charge(call(`charge ${n}`), [transcriptCharge(2)]);
      charges.push(eventId ?? '');
    }
    for (const [n, eventId] of charges.entries()) {
      await ledger.refund(call(`refund ${n}`), { chargeId: eventId, amount: 2, why: 'late' });
    }
    const [book] = await booksOf(log, account);
    assert.deepEqual(
      foldOf(book ?? [])
        .grants.map(({ kind, remaining }) => `${kind} ${remaining}`)
        .toSorted(),
      ['plan 920', 'refund 80'],
    );

    moveTo('2026-02-10T00:00:00Z');
    const { remaining } = await ledger.balance(call('look'), { fresh: true });
    assert.equal(remaining, 1_000);
    const expired = (await booksOf(log, account)).flat().map(({ type }) => type);
    assert.equal(expired.filter((type) => type === 'CreditsExpired').length, 2);
  });
});
