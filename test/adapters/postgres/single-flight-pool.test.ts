import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from 'pg';
import { postgresPool } from '#src/adapters/postgres.ts';
import { isUnavailable } from '#src/eventlog/unavailable-error.ts';
import { testDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

/** What Node has warned of in this process: it says each thing once. */
const warnings: Error[] = [];
process.on('warning', (warning) => warnings.push(warning));

/** A pool that has a connection, on a database that can go away. */
const onProxy = async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const proxy = stack.use(await postgresProxy(database.url));
  const pool = postgresPool({ url: proxy.url, applicationName: 'steno test', max: 5 });
  stack.defer(() => pool.end());
  await pool.query('SELECT 1');
  const parts = stack.move();
  return { pool, proxy, [Symbol.asyncDispose]: () => parts.disposeAsync() };
};

/** As the system does it when a server has vanished, long after the pool has let go of the connection. */
const breakSocket = (client: object): void => {
  assert.ok('connection' in client && client.connection instanceof Connection);
  client.connection.stream.destroy(Object.assign(new Error('read'), { code: 'ETIMEDOUT' }));
};

/** So many callers who come again at once, for so long; how often they were refused, all of them in honest words. */
const refusals = async (pool: { query(text: string): Promise<unknown> }, forMs: number) => {
  const end = performance.now() + forMs;
  let refused = 0;
  const insist = async (): Promise<void> => {
    while (performance.now() < end) {
      await assert.rejects(pool.query('SELECT 1'), isUnavailable);
      refused += 1;
      await pause(1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, insist));
  return refused;
};

describe('a database that is away', () => {
  it('is connected to twenty times a second at most, however many callers wait', async () => {
    await using given = await onProxy();
    const { pool, proxy } = given;
    proxy.isThere = false;
    await refusals(pool, 50);

    const before = proxy.asked;
    const begun = performance.now();
    const refused = await refusals(pool, 600);
    const most = (performance.now() - begun) / 50 + 1;
    const asked = proxy.asked - before;
    assert.ok(asked >= 1 && asked <= most, `asked ${asked} times for ${refused} callers`);
    assert.ok(refused > 3 * asked, `${refused} were refused`);
  });

  for (const comesBack of [true, false]) {
    it(`is asked by one, and who comes meanwhile ${comesBack ? 'is served with it' : 'is told what it is told'}`, async () => {
      await using given = await onProxy();
      const { pool, proxy } = given;
      proxy.isThere = false;
      await refusals(pool, 50);
      const letOn = proxy.holdBack();
      proxy.isThere = true;
      await pause(100);

      const before = proxy.asked;
      const all = Promise.allSettled(Array.from({ length: 20 }, () => pool.query('SELECT 1')));
      while (proxy.asked === before) await pause(5);
      await pause(50);
      assert.equal(proxy.asked - before, 1);
      proxy.isThere = comesBack;
      letOn();
      const ends = await all;
      const served = ends.filter(({ status }) => status === 'fulfilled').length;
      assert.equal(served, comesBack ? 20 : 0);
      if (!comesBack) assert.equal(proxy.asked - before, 1);
    });
  }

  it('serves every caller as soon as it is back: no caller gets an earlier failure of another one', async () => {
    await using given = await onProxy();
    const { pool, proxy } = given;
    proxy.isThere = false;
    await refusals(pool, 50);
    proxy.isThere = true;
    const all = Array.from({ length: 20 }, () => pool.query<{ one: number }>('SELECT 1 AS one'));
    for (const { rows } of await Promise.all(all)) assert.deepEqual(rows, [{ one: 1 }]);
  });

  it('is connected to at once by a later caller, without a warning of Node about listeners', async () => {
    await using given = await onProxy();
    const { pool, proxy } = given;
    proxy.isThere = false;
    await refusals(pool, 50);
    await pause(100);
    await refusals(pool, 1);
    assert.deepEqual(warnings, []);
  });

  it('does not block the event loop while it fails the waiting callers', async () => {
    await using given = await onProxy();
    const { pool, proxy } = given;
    proxy.isThere = false;
    await refusals(pool, 50);
    let told = 0;
    let most = 0;
    let isOver = false;
    const turn = (): void => {
      most = Math.max(most, told);
      told = 0;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const all = Array.from({ length: 500 }, () => pool.query('SELECT 1').catch(() => (told += 1)));
    await Promise.all(all);
    isOver = true;
    assert.ok(most > 0 && most <= 11, `${most} in one turn`);
  });

  it('is told apart from a database whose connections are exhausted: open ones are used', async () => {
    await using given = await onProxy();
    const { pool, proxy } = given;
    const busy = await pool.connect();
    proxy.isFull = true;
    await assert.rejects(pool.query('SELECT 1'), isUnavailable);
    busy.release();
    await pool.query('SELECT 1');
  });

  it('is told apart from a database with live connections after released sockets have failed', async () => {
    await using given = await onProxy();
    const { pool, proxy } = given;
    const two = await Promise.all([pool.connect(), pool.connect()]);
    for (const client of two) {
      client.release(new Error('it does not answer'));
      breakSocket(client);
    }
    while (pool.totalCount > 0) await pause(5);
    await pause(50);

    const busy = await Promise.all([pool.connect(), pool.connect()]);
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => {
      for (const client of busy) client.release();
    });
    proxy.isFull = true;
    await assert.rejects(pool.query('SELECT 1'), isUnavailable);
    const before = proxy.asked;
    await Promise.allSettled(Array.from({ length: 3 }, () => pool.query('SELECT 1')));
    assert.equal(proxy.asked - before, 3, 'each tries for itself while there are connections');
  });
});
