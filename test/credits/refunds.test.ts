import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newUuid } from '#src/kernel/ids.ts';
import { refused } from '#test/support/accounts.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const reused = refused('IDEMPOTENCY_KEY_REUSED');
const call = (deduplicationKey: string) => callOf(account, { deduplicationKey });

describe('refunds', () => {
  it('of any number of charges expire as one grant with their period, so that its book can be closed', async () => {
    const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
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

  const opened = async (maxEvents = 1_000) => {
    const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
    const log = memoryEventLog({ clock });
    await openBook(log, account, { plan: 'starter', clock });
    const ledger = ledgerOn(log, { clock, maxEvents });
    const { eventId } = await ledger.charge(call('charge'), [transcriptCharge(10)]);
    const back = (name: string, amount: number, by = call(name)) =>
      ledger.refund(by, { chargeId: eventId ?? '', amount, why: 'late' });
    const state = async () => foldOf((await booksOf(log, account)).at(-1) ?? []);
    return { clock, log, ledger, moveTo, eventId: eventId ?? '', back, state };
  };

  for (const [where, maxEvents, refundAt] of [
    ['in the period of the charge', 1_000, '2026-01-11T00:00:00Z'],
    ['in a further book of it', 4, '2026-01-11T00:00:00Z'],
    ['in a later period', 1_000, '2026-03-11T00:00:00Z'],
  ] as const) {
    it(`${where} first restore credits that never expire, then credits that expire with their period`, async () => {
      const { ledger, moveTo, state } = await opened(maxEvents);
      await ledger.grant(call('gift'), { reference: 'gift', amount: 50, expiresAt: null });
      await ledger.charge(call('plan'), [transcriptCharge(990)]);
      const { eventId } = await ledger.charge(call('gift used'), [transcriptCharge(30)]);
      await ledger.reserve(call('job'), { reservationId: 'rsv_1', jobId: 'job_1', amount: 10 });
      moveTo(refundAt);
      const back = { chargeId: eventId ?? '', why: 'late' };
      const kept = async () =>
        (await state()).grants.flatMap(({ kind, remaining, expiresAt }) =>
          kind === 'refund' ? [[remaining, expiresAt === null ? 'never' : 'with its period']] : [],
        );
      await ledger.refund(call('some'), { ...back, amount: 29 });
      assert.deepEqual(await kept(), [[29, 'never']]);
      await ledger.refund(call('one'), { ...back, amount: 1 });
      assert.deepEqual(await kept(), [[30, 'never']]);
      await ledger.refundUnacknowledged(call('plan'), [transcriptCharge(990)]);
      assert.deepEqual(await kept(), [
        [990, 'with its period'],
        [30, 'never'],
      ]);
    });
  }

  it('do not count as used what a job holds beyond the grants of an unlimited plan', async () => {
    const { ledger, back, state } = await opened();
    await ledger.assignPlan(call('unlimited'), 'enterprise');
    await ledger.reserve(call('job'), { reservationId: 'rsv_1', jobId: 'job_1', amount: 100 });
    await ledger.assignPlan(call('limited'), 'starter');
    await back('some', 4);
    const ends = (await state()).grants.flatMap(({ kind, expiresAt }) => (kind === 'refund' ? [expiresAt] : []));
    assert.deepEqual(ends, [(await state()).closesAt]);
  });

  it('to an account on an unlimited plan do not expire, whatever grant their charge was paid from', async () => {
    const { ledger, moveTo, back, state } = await opened();
    await ledger.assignPlan(call('unlimited'), 'enterprise');
    await back('some', 4);
    const [kept] = (await state()).grants;
    assert.deepEqual([kept?.kind, kept?.remaining, kept?.expiresAt], ['refund', 4, null]);
    moveTo('2026-03-11T00:00:00Z');
    assert.equal((await ledger.balance(call('look'), { fresh: true })).remaining, 4);
  });

  it('give back a charge in parts, to the last credit and no further', async () => {
    const { back, state } = await opened();
    const { credits, isRepeat } = await back('one', 4);
    assert.deepEqual({ credits, isRepeat }, { credits: 0, isRepeat: false });
    assert.equal((await back('one', 4)).isRepeat, true);
    await back('two', 5);
    await assert.rejects(back('much', 2), refused('INVALID_REQUEST'));
    await back('rest', 1);
    await assert.rejects(back('more', 1), refused('INVALID_REQUEST'));
    const { available, spent } = await state();
    assert.deepEqual({ available, spent }, { available: 1_000, spent: 0 });
  });

  it('count refunds in earlier books, wherever the charge was made', async () => {
    const { back, moveTo, ledger, state } = await opened(8);
    await back('one', 2);
    await back('two', 3);
    for (let n = 0; n < 8; n += 1) await ledger.charge(call(`other ${n}`), [transcriptCharge(1)]);
    assert.ok((await state()).part >= 2, 'a further book is open');
    await back('three', 1);
    moveTo('2026-03-10T09:00:00Z');
    await assert.rejects(back('much', 5), refused('INVALID_REQUEST'));
    await back('rest', 4);
    await assert.rejects(back('more', 1), refused('INVALID_REQUEST'));
    const { remaining } = await ledger.balance(call('look'), { fresh: true });
    assert.equal(remaining, 1_004);
  });

  it('read again if a new book opens between reading and refunding', async () => {
    const { log, clock, back, moveTo, eventId } = await opened();
    await back('one', 6);
    moveTo('2026-02-09T23:59:00Z');
    const another = ledgerOn(log, { clock });
    let looks = 0;
    const turning = {
      ...log,
      streamsWithPrefix: async (...asked: Parameters<typeof log.streamsWithPrefix>) => {
        const found = await log.streamsWithPrefix(...asked);
        if (asked[1]?.descending !== true) {
          looks += 1;
          if (looks === 1) {
            moveTo('2026-02-10T00:00:00Z');
            await another.rollPeriod(call('turn'));
          }
        }
        return found;
      },
    };
    const refund = { chargeId: eventId, why: 'late' };
    const slow = ledgerOn(turning, { clock });
    await slow.refund(call('two'), { ...refund, amount: 4 });
    assert.equal(looks, 2);
    await assert.rejects(slow.refund(call('more'), { ...refund, amount: 1 }), refused('INVALID_REQUEST'));
  });

  for (const [where, maxEvents, refundAt, askAt] of [
    ['the book that is open', 1_000, '2026-01-11T00:00:00Z', '2026-01-12T00:00:00Z'],
    ['a period that is over', 1_000, '2026-01-11T00:00:00Z', '2026-02-11T00:00:00Z'],
    ['a period between', 1_000, '2026-02-11T00:00:00Z', '2026-04-11T00:00:00Z'],
    ['a book that was too long', 4, '2026-01-11T00:00:00Z', '2026-01-12T00:00:00Z'],
  ] as const) {
    it(`in ${where} are known to a repeat of the charge: it says that nothing is charged`, async () => {
      const { ledger, moveTo, back } = await opened(maxEvents);
      const again = () => ledger.charge(call('charge'), [transcriptCharge(10)]);
      moveTo(refundAt);
      await back('some', 6);
      moveTo(askAt);
      await ledger.charge(call('other'), [transcriptCharge(1)]);
      const { credits, isRepeat } = await again();
      assert.deepEqual({ credits, isRepeat }, { credits: 10, isRepeat: true });
      await back('rest', 4);
      const { lastPosition: _, ...told } = await again();
      assert.deepEqual(told, { credits: 0, eventId: null, eventIds: [], isRepeat: true });
    });
  }

  it('in closed books reduce a repeated charge by what they refunded, and no other', async () => {
    const { ledger, moveTo } = await opened();
    const [one, two, three] = ['a', 'b', 'c'].map((what) => transcriptCharge(3, what));
    assert(one !== undefined && two !== undefined && three !== undefined);
    const { eventIds } = await ledger.charge(call('batch'), [one, two]);
    const [first = '', second = ''] = eventIds;
    await ledger.refund(call('back'), { chargeId: first, amount: 3, why: 'late' });
    moveTo('2026-03-11T00:00:00Z');
    const again = await ledger.charge(call('batch'), [one, two, three]);
    assert.deepEqual([again.credits, again.isRepeat], [6, false]);
    assert.deepEqual([again.eventIds.length, again.eventIds[0]], [2, second]);
  });

  it('are found even late in a long book', async () => {
    const { ledger, moveTo, back } = await opened(3_000);
    const free = { operation: 'languages', code: null } as const;
    await Promise.all(Array.from({ length: 1_200 }, (_, n) => ledger.record(call(`free ${n}`), free)));
    await back('all', 10);
    moveTo('2026-02-11T00:00:00Z');
    const { credits } = await ledger.charge(call('charge'), [transcriptCharge(10)]);
    assert.equal(credits, 0);
    await assert.rejects(back('more', 1), refused('INVALID_REQUEST'));
  });

  it('in closed books are found without reading the rest of the books', async () => {
    const { log, clock, ledger, moveTo, eventId: chargeId, back } = await opened(3_000);
    const free = { operation: 'languages', code: null } as const;
    for (let n = 0; n < 50; n += 1) await ledger.record(call(`free ${n}`), free);
    await back('some', 6);
    moveTo('2026-02-11T00:00:00Z');
    await ledger.rollPeriod(call('turn'));
    let events = 0;
    const counting: typeof log = {
      ...log,
      read: async (...asked) => {
        const found = await log.read(...asked);
        events += found.length;
        return found as never;
      },
    };
    const another = ledgerOn(counting, { clock });
    await another.charge(call('charge'), [transcriptCharge(10)]);
    await another.refund(call('rest'), { chargeId, amount: null, why: 'late' });
    assert.ok(events < 10, `${events} events were read`);
  });

  it('are made and counted even after a thousand books have been closed', async () => {
    const { ledger, back, moveTo } = await opened(2);
    await back('some', 4);
    for (let n = 0; n < 1_050; n += 1) {
      await ledger.record(call(`free ${n}`), { operation: 'languages', code: null });
    }
    await assert.rejects(back('much', 7), refused('INVALID_REQUEST'));
    await back('rest', 6);
    moveTo('2026-02-11T00:00:00Z');
    const { credits } = await ledger.charge(call('charge'), [transcriptCharge(10)]);
    assert.equal(credits, 0);
  });

  it('are counted once by a repeat during which a new book opens', async () => {
    const { log, clock, back, moveTo, eventId } = await opened();
    moveTo('2026-02-11T00:00:00Z');
    await back('half', 5);
    const another = ledgerOn(log, { clock });
    let looks = 0;
    const turning = {
      ...log,
      readById: async (...asked: Parameters<typeof log.readById>) => {
        looks += 1;
        moveTo('2026-03-11T00:00:00Z');
        await another.rollPeriod(call('turn'));
        return log.readById(...asked);
      },
    };
    const slow = ledgerOn(turning as typeof log, { clock });
    const again = await slow.charge(call('charge'), [transcriptCharge(10)]);
    assert.ok(looks > 0);
    assert.deepEqual([again.credits, again.eventId], [10, eventId]);
  });

  it('let a key spend again what was charged in the same period, and no more', async () => {
    const { ledger, moveTo, back, state } = await opened(4);
    const capped = (name: string, amount: number) =>
      ledger.charge(callOf(account, { deduplicationKey: name, capCredits: 12 }), [transcriptCharge(amount)]);
    await assert.rejects(capped('too much', 3), refused('INSUFFICIENT_CREDITS'));
    await back('a part', 4);
    await capped('what was given back', 6);
    assert.equal((await state()).part, 2, 'also in a further book of the period');
    await assert.rejects(capped('more', 1), refused('INSUFFICIENT_CREDITS'));

    moveTo('2026-02-10T00:00:00Z');
    await capped('next period', 12);
    await back('the rest', 6);
    await assert.rejects(capped('of a period that is over', 1), refused('INSUFFICIENT_CREDITS'));
  });

  it('of an item go to the key that reserved it, whichever key made its job', async () => {
    const { log, ledger, state } = await opened();
    const job = { reservationId: 'rsv_1', jobId: 'job_1' };
    const by = (id: string) => callOf(account, { deduplicationKey: id, actor: { type: 'key', id: `key_${id}` } });
    await ledger.charge(by('job'), [transcriptCharge(1)]);
    await ledger.reserve(by('retry'), { ...job, amount: 2 });
    const item = { itemId: 'itm_1', attempt: 1, operation: 'job_item' as const, videoId: null };
    const settled = await ledger.settleItem(by('job'), { ...job, ...item, amount: 2 });
    const chargeId = settled.eventId ?? '';
    await ledger.refund(by('operator'), { chargeId, amount: null, why: 'late' });
    const { spentByKey } = await state();
    assert.deepEqual([spentByKey.get('key_retry'), spentByKey.get('key_job')], [0, 1]);
    const about = (await booksOf(log, account)).flat().flatMap(({ type, data }) => {
      const isOfItem = 'chargeId' in data && data.chargeId === chargeId && 'keyId' in data;
      return isOfItem ? [[type, data.keyId]] : [];
    });
    assert.deepEqual(about, [
      ['ReservationSettled', 'key_retry'],
      ['ChargeRefunded', 'key_retry'],
    ]);
  });

  it('never make the use of a key negative, also if an earlier version recorded an item by another key', async () => {
    const { log, ledger } = await opened();
    const by = (id: string) => callOf(account, { deduplicationKey: id, actor: { type: 'key', id: `key_${id}` } });
    await ledger.charge(by('job'), [transcriptCharge(1)]);
    const { eventId } = await ledger.charge(by('retry'), [transcriptCharge(2)]);
    await ledger.refund(by('operator'), { chargeId: eventId ?? '', amount: null, why: 'late' });
    const [book = []] = await booksOf(log, account);
    const { spentByKey } = foldOf(
      book.map((event) =>
        event.type === 'ChargeRefunded'
          ? ({ ...event, data: { ...event.data, keyId: 'key_job' } } as typeof event)
          : event,
      ),
    );
    assert.deepEqual([spentByKey.get('key_retry'), spentByKey.get('key_job')], [2, 0]);
  });

  it('with an operation name happen once, whichever command sends it, in every book', async () => {
    const { ledger, moveTo, eventId: chargeId, state } = await opened();
    const late = { chargeId, amount: 4, why: 'late', reference: 'ticket 7' };
    const first = await ledger.refund(call('first'), late);
    assert.equal(first.isRepeat, false);
    const again = async (name: string) => {
      const { eventId, isRepeat } = await ledger.refund(call(name), late);
      assert.deepEqual([eventId, isRepeat], [first.eventId, true]);
    };
    await again('second');
    await ledger.refund(call('third'), { ...late, reference: 'ticket 8' });
    assert.equal((await state()).available, 998);
    moveTo('2026-02-11T00:00:00Z');
    await again('fourth');
    assert.equal((await state()).available, 1_000);
  });

  it('with an operation name are refused if it was used for another amount or another charge', async () => {
    const { log, clock, ledger, eventId: chargeId, state } = await opened();
    const { eventId: other } = await ledger.charge(call('other'), [transcriptCharge(10)]);
    const late = { chargeId, amount: 4, why: 'late', reference: 'ticket 7' };
    await ledger.refund(call('first'), late);
    for (const changed of [{ amount: 3 }, { amount: 10 }, { chargeId: other ?? '' }]) {
      await assert.rejects(ledger.refund(call('second'), { ...late, ...changed }), reused);
    }
    await assert.rejects(ledger.refund(call('more'), { ...late, amount: 11 }), {
      message: `The id ticket 7 is already used for a refund of 4 for the charge ${chargeId}: use another id.`,
    });
    assert.equal((await state()).available, 984);

    const [one, two] = [ledgerOn(log, { clock }), ledgerOn(log, { clock })];
    const both = await Promise.allSettled([
      one.refund(call('one'), { ...late, reference: 'ticket 8', amount: 1 }),
      two.refund(call('two'), { ...late, reference: 'ticket 8', amount: 2 }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const lost = both.find((each) => each.status === 'rejected');
    assert.ok(reused(lost?.reason));
  });

  it('are made only for charges of the same account', async () => {
    const { log, clock, ledger, back } = await opened();
    await openBook(log, 'acc_2', { clock });
    const nothing = refused('NOT_FOUND');
    await assert.rejects(back('foreign', 1, callOf('acc_2')), nothing);
    const grant = await ledger.grant(call('gift'), { reference: 'gift', amount: 5, expiresAt: null });
    for (const chargeId of ['no id', grant.eventId ?? '', newUuid()]) {
      const refund = ledger.refund(call('wrong'), { chargeId, amount: 1, why: 'late' });
      await assert.rejects(refund, nothing);
    }
  });

  it('of lost responses return the whole charge, once', async () => {
    const { ledger, state } = await opened();
    const charges = [transcriptCharge(3, 'a'), transcriptCharge(4, 'b')];
    assert.equal(await ledger.refundUnacknowledged(call('lost'), charges), 0);
    await ledger.charge(call('lost'), charges);
    await ledger.refundUnacknowledged(call('lost'), charges);
    assert.equal(await ledger.refundUnacknowledged(call('lost'), [...charges, transcriptCharge(1, 'c')]), 2);
    const { available, spent } = await state();
    assert.deepEqual({ available, spent }, { available: 990, spent: 10 });
  });

  it('of lost responses return what an operator has not refunded yet', async () => {
    const { log, ledger, moveTo, state } = await opened();
    const charges = [transcriptCharge(5, 'a'), transcriptCharge(4, 'b')];
    const { eventIds } = await ledger.charge(call('lost'), charges);
    const [some = '', all = ''] = eventIds;
    await ledger.refund(call('some'), { chargeId: some, amount: 2, why: 'late' });
    await ledger.refund(call('all'), { chargeId: all, amount: 4, why: 'late' });
    assert.equal((await state()).available, 987);
    for (const at of ['2026-01-11T00:00:00Z', '2026-02-11T00:00:00Z']) {
      moveTo(at);
      assert.equal(await ledger.refundUnacknowledged(call('lost'), charges), 2);
    }
    const { credits } = await ledger.charge(call('lost'), charges);
    assert.equal(credits, 0);
    const back = (await booksOf(log, account))
      .flat()
      .flatMap(({ type, data }) => (type === 'ChargeRefunded' && 'amount' in data ? data.amount : []));
    assert.deepEqual(back, [2, 4, 3]);
  });

  for (const [where, maxEvents] of [
    ['in the book of the charge', 1_000],
    ['in a further book of the period, when the use is invoiced already', 3],
  ] as const) {
    it(`to an unlimited plan make up for its use ${where}`, async () => {
      const { clock, moveTo } = manualClock('2026-01-10T09:00:00Z');
      const log = memoryEventLog({ clock });
      await openBook(log, account, { plan: 'enterprise', clock });
      const ledger = ledgerOn(log, { clock, maxEvents });
      const { eventId } = await ledger.charge(call('charge'), [transcriptCharge(10)]);
      await ledger.record(call('free'), { operation: 'languages', code: null });
      await ledger.refund(call('back'), { chargeId: eventId ?? '', amount: 10, why: 'late' });
      await ledger.charge(call('more'), [transcriptCharge(4)]);
      moveTo('2026-02-10T00:00:00Z');
      await ledger.charge(call('next'), [transcriptCharge(6)]);
      moveTo('2026-03-10T00:00:00Z');
      await ledger.rollPeriod(call('turn'));
      const events = (await booksOf(log, account)).flat();
      const invoiced = events.flatMap(({ data }) => ('kind' in data && data.kind === 'postpaid' ? data.amount : []));
      const sum = invoiced.reduce((total, amount) => total + amount, 0);
      assert.equal(sum, 10, 'what was used and not given back: 4 and 6');
      assert.ok(events.every(({ type }) => type !== 'CreditsExpired'));
    });
  }

  it('are whole amounts above 0', async () => {
    const { back, state } = await opened();
    for (const amount of [0, -1, 0.5, Number.NaN]) await assert.rejects(back(`${amount}`, amount));
    assert.equal((await state()).available, 990);
  });

  it('of lost responses record their reason, and throw a fault unchanged', async () => {
    const { log, ledger, clock } = await opened();
    const charge = transcriptCharge(3, 'lost');
    await ledger.charge(call('lost'), [charge]);
    const away = ledgerOn({ ...log, streamsWithPrefix: () => Promise.reject(new Error('the log is away')) }, { clock });
    await assert.rejects(away.refundUnacknowledged(call('lost'), [charge]), /the log is away/);
    assert.equal(await ledger.refundUnacknowledged(call('lost'), [charge]), 1);
    const last = (await booksOf(log, account)).flat().at(-1);
    assert.equal(last?.type, 'ChargeRefunded');
    const { why, by } = last.data as { why: string; by: string };
    assert.deepEqual([why, by], ['answer_lost', 'ledger']);
  });
});
