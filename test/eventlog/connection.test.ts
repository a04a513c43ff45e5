import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresPool } from '#src/adapters/postgres.ts';
import { connectionOf, onConnections } from '#src/eventlog/connection.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

/** A pool with one connection in use, to a server that answers nobody new. */
const withOneBusy = async () => {
  const stack = new AsyncDisposableStack();
  const opened = stack.use(await logOnPostgres());
  const proxy = stack.use(await postgresProxy(opened.url));
  const pool = postgresPool({ url: proxy.url, applicationName: 'steno test', max: 5 });
  stack.defer(() => pool.end());
  const busy = await pool.connect();
  proxy.delayMs = 300;
  return { pool, busy, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

describe('a connection that has to be opened', () => {
  it('is not awaited when another one is released: the first caller gets that one', async () => {
    await using given = await withOneBusy();
    const { pool, busy } = given;
    const served: number[] = [];
    const all = [1, 2].map(async (who) => {
      const client = await connectionOf(pool);
      served.push(who);
      client.release();
      return client;
    });
    busy.release();
    // Making one takes several ways to the server and back; both are served before that.
    assert.deepEqual(await Promise.all(all), [busy, busy]);
    assert.deepEqual(served, [1, 2]);
    assert.equal(pool.waitingCount, 0);
  });

  it('is used when no other one is released', async () => {
    await using given = await withOneBusy();
    const client = await connectionOf(given.pool);
    assert.notEqual(client, given.busy);
    client.release();
    given.busy.release();
  });

  it('rejects its waiting callers when the server is down', async () => {
    const pool = postgresPool({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 't' });
    await assert.rejects(connectionOf(pool), /ECONNREFUSED/);
    await pool.end();
  });
});

describe('listeners to the connections of a pool', () => {
  it('are called for each one that is opened or closed, through one listener of the pool', async () => {
    await using opened = await logOnPostgres();
    const { pool } = opened;
    const before = pool.listenerCount('connect');
    const heard: number[] = [];
    for (let n = 0; n < 30; n += 1) onConnections(pool, () => heard.push(n));
    assert.ok(pool.listenerCount('connect') <= before + 1);
    const client = await pool.connect();
    assert.equal(heard.length, 30);
    client.release(new Error('broken'));
    await new Promise((resolve) => setImmediate(resolve));
    while (heard.length < 60) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(heard.length, 60);
  });
});
