import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { isUnavailable } from '#src/eventlog/unavailable-error.ts';
import { testDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

describe('a pool of connections', () => {
  it('fails a statement whose server has vanished, and discards its connection', async () => {
    await using database = await testDatabase();
    await using proxy = await postgresProxy(database.url);
    const pool = postgresPool({ url: proxy.url, applicationName: 'test', max: 1, statementTimeoutMs: 100 });
    const vanished = proxy.stopAt('nobody hears this');
    const client = await pool.connect();
    const outcome = client.query(`SELECT 'nobody hears this'`).then(
      () => null,
      (error: unknown) => error,
    );
    await vanished;
    const error = await Promise.race([outcome, pause(10_000, 'it waits', { ref: false })]);
    assert.ok(isUnavailable(error), String(error));
    client.release();
    // Whoever takes it in this very turn of the event loop is told that it has ended.
    await pause(1);
    const { rows } = await pool.query('SELECT 1 AS one');
    assert.deepEqual(rows, [{ one: 1 }]);
    await pool.end();
  });

  it('reports an idle connection that is lost, but not one that it closed itself', async () => {
    await using database = await testDatabase();
    const lost: string[] = [];
    const pool = postgresPool({
      url: database.url,
      applicationName: 'test',
      onLost: ({ message }) => lost.push(message),
    });
    const clients = [await pool.connect(), await pool.connect()];
    for (const client of clients) client.release();
    clients[0]?.emit('error', new Error('the server went away'));
    const ended = pool.end();
    clients[1]?.emit('error', new Error('the server was stopped'));
    await ended;
    assert.deepEqual(lost, ['the server went away']);
  });
});
