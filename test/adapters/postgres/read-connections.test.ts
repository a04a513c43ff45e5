import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readConnections } from '#src/adapters/postgres/read-connections.ts';
import { isUnavailable } from '#src/eventlog/unavailable-error.ts';
import { testDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

describe('connections that read', () => {
  it('cancel a query that takes too long, and serve the next one', async () => {
    await using database = await testDatabase();
    const sql = await readConnections({ url: database.url, timeoutMs: 100 });
    await assert.rejects(sql`SELECT pg_sleep(60)`, isUnavailable);
    assert.deepEqual([...(await sql`SELECT 1 AS one`)], [{ one: 1 }]);
    await sql.end();
  });

  it('send nothing without a waiting caller, who would get the error of a lost server', async () => {
    await using database = await testDatabase();
    await using proxy = await postgresProxy(database.url);
    const sql = await readConnections({ url: proxy.url, timeoutMs: 1_000 });
    let isAsked = false;
    void proxy.stopAt('pg_catalog.pg_type').then(() => {
      isAsked = true;
    });
    await Promise.allSettled(Array.from({ length: 8 }, () => sql`SELECT pg_sleep(0.05)`));
    assert.equal(isAsked, false);
    await sql.end({ timeout: 1 });
  });

  it('fail a query whose server has vanished, with all that wait behind it, and serve the next one', async () => {
    await using database = await testDatabase();
    await using proxy = await postgresProxy(database.url);
    const sql = await readConnections({ url: proxy.url, timeoutMs: 100 });
    const vanished = proxy.stopAt('nobody hears this');
    const startedAt = performance.now();
    const readings = Array.from({ length: 12 }, () => sql`SELECT 'nobody hears this'`);
    const outcomes = Promise.allSettled(readings);
    await vanished;
    // Somebody goes on asking: what waits must not wait longer for that.
    const asking = setInterval(() => void sql`SELECT 1`.catch(() => undefined), 200);
    const ended = await Promise.race([outcomes, pause(10_000, null, { ref: false })]);
    clearInterval(asking);
    assert.ok(ended, 'the readings end');
    assert.ok(performance.now() - startedAt > 2_000, 'the database is given its time');
    const failed = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.ok(failed.length > 0);
    assert.ok(failed.every(isUnavailable), String(failed[0]));
    assert.deepEqual([...(await sql`SELECT 1 AS one`)], [{ one: 1 }]);
    await sql.end({ timeout: 1 });
  });

  it('are closed when they are idle, and opened again for the next query', async () => {
    await using database = await testDatabase();
    const sql = await readConnections({ url: database.url, timeoutMs: 100 });
    const backend = async () => (await sql`SELECT pg_backend_pid() AS pid`)[0]?.['pid'];
    const first = await backend();
    await pause(3_500);
    assert.notEqual(await backend(), first);
    await sql.end({ timeout: 1 });
  });

  it('read a ledger without a statement timeout', async () => {
    await using database = await testDatabase();
    const sql = await readConnections({ url: database.url, timeoutMs: null });
    const [row] = await sql<{ statementTimeout: string }[]>`SHOW statement_timeout`;
    assert.equal(row?.statementTimeout, '0');
    await sql.end();
  });
});
