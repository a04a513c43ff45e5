import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import postgres from 'postgres';
import { balanceOf, balances } from '#projections/balances.ts';
import { accountsWithBooks, entriesAt, entriesOf } from '#projections/ledger-entries.ts';
import { readPage } from '#projections/list-order.ts';
import { byInstant, type EntryFilter, type EntryOrder, filteredPositions, receipts } from '#projections/receipts.ts';
import { usage, usageSince } from '#projections/usage.ts';
import { firstDayOf, summed } from '#projections/usage-report.ts';
import { rowForm } from '#src/adapters/postgres/read-connections.ts';
import type { CreditsEvent } from '#src/credits/credits.ts';
import { postingsOf } from '#src/credits/ledger/postings.ts';
import type { NewEvent } from '#src/eventlog/event-log.ts';
import { ensureProjections, type Projection } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import { uuidOf } from '#src/kernel/ids.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { booksOf, callOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { rowByRow } from '#test/support/list-pages.ts';

const account = 'acc_1';
const models: readonly Projection[] = [usage, balances, receipts];
const tablesOf = ({ tables }: Projection) => Object.fromEntries(tables.map((name) => [name, name]));

const call = (deduplicationKey: string) => callOf(account, { deduplicationKey, requestId: `req_${deduplicationKey}` });

/** Three days of an account: charges, a refund, a job, failures, a free operation, a grant. */
const someDays = async () => {
  const { clock, moveBy } = manualClock('2026-11-02T10:00:00Z');
  const on = await logOnPostgres();
  const { log } = on;
  await openBook(log, account, { plan: 'starter', clock });
  await openBook(log, 'acc_2', { clock });
  const ledger = ledgerOn(log, { clock });
  for (let day = 0; day < 3; day += 1) {
    for (let i = 0; i < 5; i += 1) {
      await ledger.charge(call(`charge-${day}-${i}`), [transcriptCharge(1)]);
    }
    await ledger.record(call(`failed-${day}`), { operation: 'transcript', code: 'VIDEO_NOT_FOUND' });
    await ledger.record(call(`served-${day}`), { operation: 'languages', code: null });
    moveBy(86_400_000);
  }
  const { eventId } = await ledger.charge(call('to refund'), [transcriptCharge(7)]);
  await ledger.refund(call('refund'), { chargeId: eventId ?? '', amount: 3, why: 'late' });
  const job = { reservationId: 'rsv_1', jobId: 'job_1' };
  await ledger.reserve(call('job'), { ...job, amount: 3 });
  const item = { attempt: 1, operation: 'job_item' as const, amount: 1, videoId: null };
  await ledger.settleItem(call('job'), { ...job, ...item, itemId: 'itm_1' });
  await ledger.release(call('job'), { ...job, itemId: null, amount: null, why: 'job_ended' });
  await ledger.charge(callOf('acc_2', { deduplicationKey: 'other' }), [transcriptCharge(2)]);
  await ledger
    .charge(call('too much'), [transcriptCharge(1_000_000)])
    .catch((error: unknown) => assert.ok(error instanceof Refusal));
  return { ...on, clock, ledger };
};

describe('the entries of an account', () => {
  it('are read in pages, each entry once, across all its books, however long the reader takes', async () => {
    await using on = await logOnPostgres();
    const meta = { occurred_at: '2026-11-02T00:00:00.000Z', account_id: 'acc_1' };
    const events = (book: number, count: number): readonly NewEvent[] =>
      Array.from({ length: count }, (_, index) => ({
        ...{ id: uuidOf(`${book} ${index}`), type: 'CreditsCharged', schemaVersion: 1 },
        ...{ data: { at: String(index) }, meta },
      }));
    const sizes = [1_001, 999, 2];
    for (const [book, size] of sizes.entries()) {
      const stream = `ledger-acc_1-2026-0${book + 1}`;
      await on.log.append([{ stream, expected: 0n, events: events(book, size) }]);
    }
    await on.log.append([{ stream: 'ledger-acc_10-2026-01', expected: 0n, events: events(9, 1) }]);
    const sql = postgres(on.url, { ...rowForm, max: 1, connection: { statement_timeout: 500 } });
    const read: string[] = [];
    for await (const { stream, version } of entriesOf(sql, 'acc_1')) {
      if (read.length === 0) {
        // What is added meanwhile is not among them: the reader would never end if it were slower.
        await on.log.append([{ stream: 'ledger-acc_1-2026-04', expected: 0n, events: events(4, 1) }]);
        await pause(600);
      }
      read.push(`${stream} ${version}`);
    }
    await sql.end();
    assert.deepEqual(
      read,
      sizes.flatMap((size, book) =>
        Array.from({ length: size }, (_, index) => `ledger-acc_1-2026-0${book + 1} ${index + 1}`),
      ),
    );
  });
});

