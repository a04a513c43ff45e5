import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { BookOpened, CreditsEvent } from '#src/credits/credits.ts';
import { type Bill, billing } from '#src/credits/ledger/bill.ts';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import {
  booksOf,
  callOf,
  ledgerOn,
  manualClock,
  openBook,
  openDayBook,
  transcriptCharge,
} from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const minute = 60_000;
const call = (deduplicationKey: string) => callOf(account, { deduplicationKey });

const eventsOf = async (log: EventLog): Promise<readonly CreditsEvent[]> =>
  (await booksOf(log, account)).flat().map(({ type, data }) => ({ type, data }) as CreditsEvent);

type Span = { readonly from: string; readonly to: string };

const billOf = (events: readonly CreditsEvent[], span: Span): Bill => {
  const making = billing(account, span);
  for (const event of events) making.add(event);
  return making.bill();
};

/** The periods that are over by the books, whatever a clock says. */
const closedPeriods = (events: readonly CreditsEvent[]): readonly Span[] => {
  const opened = events.filter((event): event is BookOpened => event.type === 'BookOpened').map(({ data }) => data);
  const newest = opened.at(-1)?.period;
  return opened
    .filter(({ part, period }) => part === 1 && period !== newest)
    .map(({ opensAt, closesAt }) => ({ from: opensAt, to: closesAt }));
};

const kinds = ['charge', 'reserve', 'release', 'settle', 'grant', 'refund', 'fail', 'plan', 'keep'] as const;

describe('two processes whose clocks differ', () => {
  it('write no event with a time in a closed period', async () => {
    const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'starter', clock });
    const behind = ledgerOn(log, { clock });
    const ahead = ledgerOn(log, { clock: () => new Date(clock().getTime() + 60 * minute) });

    moveTo('2026-02-09T23:30:00Z');
    await ahead.charge(call('ahead'), [transcriptCharge(1)]);
    const [closed] = closedPeriods(await eventsOf(log));
    assert.ok(closed !== undefined, 'the one that is ahead opens the next period');
    const shown = billOf(await eventsOf(log), closed);
    await behind.charge(call('behind'), [transcriptCharge(5)]);

    assert.deepEqual(billOf(await eventsOf(log), closed), shown);
    const [, next] = (await booksOf(log, account)).map((book) => book.map(({ data }) => data));
    assert.ok(next?.every((data) => 'at' in data && String(data.at) >= closed.to));
  });

  it('do not spend credits that expired with the period, not even by the clock that is behind', async () => {
    const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'starter', clock });
    const behind = ledgerOn(log, { clock });
    const ahead = ledgerOn(log, { clock: () => new Date(clock().getTime() + 60 * minute) });
    const job = { reservationId: 'rsv_1', jobId: 'job_1' };
    await behind.reserve(call('job'), { ...job, amount: 400 });

    moveTo('2026-02-09T23:30:00Z');
    await ahead.rollPeriod(call('turn'));
    await behind.release(call('job'), { ...job, itemId: null, amount: null, why: 'job_ended' });

    const { remaining } = await behind.balance(call('look'), { fresh: true });
    const late = behind.charge(call('late'), [transcriptCharge(1_001)]);
    await assert.rejects(late, Refusal);
    assert.equal(remaining, 1_000);
  });

  it('renew a period once it is over by both clocks, and fail before', async () => {
    const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'enterprise', clock });
    const ledger = ledgerOn(log, { clock });
    await ledger.charge(call('charge'), [transcriptCharge(7)]);
    const end = '2026-02-10T00:00:00.000Z';
    moveTo('2026-02-09T23:59:59.999Z');
    await assert.rejects(ledger.rollPeriod(call('early'), end), /is not over/);
    assert.equal((await booksOf(log, account)).length, 1);
    moveTo(end);
    await ledger.rollPeriod(call('due'), end);
    await ledger.rollPeriod(call('again'), end);
    const invoiced = (await eventsOf(log)).filter(
      ({ type, data }) => type === 'CreditsGranted' && data.kind === 'postpaid',
    );
    assert.deepEqual([(await booksOf(log, account)).length, invoiced.length], [2, 1]);
  });

  it('open no book after the day of a visitor', async () => {
    const { clock } = manualClock('2026-01-10T09:00:00Z');
    const log = memoryEventLog({ clock });
    await openDayBook(log, account, { credits: 5, clock });
    await ledgerOn(log, { clock }).rollPeriod(call('day'), '2026-01-11T00:00:00.000Z');
    assert.equal((await booksOf(log, account)).length, 1);
  });

  it('open each period once, keep times of an account in order, and never change a closed bill', async () => {
    const small = fc.integer({ min: 0, max: 4 });
    const step = fc.record({
      process: fc.constantFrom(0, 1, 2),
      kind: fc.constantFrom(...kinds),
      name: small,
      amount: fc.integer({ min: 1, max: 400 }),
    });
    const group = fc.record({
      waitHours: fc.constantFrom(0, 0, 1, 24, 24 * 9, 24 * 33),
      steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    });
    const skews = fc.array(fc.integer({ min: -180, max: 180 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(skews, fc.array(group, { maxLength: 12 }), async (skewsMin, groups) => {
        const { clock, moveBy } = manualClock('2026-01-31T09:00:00Z');
        const log = memoryEventLog({ clock });
        await openBook(log, account, { plan: 'starter', clock });
        const ledgers = skewsMin.map((skew) =>
          ledgerOn(log, { clock: () => new Date(clock().getTime() + skew * minute), maxEvents: 30 }),
        );
        const shown = new Map<string, { readonly span: Span; readonly bill: string }>();
        for (const { waitHours, steps } of groups) {
          moveBy(waitHours * 60 * minute);
          await Promise.all(steps.map((one) => performed(ledgers[one.process], one)));
          const events = await eventsOf(log);
          // What happened before the newest event is as closed as a period that is over.
          const untilNow = { from: '2026-01-31', to: events.at(-1)?.data.at ?? '' };
          const seen = [...shown.values()].map(({ span }) => span);
          for (const span of [...seen, ...closedPeriods(events), untilNow]) {
            const name = `${span.from} to ${span.to}`;
            const bill = JSON.stringify(billOf(events, span));
            assert.equal(bill, shown.get(name)?.bill ?? bill, `the bill from ${name}`);
            shown.set(name, { span, bill });
          }
        }
        const events = await eventsOf(log);
        const times = events.map(({ data }) => data.at);
        assert.deepEqual(times, times.toSorted());
        const periods = closedPeriods(events).map(({ from }) => from);
        assert.equal(new Set(periods).size, periods.length);
      }),
      { numRuns: 200, seed: 20_261_122 },
    );
  });
});

