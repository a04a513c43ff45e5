import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { kurrentStore } from '#src/adapters/kurrentdb/kurrent-store.ts';
import { type PostgresEventLog, postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { subscriptionReports } from '#src/eventlog/subscriptions/checkpoints.ts';
import { type RemoteStore, remoteSubscription } from '#src/eventlog/subscriptions/remote-subscription.ts';
import { orAborted } from '#src/kernel/abortable.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';
import { kurrentServer } from '#test/support/kurrent-server.ts';

describe('a remote subscription', () => {
  let world: Awaited<ReturnType<typeof logOnPostgres>>;
  let log: PostgresEventLog;
  before(async () => {
    world = await logOnPostgres({ max: 12 });
    // Data of version 1 are stored; who reads the log otherwise gets them as version 2.
    const upcasters = { Noted: { 1: (data: object) => ({ ...data, isToday: true }) } };
    log = postgresEventLog({ pool: world.pool, upcasters });
  });
  after(() => world[Symbol.asyncDispose]());

  const warnings: string[] = [];
  const relay = (name: string, store: RemoteStore, batchSize = 4) =>
    remoteSubscription({
      ...{ name, store, batchSize, pool: world.pool, sessions: world.pool, log },
      ...{ pollMs: 10, retryDelaysMs: [10], logger: { warn: (message) => warnings.push(message) } },
    });
  const until = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
    for (let tries = 0; !(await isDone()); tries += 1) {
      assert.ok(tries < 400, 'this never happens');
      await pause(10);
    }
  };
  const reportOf = async (name: string) => (await subscriptionReports(world.pool, name))[0];
  const note = async (stream: string, ...names: readonly string[]): Promise<void> => {
    await world.log.append([{ stream, expected: 'any', events: names.map((name) => event(name)) }]);
  };

  it('copies every event to a KurrentDB, in order, as stored, and resumes at its checkpoint', async () => {
    await using server = await kurrentServer();
    await using store = kurrentStore(server.url);
    await note('one', 'a', 'b');
    await note('two', 'c');
    await note('one', 'd', 'e', 'f');
    {
      await using _ = relay('kurrent', store);
      await until(() => server.order.length === 6);
      server.stop();
      await note('two', 'g');
      await until(async () => (await reportOf('kurrent'))?.failure?.includes('UNAVAILABLE') === true);
      assert.deepEqual(warnings, ['subscription kurrent tries again']);
      await server.start();
      await until(async () => (await reportOf('kurrent'))?.lagPositions === 0n);
    }
    const { order } = server;
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(idOf);
    assert.deepEqual(
      order.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(server.streams.get('one')?.[0], {
      ...{ id: idOf('a'), type: 'Noted', contentType: 'application/json' },
      ...{ data: { name: 'a' }, metadata: { occurred_at: '2026-11-21T10:00:00.000Z', schema_version: 1 } },
    });
    assert.equal((await reportOf('kurrent'))?.failure, null);

    // Its checkpoint is lost with a restored database: what is there stays there once.
    await world.pool.query("UPDATE es_subscription SET position = 0 WHERE name = 'kurrent'");
    await note('two', 'h');
    await using _ = relay('kurrent', store, 3);
    await until(() => order.length === 8);
    await until(async () => (await reportOf('kurrent'))?.lagPositions === 0n);
    assert.equal(new Set(order.map(({ id }) => id)).size, 8);
  });

  it('reads the next batch after the one before is acknowledged, in one process at a time', async () => {
    let [reads, running, most, delivered] = [0, 0, 0, 0];
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const store: RemoteStore = {
      deliver: async (events) => {
        running += 1;
        most = Math.max(most, running);
        await go;
        delivered += events.length;
        running -= 1;
      },
    };
    const counting = {
      readStored: (options: { readonly after: bigint; readonly limit: number }) => {
        reads += 1;
        return log.readStored(options);
      },
    };
    const settings = { name: 'slow', store, batchSize: 2, pollMs: 10, pool: world.pool, sessions: world.pool };
    await using _one = remoteSubscription({ ...settings, log: counting, logger: { warn: () => {} } });
    await until(() => running === 1);
    await using _other = remoteSubscription({ ...settings, log: counting, logger: { warn: () => {} } });
    await pause(60);
    assert.deepEqual([reads, running], [1, 1]);

    resolve();
    await until(async () => (await reportOf('slow'))?.lagPositions === 0n);
    assert.deepEqual([most, delivered], [1, 8]);
  });

  it('ends while the store does not answer', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const store: RemoteStore = {
      deliver: (_, signal) => {
        resolve();
        return orAborted(new Promise(() => {}), signal);
      },
    };
    const one = relay('ending', store);
    await begun;
    await one[Symbol.asyncDispose]();
    assert.equal((await reportOf('ending'))?.failure, null);
  });
});