describe('accounts that have books', () => {
  it('are listed page by page, each once, in the order of their ids', async () => {
    await using opened = await logOnPostgres();
    const { pool, url } = opened;
    const ids = ['acc_1', 'acc_10', 'acc_1a', 'acc_2', 'vis_20261121_f'];
    const streams = ids.flatMap((id) => [1, 2, 3].map((month) => `ledger-${id}-2026-0${month}`));
    await pool.query('INSERT INTO es_stream SELECT unnest($1::text[]), 1', [
      [...streams, 'key-acc_3', 'ledgers-acc_4-2026-01'],
    ]);
    const sql = postgres(url, { ...rowForm, max: 1 });
    for (const limit of [1, 2, 3, 10]) {
      const told: string[] = [];
      for (let after = ''; ; after = told.at(-1) ?? '') {
        const page = await accountsWithBooks(sql, after, limit);
        told.push(...page);
        if (page.length < limit) break;
      }
      assert.deepEqual(told, ids);
    }
    await sql.end();
  });
});

type Days = Awaited<ReturnType<typeof someDays>>;

const foldAll = async ({ pool, log }: Days, batches: readonly number[] = []): Promise<void> => {
  await ensureProjections(pool, models);
  const { events } = await log.readAll({ after: 0n, limit: 1_000 });
  for (const model of models) {
    const wanted = events.filter(({ type }) => model.types.includes(type));
    let from = 0;
    for (const size of [...batches, wanted.length]) {
      const batch = wanted.slice(from, from + size);
      if (batch.length > 0) await model.fold(pool, batch, tablesOf(model));
      from += size;
    }
  }
};

const rowsOf = async ({ pool }: Days) => {
  const all: unknown[] = [];
  for (const model of models) {
    for (const table of model.tables) {
      const { rows } = await pool.query(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);
      all.push(rows);
    }
  }
  return all;
};