const performed = async (
  ledger: ReturnType<typeof ledgerOn> | undefined,
  { kind, name, amount }: { kind: string; name: number; amount: number },
): Promise<void> => {
  assert(ledger !== undefined);
  const job = { reservationId: `rsv_${name}`, jobId: `job_${name}` };
  const item = { ...job, itemId: `itm_${amount % 3}` };
  const doing = async () => {
    switch (kind) {
      case 'charge':
        return ledger.charge(call(`charge ${name} ${amount}`), [transcriptCharge(amount)]);
      case 'reserve':
        return ledger.reserve(call('reserve'), { ...job, amount });
      case 'release':
        return ledger.release(call('release'), { ...item, amount: null, why: 'item_failed' });
      case 'settle': {
        const settled = { ...item, attempt: 1, operation: 'job_item', amount: 1 } as const;
        return ledger.settleItem(call('settle'), { ...settled, videoId: null });
      }
      case 'grant':
        return ledger.grant(call('grant'), { reference: `${amount}`, amount, expiresAt: null });
      case 'refund': {
        // A charge that is there already answers with its id; one that is not is made.
        const { eventId } = await ledger.charge(call(`charge ${name} 1`), [transcriptCharge(1)]);
        return ledger.refund(call(`refund ${name}`), { chargeId: eventId ?? '', amount: 1, why: 'late' });
      }
      case 'plan':
        // An unlimited plan ends each of its periods with what was used beyond its grants.
        return ledger.assignPlan(call(`plan ${amount}`), amount % 2 === 0 ? 'enterprise' : 'starter');
      case 'fail':
        return ledger.record(call(`fail ${amount}`), { operation: 'raw', code: 'NOT_FOUND' });
      default:
        return ledger.rollPeriod(call('keep'));
    }
  };
  await doing().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
};
