import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import type { EventLog, RecordedEvent, Transaction } from '#src/eventlog/event-log.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { checkpointWatch, subscriptionReports } from '#src/eventlog/subscriptions/checkpoints.ts';
import { appendNotifications } from '#src/eventlog/subscriptions/notifications.ts';
import { event, logOnPostgres } from '#test/support/eventlog.ts';
import { parkedStreams, type SubscriptionOptions, subscription } from '#test/support/subscription.ts';
import { tcpProxy } from '#test/support/tcp-proxy.ts';

type TestLog = Awaited<ReturnType<typeof logOnPostgres>>;

/** A table that refuses an event handled twice, and the order in which events were handled. */
const withEffects = async (pool: pg.Pool) => {
  await pool.query('CREATE TABLE effect (n bigserial, name text PRIMARY KEY, stream text)');
  return {
    write: async (transaction: Transaction, events: readonly RecordedEvent[]) => {
      for (const { data, stream } of events) {
        await transaction.query('INSERT INTO effect (name, stream) VALUES ($1, $2)', [data['name'], stream]);
      }
    },
    names: async () =>
      (await pool.query<{ name: string }>('SELECT name FROM effect ORDER BY n')).rows.map(({ name }) => name),
  };
};

const append = async (log: EventLog, stream: string, ...names: string[]): Promise<bigint> => {
  const events = names.map((name) => event(name));
  const [outcome] = await log.append([{ stream, expected: 'any', events }]);
  assert.equal(outcome?.outcome, 'appended');
  return outcome?.outcome === 'appended' ? outcome.lastPosition : 0n;
};

const quick = { retryDelaysMs: [1, 1], pollMs: 20, onError: 'park' } as const;
const soon = { timeoutMs: 60_000 };

const subscribed = (
  { log, pool }: Pick<TestLog, 'log' | 'pool'>,
  rest: Pick<SubscriptionOptions, 'handle'> & Partial<SubscriptionOptions>,
) => subscription({ name: 'effects', log, pool, ...quick, ...rest });