describe('the read models of the ledger', () => {
  it('show the buckets, the usage by kind and by day, and the spent credits that the events record', async () => {
    await using days = await someDays();
    await foldAll(days);
    const sql = postgres(days.url, { ...rowForm, max: 1 });
    const rows = await usageSince(sql, account, firstDayOf(days.clock(), 30));
    const { buckets: shown } = await balanceOf(sql, account);
    await sql.end();

    const report = summed(rows, firstDayOf(days.clock(), 30), 30);
    const { requests, successful, failed, creditsUsed } = report;
    assert.deepEqual(
      { requests, successful, failed, creditsUsed },
      { requests: 23, successful: 20, failed: 3, creditsUsed: 15 + 7 - 3 + 1 },
    );
    assert.equal(report.daily.length, 30);
    assert.equal(
      report.daily.reduce((sum, { count }) => sum + count, 0),
      requests,
    );
    assert.equal(
      report.byKind.reduce((sum, { credits }) => sum + credits, 0),
      creditsUsed,
    );
    const buckets = { issuer: 0, available: 0, reserved: 0, spent: 0, expired: 0 };
    for (const event of (await booksOf(days.log, account)).flat()) {
      for (const { bucket, amount } of postingsOf(event as CreditsEvent)) buckets[bucket] += amount;
    }
    assert.deepEqual(shown, buckets);
    assert.equal(shown?.spent, creditsUsed);
  });

  it('show a negative usage for days with more refunds than charges', async () => {
    const { clock, moveBy } = manualClock('2026-11-02T00:00:00Z');
    await using on = await logOnPostgres();
    await openBook(on.log, account, { plan: 'pro', clock });
    const ledger = ledgerOn(on.log, { clock });
    const { eventId } = await ledger.charge(call('early'), [transcriptCharge(7)]);
    moveBy(40 * 86_400_000);
    await ledger.refund(call('late'), { chargeId: eventId ?? '', amount: 5, why: 'late' });
    await foldAll({ ...on, clock, ledger });
    const sql = postgres(on.url, { ...rowForm, max: 1 });
    const usedIn = async (days: number) => {
      const since = firstDayOf(clock(), days);
      const { requests, creditsUsed, byKind } = summed(await usageSince(sql, account, since), since, days);
      return { requests, creditsUsed, credits: byKind.map(({ credits }) => credits) };
    };
    assert.deepEqual(await usedIn(30), { requests: 0, creditsUsed: -5, credits: [-5] });
    assert.deepEqual(await usedIn(60), { requests: 1, creditsUsed: 2, credits: [2] });
    await sql.end();
  });

  it('never count events of another account', async () => {
    await using days = await someDays();
    await foldAll(days);
    const sql = postgres(days.url, { ...rowForm, max: 1 });
    const rows = await usageSince(sql, 'acc_2', '2026-01-01');
    await sql.end();
    assert.deepEqual(
      rows.map(({ requests, credits }) => ({ requests, credits })),
      [{ requests: 1, credits: 2 }],
    );
  });

  it('find the entries of a request and of a bar of the usage chart', async () => {
    await using days = await someDays();
    await foldAll(days);
    const sql = postgres(days.url, { ...rowForm, max: 1 });
    const any = { accountId: account, before: null, limit: 100, requestId: null };
    const anyDay = { day: null, kind: null, keyId: null, costTag: null, usedSince: null, asOf: null };
    const ofRequest = { ...any, ...anyDay, requestId: 'req_charge-1-2' };
    const ofBar = { ...any, ...anyDay, day: '2026-11-03', kind: 'transcript' };
    assert.equal((await filteredPositions(sql, ofRequest)).length, 1);
    assert.equal((await filteredPositions(sql, ofBar)).length, 6);
    const all = (await filteredPositions(sql, { ...any, ...anyDay })).length;
    const usedSince = async (day: string) =>
      (await filteredPositions(sql, { ...any, ...anyDay, usedSince: day })).length;
    const used = await usedSince('2026-11-02');
    assert.ok(used < all, 'a grant is no use');
    assert.ok((await usedSince('2026-11-04')) < used);
    assert.equal(await usedSince('2026-12-01'), 0);
    await sql.end();
  });

  it('list entries by time and by credits, page by page, each entry once', async () => {
    await using days = await someDays();
    await foldAll(days);
    const sql = postgres(days.url, { ...rowForm, max: 1 });
    const any = { requestId: null, day: null, kind: null, keyId: null, costTag: null, usedSince: null, asOf: null };
    const listed = async (
      order: EntryOrder | typeof byInstant,
      filter: Partial<EntryFilter> = {},
    ): Promise<readonly string[]> => {
      const wanted = { ...any, ...filter, accountId: account, order };
      const read = async (limit: number, before: string | null) =>
        (await filteredPositions(sql, { ...wanted, limit, before })).map((position) => ({ position }));
      const rows = await rowByRow(({ limit, before }) => readPage(limit, (most) => read(most, before)));
      return rows.map(({ position }) => position);
    };
    const oldest = await listed({ by: 'time', isDescending: false });
    assert.deepEqual(oldest.toReversed(), await listed({ by: 'time', isDescending: true }));
    assert.deepEqual((await listed(byInstant)).toSorted(), oldest.toSorted());
    const largest = await listed({ by: 'credits', isDescending: false });
    assert.deepEqual(largest.toReversed(), await listed({ by: 'credits', isDescending: true }));
    assert.deepEqual(new Set(largest), new Set(oldest));
    const charges = await listed({ by: 'credits', isDescending: false }, { kind: 'transcript', day: '2026-11-05' });
    const entries = await entriesAt(sql, { accountId: account, positions: [...oldest] });
    assert.deepEqual(await entriesAt(sql, { accountId: 'acc_9', positions: [...oldest] }), [], 'of another account');
    await sql.end();
    const typeOf = (position = '') => entries.find((entry) => String(entry.position) === position)?.type;
    const creditsAt = (position = '') =>
      Number(entries.find((entry) => String(entry.position) === position)?.data['amount']);
    assert.equal(creditsAt(largest[0]), 7);
    assert.equal(typeOf(largest.at(-1)), 'CreditsGranted');
    assert.equal(charges[0], largest[0]);
  });

  it('have the same rows however the events are divided into batches', async () => {
    await using days = await someDays();
    await foldAll(days);
    const whole = await rowsOf(days);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 }), async (cuts) => {
        for (const model of models) {
          for (const table of model.tables) await days.pool.query(`DELETE FROM ${table}`);
        }
        await foldAll(days, cuts);
        assert.deepEqual(await rowsOf(days), whole);
      }),
      { numRuns: 10, seed: 7 },
    );
  });

  it('are equal to the live ones after a rebuild, which proves it by hashes', async () => {
    await using days = await someDays();
    await foldAll(days);
    const { pool, log } = days;
    for (const projection of models) {
      await pool.query('INSERT INTO es_subscription (name, position) SELECT $1, max(position) FROM es_event', [
        projection.name,
      ]);
      // The live rows were folded from whole events, the rebuilt ones from no more than the fields the fold names.
      const done = await rebuild({ pool, log, projection, switching: 'when_equal' });
      assert.deepEqual([done.differences, done.isSwitched], [0, true]);
      assert.ok(done.events > 20 && done.proof.every(({ rows }) => rows > 1));
      const again = await rebuild({ pool, log, projection, switching: 'when_equal' });
      assert.equal(again.differences, 0);
      assert.ok(again.isSwitched);
    }
  });
});
