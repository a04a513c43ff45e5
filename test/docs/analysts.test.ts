import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { operatorActionsOn } from '#src/app/operator-actions.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

const page = readFileSync(new URL('../../docs/analysts.md', import.meta.url), 'utf8');
const signal = new AbortController().signal;

/** The queries of the page, in its order: those of DuckDB read an export, the others the table of events. */
const duckdb = [...page.matchAll(/^duckdb -c "(.+)"$/gm)].map(([, query = '']) =>
  query.replace(/FROM 'ledger\.\w+'/, 'FROM entries'),
);
const sql = [...page.matchAll(/^```sql test\n([\s\S]+?);\n```$/gm)].map(([, query = '']) => query);

describe('a figure of docs/analysts.md', () => {
  let app: TestApp;
  let accountId = '';
  before(async () => {
    app = await startTestApp();
    ({ accountId } = await app.createAccount({ credits: 100 }));
    const { ledger } = app.core;
    const charge = { operation: 'batch', amount: 1, requests: 3, videoId: null } as const;
    const { eventId } = await ledger.charge(systemCall(accountId), [{ ...charge, what: 'one', amount: 5 }]);
    await ledger.charge(systemCall(accountId), [{ ...charge, what: 'two', operation: 'raw', requests: 1 }]);
    await ledger.refund(systemCall(accountId), { chargeId: eventId ?? '', amount: 2, why: 'late' });
    const job = { reservationId: 'rsv_1', jobId: 'job_1' };
    await ledger.reserve(systemCall(accountId), { ...job, amount: 4 });
    await ledger.settleItem(systemCall(accountId), {
      ...{ ...job, itemId: 'itm_1', attempt: 1, amount: 1, operation: 'job_item', videoId: 'v' },
    });
  });
  after(() => app[Symbol.asyncDispose]());

  const bill = () => {
    const period = { from: '2000-01-01T00:00:00.000Z', to: '9999-01-01T00:00:00.000Z' };
    return operatorActionsOn(app.core).replayBill({ accountId, ...period }, { signal });
  };
  const rowsOf = async (query: string) => {
    const { rows } = await app.core.pool.query(
      query.replaceAll('acc_…', accountId).replaceAll("'2027-01-01'", "'9999-01-01'"),
    );
    return rows;
  };
  /** The columns of an export that the queries of DuckDB name. */
  const exported = `WITH entries AS (
    SELECT type, data::jsonb AS data FROM es_event WHERE stream LIKE 'ledger-acc_…-%') `;

  it('of an export is the bill of steno replay, where it sums credits', async () => {
    const [credits = ''] = duckdb;
    const expected = (await bill()).lines.map(({ operation, credits: sum }) => [operation, sum]);
    const found = await rowsOf(`${exported}${credits} ORDER BY 1`);
    assert.deepEqual(
      found.map((row) => [row.operation, Number(row.credits)]),
      expected,
    );
  });

  it('of an export is the number of its entries, where it counts them by type', async () => {
    const [, counts = ''] = duckdb;
    let entries = 0;
    const lines = operatorActionsOn(app.core).exportLedger({ accountId }, { signal });
    for await (const _ of lines) entries += 1;
    const found = await rowsOf(`${exported}${counts}`);
    assert.equal(
      found.reduce((sum, row) => sum + Number(row.count), 0),
      entries,
    );
  });

  it('of the table of events is a line of the bill of steno replay', async () => {
    const [lines = ''] = sql;
    const found = await rowsOf(lines);
    assert.deepEqual(
      found.map((row) => ({ operation: row.operation, count: Number(row.count), credits: Number(row.credits) })),
      (await bill()).lines,
    );
  });

  it('of what an account holds is the balance of the bill of steno replay', async () => {
    const [, buckets = ''] = sql;
    const found = new Map((await rowsOf(buckets)).map((row) => [row.bucket, Number(row.credits)] as const));
    const { closing, reserved, charged, refunded } = await bill();
    assert.deepEqual(
      [found.get('available'), found.get('reserved'), found.get('spent')],
      [closing, reserved, charged - refunded],
    );
  });

  it('of keys and tags in two periods is what was charged, less refunds', async () => {
    const [, , periods = ''] = sql;
    const { charged, refunded } = await bill();
    const sums = (await rowsOf(periods)).map(({ before, after }) => Number(before) + Number(after));
    assert.equal(
      sums.reduce((sum, credits) => sum + credits, 0),
      charged - refunded,
    );
  });

  it('is compared here, whichever query the page shows', () => {
    assert.deepEqual([duckdb.length, sql.length], [2, 3]);
  });
});