describe('a subscription', () => {
  it('handles earlier and new events in order, without waiting for a poll', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    await append(log, 'a', 'a1', 'a2');
    await using line = subscribed(opened, { handle: effects.write, pollMs: 60_000 });
    line.start();
    const position = await append(log, 'b', 'b1');
    assert.equal(await line.caughtUpTo(position, soon), true);
    assert.equal(await line.caughtUpTo(await append(log, 'a', 'a3'), soon), true);
    assert.deepEqual(await effects.names(), ['a1', 'a2', 'b1', 'a3']);
    const report = await line.report();
    assert.equal(report?.lagPositions, 0n);
    assert.equal(report?.lagSeconds, 0);
    assert.equal(report?.failure, null);
  });

  it('handles events whose positions were assigned before a crash of the server lost them', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    const effects = await withEffects(pool);
    await using line = subscribed(opened, { handle: effects.write });
    const admin = new pg.Client(url);
    await admin.connect();
    line.start();
    const last = await append(log, 'a', 'a1');
    assert.equal(await line.caughtUpTo(last, soon), true);
    await admin.query(`SELECT nextval('es_position') FROM generate_series(1, 3)`);
    assert.equal(await line.caughtUpTo(last + 3n, soon), true);
    assert.equal((await line.report())?.position, last, 'the checkpoint is not stored');

    await admin.query(`SELECT setval('es_position', $1)`, [String(last)]);
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    // The subscription has read the log again by then.
    await pause(1_500);
    assert.equal(await append(log, 'b', 'b1', 'b2', 'b3'), last + 3n);
    for (let tries = 0; (await effects.names()).length < 4; tries += 1) {
      assert.ok(tries < 1_200, (await effects.names()).join());
      await pause(20);
    }
    await admin.end();
    assert.deepEqual(await effects.names(), ['a1', 'b1', 'b2', 'b3']);
  });

  it('lets events accumulate, and handles them at once when a caller waits', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    await using line = subscribed(opened, { handle: effects.write, restMs: 60_000 });
    line.start();
    for (const n of [1, 2, 3]) {
      await append(log, 'a', `a${n}`);
      assert.equal(await line.caughtUpTo(await append(log, 'b', `b${n}`), soon), true);
    }
    assert.deepEqual(await effects.names(), ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('handles only its types, and skips the others', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    await log.append([{ stream: 's', expected: 0n, events: [event('x', { name: 'x' }, 'Other'), event('y')] }]);
    await using line = subscribed(opened, { handle: effects.write, types: ['Other'] });
    line.start();
    assert.equal(await line.caughtUpTo(await append(log, 's', 'z'), soon), true);
    assert.deepEqual(await effects.names(), ['x']);
  });

  it('soon stores a checkpoint past events of other types', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    let handled = 0;
    await using line = subscribed(opened, {
      types: ['Other'],
      handle: async (_, events) => {
        handled += events.length;
      },
    });
    line.start();
    const elsewhere = checkpointWatch(pool, 'effects');
    for (const n of [1, 2, 3]) {
      assert.equal(await elsewhere.caughtUpTo(await append(log, 's', `a${n}`), soon), true);
    }
    const other = [event('x', { name: 'x' }, 'Other')];
    await log.append([{ stream: 's', expected: 'any', events: other }]);
    assert.equal(await elsewhere.caughtUpTo(await append(log, 's', 'last'), soon), true);
    assert.equal(handled, 1);
  });

  it('handles each event once when several processes run it', async () => {
    await using opened = await logOnPostgres({ max: 4 });
    const { log, pool, url } = opened;
    const effects = await withEffects(pool);
    const others = [1, 2].map(() => postgresPool({ url, applicationName: 'steno test', max: 3 }));
    const lines = [pool, ...others].map((own) =>
      subscribed(
        { pool: own, log: postgresEventLog({ pool: own }) },
        { handle: effects.write, batchSize: 7, pollMs: 1 },
      ),
    );
    for (const line of lines) line.start();
    let last = 0n;
    for (let n = 0; n < 100; n += 1) last = await append(log, `s${n % 5}`, `a${n}`, `b${n}`);
    for (const line of lines) assert.equal(await line.caughtUpTo(last, soon), true);
    await Promise.all(lines.map((line) => line.stop()));
    assert.deepEqual(await effects.names(), Array.from({ length: 100 }, (_, n) => [`a${n}`, `b${n}`]).flat());
    await Promise.all(others.map((other) => other.end()));
  });

  it('leaves no effects of a transaction that fails', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    let failuresLeft = 2;
    await using line = subscribed(opened, {
      handle: async (transaction, events) => {
        await effects.write(transaction, events);
        failuresLeft -= 1;
        if (failuresLeft >= 0) throw new Error('not yet');
      },
    });
    line.start();
    assert.equal(await line.caughtUpTo(await append(log, 's', 'a', 'b', 'c'), soon), true);
    assert.deepEqual(await effects.names(), ['a', 'b', 'c']);
    assert.deepEqual(await parkedStreams(pool, 'effects'), []);
  });

  it('parks the stream of an event it cannot handle, keeps its order, and continues with the others', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    let isPoisonous = true;
    await using line = subscribed(opened, {
      handle: async (transaction, events) => {
        if (isPoisonous && events.some(({ data }) => data['name'] === 'bad')) {
          await transaction.query('SELECT 1 / 0');
        }
        await effects.write(transaction, events);
      },
    });
    await append(log, 'good', 'g1', 'g2');
    await append(log, 'ill', 'i1', 'bad', 'i2');
    await append(log, 'good', 'g3');
    line.start();
    assert.equal(await line.caughtUpTo(await append(log, 'ill', 'i3'), soon), true);
    assert.equal(await line.caughtUpTo(await append(log, 'good', 'g4'), soon), true);
    assert.deepEqual(await effects.names(), ['g1', 'g2', 'i1', 'g3', 'g4']);
    const [parked] = await parkedStreams(pool, 'effects');
    assert.equal(parked?.stream, 'ill');
    assert.equal(parked?.version, 2n);
    assert.match(parked?.failure ?? '', /division by zero/);
    assert.equal((await line.report())?.parkedStreams, 1);

    await assert.rejects(line.resume('ill'), /division by zero/);
    assert.equal((await parkedStreams(pool, 'effects')).length, 1);
    isPoisonous = false;
    assert.equal(await line.resume('ill'), true);
    assert.equal(await line.resume('ill'), false);
    assert.deepEqual(await parkedStreams(pool, 'effects'), []);
    assert.equal(await line.caughtUpTo(await append(log, 'ill', 'i4'), soon), true);
    const names = await effects.names();
    assert.deepEqual(names.slice(5), ['bad', 'i2', 'i3', 'i4']);
  });

  it('resumes a parked stream exactly once while it is written to and handled', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    let isPoisonous = true;
    await using line = subscribed(opened, {
      batchSize: 3,
      handle: async (transaction, events) => {
        if (isPoisonous && events.some(({ stream }) => stream === 'ill')) throw new Error('ill');
        await effects.write(transaction, events);
      },
    });
    line.start();
    await line.caughtUpTo(await append(log, 'ill', 'i0'), soon);
    let last = 0n;
    const writing = (async () => {
      for (let n = 1; n <= 60; n += 1) last = await append(log, 'ill', `i${n}`);
    })();
    isPoisonous = false;
    await Promise.all([line.resume('ill'), line.resume('ill'), writing]);
    assert.equal(await line.caughtUpTo(last, soon), true);
    assert.deepEqual(
      await effects.names(),
      Array.from({ length: 61 }, (_, n) => `i${n}`),
    );
  });

  it('resumes some of its parked streams, skips those that fail again, and logs these once', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    const isIll = new Set(['a', 'b', 'c', 'd']);
    const warnings: string[] = [];
    await using line = subscribed(opened, {
      handle: async (transaction, events) => {
        const ill = events.find(({ stream }) => isIll.has(stream));
        if (ill !== undefined) throw new Error(`${ill.stream} is ill`);
        await effects.write(transaction, events);
      },
      logger: { warn: (message) => warnings.push(message), error: () => {} },
    });
    const parked = async () => (await parkedStreams(pool, 'effects')).map(({ stream }) => stream);
    line.start();
    let last = 0n;
    for (const stream of isIll) last = await append(log, stream, `${stream}0`);
    assert.equal(await line.caughtUpTo(last, soon), true);
    assert.deepEqual(await parked(), ['a', 'b', 'c', 'd']);
    isIll.delete('b');
    isIll.delete('c');
    await line.resumeSome(4);
    assert.deepEqual(await parked(), ['a', 'd']);
    assert.deepEqual(warnings.toSorted(), ['b is resumed', 'c is resumed', 'parked streams failed again']);
    isIll.clear();
    await line.resumeSome(1);
    assert.equal((await parked()).length, 1);
    await line.resumeSome(1);
    assert.deepEqual((await effects.names()).toSorted(), ['a0', 'b0', 'c0', 'd0']);
  });

  it('stops at a bad event that it must not skip, reports it, and continues once it is repaired', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    const said = Promise.withResolvers<string>();
    const bad = subscribed(opened, {
      onError: 'stop',
      handle: async (transaction, events) => {
        if (events.some(({ data }) => data['name'] === 'bad')) throw new Error('no such price');
        await effects.write(transaction, events);
      },
      logger: { warn: () => {}, error: (message) => said.resolve(message) },
    });
    const position = await append(log, 'a', 'a1', 'bad', 'a2');
    const last = await append(log, 'b', 'b1');
    bad.start();
    assert.match(await said.promise, /effects has stopped: no such price/);
    assert.equal(await bad.caughtUpTo(position, { timeoutMs: 50 }), false);
    await bad.stop();
    assert.deepEqual(await effects.names(), ['a1']);
    const [report] = await subscriptionReports(pool);
    assert.equal(report?.failure, 'no such price');
    assert.equal(report?.failedPosition, position - 1n);
    assert.ok((report?.lagPositions ?? 0n) > 0n);

    await using mended = subscribed(opened, { onError: 'stop', handle: effects.write });
    mended.start();
    assert.equal(await mended.caughtUpTo(last, soon), true);
    assert.deepEqual(await effects.names(), ['a1', 'bad', 'a2', 'b1']);
    assert.equal((await mended.report())?.failure, null);
  });

  it('stops when so many streams fail that the handler must be at fault', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const said = Promise.withResolvers<void>();
    await using line = subscribed(opened, {
      maxParked: 2,
      handle: () => Promise.reject(new Error('handler is broken')),
      logger: { warn: () => {}, error: (message) => /has stopped/.test(message) && said.resolve() },
    });
    for (const stream of ['a', 'b', 'c', 'd']) await append(log, stream, stream);
    line.start();
    await said.promise;
    assert.deepEqual(
      (await parkedStreams(pool, 'effects')).map(({ stream }) => stream),
      ['a', 'b'],
    );
    const { rows } = await pool.query('SELECT failure FROM es_subscription');
    assert.deepEqual(rows, [{ failure: 'handler is broken' }]);
  });

  it('stops at an event of a newer schema version, and reports it', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const said = Promise.withResolvers<string>();
    await append(log, 's', 'a');
    await pool.query('SELECT * FROM es_append($1, $2, $3)', [
      ['s'],
      [null],
      JSON.stringify([[{ ...rowOf('b'), schema_version: 2 }]]),
    ]);
    await using line = subscribed(opened, {
      handle: async () => {},
      logger: { warn: () => {}, error: (message) => said.resolve(message) },
    });
    line.start();
    assert.match(await said.promise, /Noted has schema version 2, this program knows 1/);
    assert.equal((await line.report())?.position, 0n);
  });

  it('is not delayed by an open transaction that does not append', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    const effects = await withEffects(pool);
    const stranger = new pg.Client({ connectionString: url });
    await stranger.connect();
    await stranger.query('CREATE TABLE foreign_work (n int)');
    await stranger.query('BEGIN');
    await stranger.query('INSERT INTO foreign_work VALUES (1)');
    await using line = subscribed(opened, { handle: effects.write });
    line.start();
    assert.equal(await line.caughtUpTo(await append(log, 's', 'a'), soon), true);
    assert.deepEqual(await effects.names(), ['a']);
    await stranger.query('ROLLBACK');
    await stranger.end();
  });

  it('continues after all connections were terminated', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    const effects = await withEffects(pool);
    await using line = subscribed(opened, { handle: effects.write });
    line.start();
    await line.caughtUpTo(await append(log, 's', 'a'), soon);
    const stranger = new pg.Client({ connectionString: url });
    await stranger.connect();
    await stranger.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await stranger.end();
    // The connections that were idle are found cut by whoever takes them first.
    for (let tries = 0; tries < 10; tries += 1) await log.versionOf('s').catch(() => undefined);
    assert.equal(await line.caughtUpTo(await append(log, 's', 'b'), soon), true);
    assert.deepEqual(await effects.names(), ['a', 'b']);
  });

  it('lets another process wait for its checkpoint, and no longer than the timeout', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    const effects = await withEffects(pool);
    const other = postgresPool({ url, applicationName: 'steno test', max: 1 });
    const watch = checkpointWatch(other, 'effects');
    const position = await append(log, 's', 'a');
    assert.equal(await watch.caughtUpTo(position, { timeoutMs: 30 }), false);
    await using line = subscribed(opened, { handle: effects.write });
    line.start();
    assert.equal(await watch.caughtUpTo(position, soon), true);
    await other.end();
  });

  it('is woken by appends of another process, even after the connection was cut', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    const effects = await withEffects(pool);
    const other = postgresPool({ url, applicationName: 'steno test', max: 2 });
    const there = postgresEventLog({ pool: other });
    const direct = new URL(url);
    await using proxy = await tcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
    direct.host = `127.0.0.1:${proxy.port}`;
    await using line = subscribed(opened, { handle: effects.write, pollMs: 600_000 });
    line.start();
    const isHeard = async () => {
      const heard = Promise.withResolvers<bigint>();
      const stop = log.onAppended(heard.resolve);
      const position = await heard.promise;
      stop();
      return position;
    };
    const listening = isHeard();
    await using _here = appendNotifications({ log, pool, url: direct.href });
    await using _there = appendNotifications({ log: there, pool: other, url });
    await listening;
    assert.equal(await line.caughtUpTo(await append(there, 's', 'a'), soon), true);
    await proxy.stop();
    const again = isHeard();
    await proxy.start();
    await again;
    assert.equal(await line.caughtUpTo(await append(there, 's', 'b'), soon), true);
    assert.deepEqual(await effects.names(), ['a', 'b']);
    await _there[Symbol.asyncDispose]();
    await other.end();
  });

  it('stops listening without another connection attempt to a server that is down', async () => {
    await using opened = await logOnPostgres();
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const told = Promise.withResolvers<void>();
    const announcing = appendNotifications({
      ...opened,
      url: `postgres://nobody@127.0.0.1:${port}/nothing`,
      logger: { warn: () => told.resolve() },
    });
    await told.promise;
    // It waits for a second before it tries again.
    await pause(200);
    await announcing[Symbol.asyncDispose]();
    server.close();
    assert.equal(connections, 1);
  });

  it('handles a batch once when another process moves its checkpoint', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const effects = await withEffects(pool);
    const first = await append(log, 's', 'a');
    const reading = Promise.withResolvers<void>();
    const moved = Promise.withResolvers<void>();
    let isFirst = true;
    const paused: Pick<EventLog, 'read' | 'readAll' | 'onAppended'> = {
      ...log,
      readAll: async (options) => {
        const read = await log.readAll(options);
        if (!isFirst) return read;
        isFirst = false;
        reading.resolve();
        await moved.promise;
        return read;
      },
    };
    await using line = subscription({ name: 'effects', log: paused, pool, ...quick, handle: effects.write });
    line.start();
    await reading.promise;
    // Another process, faster, handles the same event.
    await pool.query(`INSERT INTO effect (name, stream) VALUES ('a', 's')`);
    await pool.query('UPDATE es_subscription SET position = $1', [String(first)]);
    moved.resolve();
    assert.equal(await line.caughtUpTo(await append(log, 's', 'b'), soon), true);
    assert.deepEqual(await effects.names(), ['a', 'b']);
  });
});

const rowOf = (name: string) => {
  const { id, type, data, meta } = event(name);
  return { event_id: id, type, data, meta };
};
