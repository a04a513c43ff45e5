import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type pg from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { type PostgresEventLog, postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import type { EventWithoutMeta } from '#src/eventlog/read/read-events.ts';
import { checkpointWatch, subscriptionReports } from '#src/eventlog/subscriptions/checkpoints.ts';
import type { RunnerSettings, Subscriber } from '#src/eventlog/subscriptions/handle-batch.ts';
import { type Subscription, subscriptionRunner } from '#src/eventlog/subscriptions/subscription-runner.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';
import { parkedStreams } from '#test/support/subscription.ts';

const soon = { timeoutMs: 60_000 };

/** A table that refuses an event that one subscription handles twice. */
const makeEffects = (pool: pg.Pool) =>
  pool.query('CREATE TABLE effect (n bigserial, subscription text, name text, PRIMARY KEY (subscription, name))');

const effectsOf = async (pool: pg.Pool, subscription: string) =>
  (
    await pool.query<{ name: string }>('SELECT name FROM effect WHERE subscription = $1 ORDER BY n', [subscription])
  ).rows.map(({ name }) => name);

/** A subscriber that stores the names of its events. `fails` is called before each event. */
const writing = (
  name: string,
  types: readonly string[],
  more: Partial<Subscriber<EventWithoutMeta>> & { readonly fails?: (event: string) => boolean } = {},
): Subscriber<EventWithoutMeta> => ({
  name,
  types,
  onError: 'stop',
  handle: async (transaction, events) => {
    for (const { data } of events) {
      if (more.fails?.(String(data['name']))) await transaction.query('SELECT 1 / 0');
      await transaction.query('INSERT INTO effect (subscription, name) VALUES ($1, $2)', [name, data['name']]);
    }
  },
  ...more,
});

const append = async (log: EventLog, stream: string, name: string, type = 'Noted') => {
  const events = [event(name, { name }, type)];
  const [outcome] = await log.append([{ stream, expected: 'any', events }]);
  assert.equal(outcome?.outcome, 'appended');
  return outcome?.outcome === 'appended' ? outcome.lastPosition : 0n;
};

type Options = Omit<RunnerSettings, 'pool'>;

/** The subscriptions of one process; `reads` are the positions after which it has read the log. */
const runnerOf = (
  { pool, log }: { readonly pool: pg.Pool; readonly log: PostgresEventLog },
  subscribers: readonly Subscriber<EventWithoutMeta>[],
  options: Options = {},
) => {
  const reads: bigint[] = [];
  const quick = { pollMs: 20, restMs: 0, lockRetryMs: 40 };
  const { subscriptions, ...runner } = subscriptionRunner<EventWithoutMeta>({
    pool,
    log,
    subscribers,
    readBatch: (range) => {
      reads.push(range.after);
      return log.readBatch(range);
    },
    readStream: log.read,
    ...quick,
    ...options,
  });
  const named = (name: string): Subscription => {
    const found = subscriptions.get(name);
    assert.ok(found);
    return found;
  };
  return { ...runner, reads, named };
};

const positionsIn = async (pool: pg.Pool) =>
  new Map((await subscriptionReports(pool)).map(({ name, position }) => [name, position]));

/** Another process on the same log. */
const elsewhere = (url: string) => {
  const pool = postgresPool({ url, applicationName: 'steno test', max: 4 });
  return { pool, log: postgresEventLog({ pool }), [Symbol.asyncDispose]: () => pool.end() };
};

describe('the subscriptions of a process', () => {
  it('share each read of the log, get their own types, and advance together', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const subscribers = [writing('a', ['Noted']), writing('b', ['Noted', 'Other']), writing('c', ['Third'])];
    await using group = runnerOf(opened, subscribers, { restMs: 60_000, pollMs: 60_000 });
    await append(log, 's', '1');
    await append(log, 's', '2', 'Other');
    const last = await append(log, 's', '3');
    group.start();
    for (const name of ['a', 'b', 'c']) {
      assert.equal(await group.named(name).caughtUpTo(last, soon), true);
    }
    assert.deepEqual(group.reads, [0n]);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1', '3']);
    assert.deepEqual(await effectsOf(pool, 'b'), ['1', '2', '3']);
    assert.deepEqual([...(await positionsIn(pool)).values()], [last, last, last]);
    // The pause of a minute ends when a caller waits.
    assert.equal(await group.named('a').caughtUpTo(await append(log, 's', '4'), soon), true);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1', '3', '4']);
  });

  it('continue when one of them fails, which stops alone, reports it, and catches up once it is repaired', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const said = Promise.withResolvers<string>();
    const subscribers = (fails: (name: string) => boolean) => [
      writing('well', ['Noted']),
      writing('ill', ['Noted'], { fails }),
      writing('delicate', ['Noted'], { fails, onError: 'park' }),
    ];
    const logger = {
      warn: () => {},
      error: (message: string) => void (/ill has stopped/.test(message) && said.resolve(message)),
    };
    {
      await using group = runnerOf(
        opened,
        subscribers((name) => name === 'bad'),
        { logger },
      );
      group.start();
      await append(log, 's', '1');
      await append(log, 't', 'bad');
      const last = await append(log, 's', '2');
      for (const name of ['well', 'delicate']) {
        assert.equal(await group.named(name).caughtUpTo(last, soon), true);
      }
      assert.match(await said.promise, /ill has stopped: division by zero/);
      assert.equal(await group.named('ill').caughtUpTo(last, { timeoutMs: 20 }), false);
      assert.match((await group.named('ill').report())?.failure ?? '', /division/);
      assert.deepEqual(
        (await parkedStreams(pool, 'delicate')).map(({ stream }) => stream),
        ['t'],
      );
      // The parked stream waits, the others go on together.
      await append(log, 't', '3');
      const more = await append(log, 's', '4');
      assert.equal(await group.named('delicate').caughtUpTo(more, soon), true);
      assert.equal(await group.named('well').caughtUpTo(more, soon), true);
      assert.deepEqual(await effectsOf(pool, 'delicate'), ['1', '2', '4']);
    }
    await using mended = runnerOf(
      opened,
      subscribers(() => false),
    );
    mended.start();
    const last = await append(log, 's', '5');
    for (const name of ['well', 'ill', 'delicate']) {
      assert.equal(await mended.named(name).caughtUpTo(last, soon), true);
    }
    assert.deepEqual(await effectsOf(pool, 'ill'), ['1', 'bad', '2', '3', '4', '5']);
    assert.deepEqual(await effectsOf(pool, 'well'), ['1', 'bad', '2', '3', '4', '5']);
    assert.equal(await mended.named('delicate').resume('t'), true);
    assert.deepEqual(await effectsOf(pool, 'delicate'), ['1', '2', '4', '5', 'bad', '3']);
  });

  it('continue beside one that needs an event of a newer schema version', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const said = Promise.withResolvers<string>();
    const logger = { warn: () => {}, error: (message: string) => said.resolve(message) };
    const { meta, data } = event('later');
    const later = { event_id: idOf('later'), type: 'Other', schema_version: 2, data, meta };
    await pool.query('SELECT * FROM es_append($1, $2, $3)', [['s'], [null], JSON.stringify([[later]])]);
    const subscribers = [writing('a', ['Noted']), writing('b', ['Noted', 'Other'])];
    await using group = runnerOf(opened, subscribers, { logger });
    group.start();
    const last = await append(log, 't', '1');
    assert.equal(await group.named('a').caughtUpTo(last, soon), true);
    assert.match(await said.promise, /b has stopped: Other has schema version 2/);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1']);
    assert.deepEqual(await effectsOf(pool, 'b'), []);
  });

  it('do not wait for one that is far behind, which reads alone until it has caught up', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const names = Array.from({ length: 30 }, (_, n) => `e${n}`);
    let last = 0n;
    for (const name of names) last = await append(log, 's', name);
    await pool.query(`INSERT INTO es_subscription (name, position) VALUES ('near', $1)`, [last]);
    const subscribers = [writing('near', ['Noted']), writing('far', ['Noted'])];
    await using group = runnerOf(opened, subscribers, { batchSize: 4 });
    group.start();
    last = await append(log, 's', 'new');
    assert.equal(await group.named('near').caughtUpTo(last, soon), true);
    assert.equal(await group.named('far').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'near'), ['new']);
    assert.deepEqual(await effectsOf(pool, 'far'), [...names, 'new']);
    assert.ok((group.reads[0] ?? 0n) >= last - 5n, 'the first read is for the one that is near');
    assert.equal(group.reads[1], 0n);
  });

  it('are joined by one that was far behind and found no event of its types', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const events = Array.from({ length: 2_500 }, (_, n) => event(`e${n}`, { name: `e${n}` }));
    const [outcome] = await log.append([{ stream: 's', expected: 'any', events }]);
    assert.ok(outcome?.outcome === 'appended');
    const { lastPosition } = outcome;
    await pool.query(`INSERT INTO es_subscription (name, position) VALUES ('near', $1)`, [lastPosition]);
    const subscribers = [writing('near', ['Noted']), writing('far', ['Rare'])];
    await using group = runnerOf(opened, subscribers, { batchSize: 100 });
    group.start();
    assert.equal(await checkpointWatch(pool, 'far').caughtUpTo(lastPosition, soon), true);
    const last = await append(log, 's', 'rare', 'Rare');
    assert.equal(await group.named('far').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'far'), ['rare']);
  });

  it('skip the one whose checkpoint another process has moved, and handle nothing twice', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const first = await append(log, 's', '1');
    const reading = Promise.withResolvers<void>();
    const moved = Promise.withResolvers<void>();
    const paused: PostgresEventLog = {
      ...log,
      readBatch: async (options) => {
        const read = await log.readBatch(options);
        reading.resolve();
        await moved.promise;
        return read;
      },
    };
    const subscribers = [writing('a', ['Noted']), writing('b', ['Noted'])];
    await using group = runnerOf({ pool, log: paused }, subscribers);
    group.start();
    await reading.promise;
    await pool.query(`INSERT INTO effect (subscription, name) VALUES ('b', '1')`);
    await pool.query(`UPDATE es_subscription SET position = $1 WHERE name = 'b'`, [String(first)]);
    moved.resolve();
    const last = await append(log, 's', '2');
    for (const name of ['a', 'b']) {
      assert.equal(await group.named(name).caughtUpTo(last, soon), true);
      assert.deepEqual(await effectsOf(pool, name), ['1', '2']);
    }
  });

  it('are handled by one process at a time, and by the next one when that one ends', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    await makeEffects(pool);
    const subscribers = [writing('a', ['Noted']), writing('b', ['Noted'])];
    await using other = elsewhere(url);
    await using first = runnerOf(opened, subscribers);
    await using second = runnerOf(other, subscribers, { pollMs: 60_000 });
    first.start();
    await first.named('a').caughtUpTo(await append(log, 's', '0'), soon);
    second.start();
    let last = 0n;
    for (let n = 1; n <= 10; n += 1) {
      last = await append(log, 's', `${n}`);
      other.log.wake(last);
      assert.equal(await second.named('b').caughtUpTo(last, soon), true);
    }
    assert.deepEqual(second.reads, []);
    await first.stop();
    last = await append(log, 's', '11');
    assert.equal(await second.named('a').caughtUpTo(last, soon), true);
    assert.equal(await second.named('b').caughtUpTo(last, soon), true);
    assert.deepEqual(
      await effectsOf(pool, 'a'),
      Array.from({ length: 12 }, (_, n) => `${n}`),
    );
    assert.deepEqual(await effectsOf(pool, 'b'), await effectsOf(pool, 'a'));
  });

  it('are taken over when the session of the process that handles them ends', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    await makeEffects(pool);
    await using other = elsewhere(url);
    await using first = runnerOf({ pool: other.pool, log: other.log }, [writing('a', ['Noted'])]);
    await using second = runnerOf(opened, [writing('a', ['Noted'])]);
    first.start();
    await first.named('a').caughtUpTo(await append(log, 's', '0'), soon);
    second.start();
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 20260122`,
    );
    let last = 0n;
    for (let n = 1; n <= 10; n += 1) last = await append(log, 's', `${n}`);
    assert.equal(await second.named('a').caughtUpTo(last, soon), true);
    assert.deepEqual(
      await effectsOf(pool, 'a'),
      Array.from({ length: 11 }, (_, n) => `${n}`),
    );
  });

  it('stop, and continue from their checkpoints when they are started again', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    await using group = runnerOf(opened, [writing('a', ['Noted'])]);
    group.start();
    await group.named('a').caughtUpTo(await append(log, 's', '1'), soon);
    await group.stop();
    const last = await append(log, 's', '2');
    assert.equal(await group.named('a').caughtUpTo(last, { timeoutMs: 30 }), false);
    group.start();
    assert.equal(await group.named('a').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1', '2']);
  });
});
