import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refused } from '#test/support/accounts.ts';
import { booksOf, callOf, foldOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const call = (deduplicationKey: string) => callOf(account, { deduplicationKey });
const start = '2026-01-10T09:00:00.000Z';

const opened = async (plan: 'starter' | 'enterprise' = 'starter') => {
  const { clock, moveTo } = manualClock(start);
  const log = memoryEventLog({ clock });
  await openBook(log, account, { plan, clock });
  const ledger = ledgerOn(log, { clock });
  const events = async () => (await booksOf(log, account)).flat();
  const state = async () => foldOf((await booksOf(log, account)).at(-1) ?? []);
  return { log, clock, ledger, moveTo, events, state };
};

describe('a book', () => {
  it('spends the grant that expires first, and grants that expire together one after the other', async () => {
    const { ledger, state } = await opened();
    const end = '2026-02-01T00:00:00.000Z';
    await ledger.grant(call('1'), { reference: 'ever', amount: 5, expiresAt: null });
    await ledger.grant(call('2'), { reference: 'soon', amount: 5, expiresAt: end });
    await ledger.grant(call('3'), { reference: 'also', amount: 5, expiresAt: end });
    const left = async () =>
      (await state()).grants.map(({ expiresAt, remaining }) => [expiresAt?.slice(0, 10) ?? null, remaining]);
    await ledger.charge(call('4'), [transcriptCharge(7)]);
    assert.deepEqual(await left(), [
      ['2026-02-01', 3],
      ['2026-02-10', 1_000],
      [null, 5],
    ]);
    await ledger.charge(call('5'), [transcriptCharge(1_004)]);
    assert.deepEqual(await left(), [[null, 4]]);
    const { granted, spent, available } = await state();
    assert.deepEqual({ granted, spent, available }, { granted: 1_015, spent: 1_011, available: 4 });
  });

  it('expires a grant on time, with what is left of it, and no other', async () => {
    const { ledger, moveTo, state } = await opened();
    const end = '2026-01-20T00:00:00.000Z';
    await ledger.grant(call('1'), { reference: 'soon', amount: 50, expiresAt: end });
    await ledger.charge(call('2'), [transcriptCharge(20)]);
    moveTo('2026-01-19T23:59:59.999Z');
    assert.equal((await ledger.balance(call('look'), { fresh: false })).remaining, 1_030);
    moveTo(end);
    assert.equal((await ledger.balance(call('look'), { fresh: false })).remaining, 1_000);
    const { expired, available } = await state();
    assert.deepEqual({ expired, available }, { expired: 30, available: 1_000 });
  });

  it('returns the first result for a repeated grant, and refuses another grant with its reference', async () => {
    const { ledger, state } = await opened();
    const gift = { reference: 'gift', amount: 50, expiresAt: null };
    const first = await ledger.grant(call('1'), gift);
    const again = await ledger.grant(call('2'), gift);
    assert.deepEqual([again.eventId, again.isRepeat], [first.eventId, true]);
    for (const changed of [{ amount: 60 }, { expiresAt: '2026-02-01T00:00:00.000Z' }]) {
      await assert.rejects(ledger.grant(call('3'), { ...gift, ...changed }), refused('IDEMPOTENCY_KEY_REUSED'));
    }
    assert.equal((await state()).available, 1_050);
  });

  it('leaves an expired grant out of the balance, whether others are left or not', async () => {
    const { ledger, moveTo } = await opened();
    await ledger.charge(call('all'), [transcriptCharge(1_000)]);
    const expiresAt = '2026-01-20T00:00:00.000Z';
    await ledger.grant(call('soon'), { reference: 'soon', amount: 50, expiresAt });
    moveTo(expiresAt);
    assert.equal((await ledger.balance(call('look'), { fresh: false })).remaining, 0);
  });

  it('grants the credits of a plan again in the next period', async () => {
    const { ledger, moveTo } = await opened();
    await ledger.charge(call('1'), [transcriptCharge(400)]);
    moveTo('2026-02-10T00:00:00.000Z');
    await ledger.assignPlan(call('2'), 'pro');
    const { remaining } = await ledger.balance(call('look'), { fresh: true });
    assert.equal(remaining, 10_000);
  });

  it('counts credits that were refunded and spent again as used once', async () => {
    const { ledger } = await opened();
    const { eventId } = await ledger.charge(call('1'), [transcriptCharge(1_000)]);
    const back = { chargeId: eventId ?? '', amount: 500, why: 'late' };
    await ledger.refund(call('2'), back);
    await ledger.charge(call('3'), [transcriptCharge(500)]);
    await ledger.assignPlan(call('4'), 'pro');
    const { remaining } = await ledger.balance(call('look'), { fresh: true });
    assert.equal(remaining, 9_000);
  });

  it('invoices everything that an unlimited plan used, even if its book was too long', async () => {
    const { log, clock, moveTo, events } = await opened('enterprise');
    const ledger = ledgerOn(log, { clock, maxEvents: 4 });
    for (let n = 0; n < 6; n += 1) await ledger.charge(call(`${n}`), [transcriptCharge(10)]);
    moveTo('2026-02-10T00:00:00.000Z');
    await ledger.rollPeriod(call('turn'));
    const invoiced = (await events()).map(({ data }) => ('kind' in data && data.kind === 'postpaid' ? data.amount : 0));
    assert.equal(
      invoiced.reduce((sum, amount) => sum + amount, 0),
      60,
    );
  });

  it('keeps grants of operators through changes of the plan and of the period', async () => {
    const { ledger, moveTo } = await opened();
    const left = async () => (await ledger.balance(call('look'), { fresh: true })).remaining;
    await ledger.grant(call('1'), { reference: 'gift', amount: 70, expiresAt: null });
    await ledger.assignPlan(call('2'), 'pro');
    assert.equal(await left(), 10_070);
    moveTo('2026-02-10T00:00:00.000Z');
    assert.equal(await left(), 10_070);
    await ledger.assignPlan(call('3'), 'starter');
    assert.equal(await left(), 1_070);
  });

  it('closes a period of an unlimited plan with a grant of its overdraft', async () => {
    const { ledger, moveTo, events, state } = await opened('enterprise');
    await ledger.charge(call('1'), [transcriptCharge(12)]);
    moveTo('2026-02-10T00:00:00.000Z');
    await ledger.rollPeriod(call('2'));
    const types = (await events()).map(({ type }) => type);
    assert.deepEqual(types, ['BookOpened', 'CreditsCharged', 'CreditsGranted', 'BookClosed', 'BookOpened']);
    const closed = (await events()).at(-2)?.data as { why: string };
    assert.equal(closed.why, 'period_end');
    assert.equal((await state()).available, 0);
  });

  it('refuses amounts that are not whole or not above 0', async () => {
    const { ledger, events } = await opened();
    const before = (await events()).length;
    for (const amount of [0, -1, 0.5, Number.NaN]) {
      await assert.rejects(ledger.charge(call(`c ${amount}`), [transcriptCharge(amount)]));
      const grant = { reference: `g ${amount}`, amount, expiresAt: null };
      await assert.rejects(ledger.grant(call(`g ${amount}`), grant));
      const job = { reservationId: `r ${amount}`, jobId: 'job_1', amount };
      await assert.rejects(ledger.reserve(call(`r ${amount}`), job));
    }
    assert.equal((await events()).length, before);
  });

  it('says in one sentence how many credits are missing', async () => {
    const { ledger } = await opened();
    await ledger.charge(call('1'), [transcriptCharge(998)]);
    const missing = (amount: number) => ledger.charge(call(`missing ${amount}`), [transcriptCharge(amount)]);
    await assert.rejects(missing(3), { message: 'This operation needs 3 credits; 2 are left.' });
    await ledger.charge(call('2'), [transcriptCharge(1)]);
    await assert.rejects(missing(2), { message: 'This operation needs 2 credits; 1 is left.' });
    await ledger.charge(call('3'), [transcriptCharge(1)]);
    await assert.rejects(missing(1), { message: 'This operation needs 1 credit; 0 are left.' });
    await assert.rejects(missing(1), refused('INSUFFICIENT_CREDITS'));
  });
});

describe('what usage counts', () => {
  it('is an operation that was free or failed, once, with its key and its code', async () => {
    const { ledger, events } = await opened();
    await ledger.record(call('1'), { operation: 'languages', code: null });
    await ledger.record(call('1'), { operation: 'languages', code: null });
    await ledger.record(call('2'), { operation: 'raw', code: 'VIDEO_NOT_FOUND' });
    const counted = (await events()).slice(2).map(({ type, data }) => {
      const { operation, keyId, ...rest } = data as Record<string, unknown>;
      return [type, operation, keyId, rest['code']];
    });
    assert.deepEqual(counted, [
      ['OperationServed', 'languages', 'key_of_acc_1', undefined],
      ['OperationFailed', 'raw', 'key_of_acc_1', 'VIDEO_NOT_FOUND'],
    ]);
  });
});

describe('the metadata of a ledger event', () => {
  it('names the actor, the time, and the trace if there is one', async () => {
    const { ledger, events, moveTo } = await opened();
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const { eventId } = await ledger.charge(call('1'), [transcriptCharge(1)]);
    await ledger.charge({ ...call('2'), traceparent }, [transcriptCharge(1)]);
    moveTo('2026-02-10T00:00:00.000Z');
    await ledger.rollPeriod(call('3'));
    const [first, second, closing] = (await events()).slice(2).map(({ id, meta }) => {
      const { chain: _, ...around } = meta;
      return { id, around };
    });
    const who = { account_id: account, actor: { type: 'key', id: 'key_of_acc_1' } };
    const around = { occurred_at: start, request_id: 'req_1', channel: 'rest', ...who };
    assert.deepEqual(first, { id: eventId, around });
    assert.deepEqual(second?.around, { ...around, traceparent });
    assert.deepEqual(closing?.around, {
      occurred_at: '2026-02-10T00:00:00.000Z',
      account_id: account,
      actor: { type: 'system', id: 'ledger' },
      channel: 'system',
    });
  });

  it('never has an earlier time than the event before, even if a clock is behind', async () => {
    const { log, clock, ledger, events } = await opened();
    const late = ledgerOn(log, { clock: () => new Date(clock().getTime() - 60_000) });
    await ledger.charge(call('1'), [transcriptCharge(1)]);
    await late.charge(call('2'), [transcriptCharge(1)]);
    const last = (await events()).at(-1);
    assert.equal(last?.meta.occurred_at, start);
    assert.deepEqual(last?.data, { ...last?.data, at: start });
  });
});
