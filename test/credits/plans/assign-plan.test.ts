import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlanKey } from '#src/contract/plan-keys.ts';
import { refused } from '#test/support/accounts.ts';
import {
  booksOf,
  callOf,
  ledgerOn,
  manualClock,
  openBook,
  openDayBook,
  openProvisionalBook,
  transcriptCharge,
} from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const call = (deduplicationKey: string) => callOf(account, { deduplicationKey });

const opened = async (plan: PlanKey = 'starter') => {
  const { clock } = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan, clock });
  return { clock, log };
};

describe('a change of the plan', () => {
  it('may happen twice at the same time while a job of the first plan releases credits', async () => {
    const { log, clock } = await opened();
    const ledger = ledgerOn(log, { clock });
    const job = { reservationId: 'rsv_1', jobId: 'job_1' };
    await ledger.reserve(call('job'), { ...job, amount: 10 });

    await Promise.all([
      ledger.assignPlan(call('first'), 'pro'),
      ledger.release(call('job'), { ...job, itemId: null, amount: null, why: 'job_ended' }),
      ledger.assignPlan(call('second'), 'scale'),
    ]);

    const { plan, remaining } = await ledger.balance(call('look'), { fresh: true });
    assert.deepEqual({ plan, remaining }, { plan: 'scale', remaining: 50_000 });
  });

  it('grants the difference: what the period has used is not included again, however often it changes', async () => {
    const { log, clock } = await opened('starter');
    const ledger = ledgerOn(log, { clock, maxEvents: 8 });
    const left = async (): Promise<number> => (await ledger.balance(call('look'), { fresh: true })).remaining;
    await ledger.charge(call('some'), [transcriptCharge(900)]);
    await ledger.assignPlan(call('up'), 'pro');
    assert.equal(await left(), 9_100);

    for (const [turn, plan] of (['free', 'pro', 'free', 'pro'] as const).entries()) {
      const all = await left();
      if (all > 0) await ledger.charge(call(`all ${turn}`), [transcriptCharge(all)]);
      await ledger.assignPlan(call(`plan ${turn}`), plan);
      assert.equal(await left(), 0, `${plan} ${turn}`);
    }
    await ledger.assignPlan(call('scale'), 'scale');
    assert.equal(await left(), 40_000);
  });

  it('gives a waiting account its plan, less what it has used, also after the period of its allowance', async () => {
    for (const isLate of [false, true]) {
      const { clock, moveBy } = manualClock('2026-01-10T09:00:00Z');
      const log = memoryEventLog({ clock });
      await openProvisionalBook(log, account, { credits: 600, clock });
      const ledger = ledgerOn(log, { clock });
      const look = () => ledger.balance(call('look'), { fresh: true });
      await ledger.charge(call('some'), [transcriptCharge(200)]);
      const waiting = await look();
      assert.deepEqual([waiting.isProvisional, waiting.remaining], [true, 400]);
      await assert.rejects(ledger.charge(call('more'), [transcriptCharge(401)]), refused('INSUFFICIENT_CREDITS'));
      if (isLate) {
        moveBy(62 * 86_400_000);
        const over = await look();
        assert.deepEqual([over.isProvisional, over.remaining], [true, 0]);
      }
      await ledger.assignPlan(call('proved'), 'free');
      const { isProvisional, plan, remaining, closesAt } = await look();
      const granted = isLate ? 10_000 : 9_800;
      assert.deepEqual([isProvisional, plan, remaining], [false, 'free', granted]);
      assert.ok(Date.parse(closesAt) > clock().getTime());
    }
  });

  it('does nothing if the account is already on the plan, or if it is repeated', async () => {
    const { log, clock } = await opened('starter');
    const ledger = ledgerOn(log, { clock });
    const same = await ledger.assignPlan(call('same'), 'starter');
    assert.equal(same.eventId, null);
    const { eventIds } = await ledger.assignPlan(call('up'), 'pro');
    const again = await ledger.assignPlan(call('up'), 'pro');
    assert.deepEqual([again.isRepeat, eventIds.length > 0], [true, true]);
    await ledger.assignPlan(call('down'), 'starter');
    await ledger.assignPlan(call('up'), 'pro');
    const { plan } = await ledger.balance(call('look'), { fresh: true });
    assert.equal(plan, 'starter');
    const assigned = (await booksOf(log, account)).flat().map(({ type }) => type);
    assert.equal(assigned.filter((type) => type === 'PlanAssigned').length, 2);
  });

  it('revokes what is left of a plan but not refunds that expire at the same time', async () => {
    const { log, clock } = await opened('starter');
    const ledger = ledgerOn(log, { clock });
    const { eventId } = await ledger.charge(call('charge'), [transcriptCharge(10)]);
    const back = { chargeId: eventId ?? '', amount: 5, why: 'late' };
    await ledger.refund(call('refund'), back);
    const left = async () => (await ledger.balance(call('look'), { fresh: true })).remaining;
    await ledger.assignPlan(call('up'), 'pro');
    assert.equal(await left(), 9_995);
    await ledger.assignPlan(call('down'), 'starter');
    assert.equal(await left(), 995);
  });

  it('may end an unlimited plan twice at the same time, each time with its overdraft', async () => {
    const { log, clock } = await opened('enterprise');
    const ledger = ledgerOn(log, { clock });

    await Promise.all([
      ledger.charge(call('a'), [transcriptCharge(5)]),
      ledger.assignPlan(call('to free'), 'free'),
      ledger.assignPlan(call('and back'), 'enterprise'),
      ledger.charge(call('b'), [transcriptCharge(10_007)]),
      ledger.assignPlan(call('to free again'), 'free'),
    ]);

    const postpaid = (await booksOf(log, account))
      .flat()
      .filter(({ type, data }) => type === 'CreditsGranted' && 'kind' in data && data.kind === 'postpaid')
      .map(({ data }) => ('amount' in data ? data.amount : 0));
    assert.deepEqual(postpaid, [5, 10_007]);
  });
});

describe('the book of a visitor', () => {
  it('ends with its day: what is left expires once and is never renewed', async () => {
    const { clock, moveTo } = manualClock('2026-11-21T23:59:00Z');
    const log = memoryEventLog({ clock });
    await openDayBook(log, account, { credits: 600, clock });
    await ledgerOn(log, { clock }).charge(call('one'), [transcriptCharge(1)]);

    for (const time of ['2026-11-22T00:00:00Z', '2026-12-22T00:00:00Z']) {
      moveTo(time);
      await ledgerOn(log, { clock }).rollPeriod(call(`kept at ${time}`));
    }

    const books = await booksOf(log, account);
    assert.equal(books.length, 1);
    assert.deepEqual(
      books.flat().map(({ type }) => type),
      ['BookOpened', 'CreditsGranted', 'CreditsCharged', 'CreditsExpired'],
    );
    const { plan, remaining } = await ledgerOn(log, { clock }).balance(call('look'), { fresh: true });
    assert.deepEqual({ plan, remaining }, { plan: 'free', remaining: 0 });
    await assert.rejects(
      ledgerOn(log, { clock }).charge(call('late'), [transcriptCharge(1)]),
      refused('INSUFFICIENT_CREDITS'),
    );
  });
});
