import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { openLedger } from '#src/app/open-ledger.ts';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { booksOf, callOf, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

const account = 'acc_1';
const { clock } = manualClock('2026-11-21T10:00:00Z');

/** A ledger whose connections break twice: after the append was committed, and at the look whether it was. */
const brokenTwice = async () => {
  const opened = await logOnPostgres();
  const proxy = await postgresProxy(opened.url);
  const pool = postgresPool({ url: proxy.url, applicationName: 'steno test' });
  const ledger = openLedger(postgresEventLog({ pool }), clock);
  await openBook(opened.log, account, { plan: 'starter', clock });
  return {
    ledger,
    /** Fails although it was stored. */
    chargeUnheard: async (call: ReturnType<typeof callOf>) => {
      await ledger.balance(call, { fresh: true });
      const broken = [proxy.breakAfter('FROM es_append('), proxy.breakAfter('FROM es_read_locked(')];
      const amounts = [transcriptCharge(2, 'one'), transcriptCharge(3, 'another')];
      await assert.rejects(ledger.charge(call, amounts), LogUnavailableError);
      await Promise.all(broken);
      return amounts;
    },
    events: async () => (await booksOf(opened.log, account)).flat(),
    [Symbol.asyncDispose]: async () => {
      await ledger[Symbol.asyncDispose]();
      await pool.end();
      await proxy[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
};

const ofType = (events: readonly { type: string; data: unknown }[], wanted: string) =>
  events.flatMap(({ type, data }) => (type === wanted ? [data] : []));

describe('a charge that was stored although its caller got an error', () => {
  it('is refunded once, if its operation has no Idempotency-Key', async () => {
    await using given = await brokenTwice();
    const call = callOf(account, { deduplicationKey: 'once', isRepeatable: false });
    await given.chargeUnheard(call);
    let refunds = ofType(await given.events(), 'ChargeRefunded');
    for (let looks = 1_000; looks > 0 && refunds.length < 2; looks -= 1) {
      await pause(5);
      refunds = ofType(await given.events(), 'ChargeRefunded');
    }
    // A look that overlaps finds the same refunds: their ids are made from the operation.
    await given.ledger[Symbol.asyncDispose]();
    const events = await given.events();
    assert.equal(ofType(events, 'CreditsCharged').length, 2);
    const told = ofType(events, 'ChargeRefunded') as { amount: number; why: string; by: string }[];
    // They are looked for side by side: none of them comes first.
    assert.deepEqual(
      told.map(({ amount, why, by }) => [amount, why, by]).toSorted(([a], [b]) => Number(a) - Number(b)),
      [
        [2, 'answer_lost', 'ledger'],
        [3, 'answer_lost', 'ledger'],
      ],
    );
    assert.equal((await given.ledger.balance(call, { fresh: true })).remaining, 1_000);
  });

  it('is kept for a repeat, if its operation has an Idempotency-Key', async () => {
    await using given = await brokenTwice();
    const call = callOf(account, { deduplicationKey: 'keyed', isRepeatable: true });
    const charges = await given.chargeUnheard(call);
    await given.ledger[Symbol.asyncDispose]();
    const repeat = await given.ledger.charge(call, charges);
    assert.deepEqual([repeat.credits, repeat.isRepeat], [5, true]);
    const events = await given.events();
    assert.equal(ofType(events, 'CreditsCharged').length, 2);
    assert.equal(ofType(events, 'ChargeRefunded').length, 0);
  });

  it('is looked up and not refunded, if it was not stored after all', async () => {
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'starter', clock });
    const away = () => Promise.reject(new LogUnavailableError('appending', null));
    const looked: string[] = [];
    const readById: EventLog['readById'] = (id) => {
      looked.push(id);
      return log.readById(id);
    };
    const ledger = openLedger({ ...log, append: away, appendLocked: away, readById }, clock);
    const call = callOf(account, { isRepeatable: false });
    await assert.rejects(ledger.charge(call, [transcriptCharge(1)]), LogUnavailableError);
    await ledger[Symbol.asyncDispose]();
    assert.equal(looked.length, 1);
    const [book = []] = await booksOf(log, account);
    assert.deepEqual(
      book.map(({ type }) => type),
      ['BookOpened', 'CreditsGranted'],
    );
  });

  it('is looked up together with others, a bounded number at a time, and not while the log is unavailable', async (test) => {
    // No look but that of the end.
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'starter', clock });
    const away = () => Promise.reject(new LogUnavailableError('appending', null));
    let looking = 0;
    const most = { looking: 0, looked: 0 };
    const isAway = { value: false };
    const readById: EventLog['readById'] = async (id) => {
      looking += 1;
      most.looked += 1;
      most.looking = Math.max(most.looking, looking);
      await new Promise((resolve) => setImmediate(resolve));
      looking -= 1;
      return isAway.value ? away() : log.readById(id);
    };
    const ledger = openLedger({ ...log, append: away, appendLocked: away, readById }, clock);
    await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        ledger.charge(callOf(account, { deduplicationKey: `op-${n}`, isRepeatable: false }), [transcriptCharge(1)]),
      ),
    );
    isAway.value = true;
    await ledger[Symbol.asyncDispose]();
    assert.deepEqual(most, { looking: 32, looked: 32 });
    isAway.value = false;
    await ledger[Symbol.asyncDispose]();
    assert.deepEqual(most, { looking: 32, looked: 132 });
  });
});
