import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type pg from 'pg';
import { postgresPool } from '#src/adapters/postgres.ts';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { type PostgresEventLog, postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { type FoldLine, runProjections } from '#src/eventlog/projections/projection-runner.ts';
import { checkpointWatch } from '#src/eventlog/subscriptions/checkpoint-watch.ts';
import type { Subscription } from '#src/eventlog/subscriptions/subscription.ts';
import { subscriptionReports } from '#src/eventlog/subscriptions/subscription-reports.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';

const soon = { timeoutMs: 10_000 };

/** A table that refuses an event that one line handles twice. */
const makeEffects = (pool: pg.Pool) =>
  pool.query('CREATE TABLE effect (n bigserial, line text, name text, PRIMARY KEY (line, name))');

const effectsOf = async (pool: pg.Pool, line: string) =>
  (
    await pool.query<{ name: string }>('SELECT name FROM effect WHERE line = $1 ORDER BY n', [line])
  ).rows.map(({ name }) => name);

/** A line that writes down what it is given. `fails` is asked before each event. */
const writing = (
  name: string,
  types: readonly string[],
  more: Partial<FoldLine> & { readonly fails?: (event: string) => boolean } = {},
): FoldLine => ({
  name,
  types,
  onError: 'stop',
  handle: async (transaction, events) => {
    for (const { data } of events) {
      if (more.fails?.(String(data['name']))) await transaction.query('SELECT 1 / 0');
      await transaction.query('INSERT INTO effect (line, name) VALUES ($1, $2)', [
        name,
        data['name'],
      ]);
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

type Options = Omit<Parameters<typeof runProjections>[0], 'pool' | 'log' | 'lines'>;

/** The lines of one process; `looks` are the positions after which it has read the log. */
const together = (
  { pool, log }: { readonly pool: pg.Pool; readonly log: PostgresEventLog },
  lines: readonly FoldLine[],
  options: Options = {},
) => {
  const looks: bigint[] = [];
  const looked = Promise.withResolvers<void>();
  const counting = {
    ...log,
    readBatch: async (wanted: Parameters<typeof log.readBatch>[0]) => {
      looks.push(wanted.after);
      const news = await log.readBatch(wanted);
      looked.resolve();
      return news;
    },
  };
  const quick = { pollMs: 20, restMs: 0, lookMs: 40 };
  const subscriptions = runProjections({ pool, log: counting, lines, ...quick, ...options });
  const named = (name: string): Subscription => {
    const found = subscriptions.get(name);
    assert.ok(found);
    return found;
  };
  return {
    looks,
    hasLooked: looked.promise,
    named,
    start: () => {
      for (const subscription of subscriptions.values()) subscription.start();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...subscriptions.values()].map((subscription) => subscription.stop()));
    },
  };
};

const positionsIn = async (pool: pg.Pool) =>
  new Map((await subscriptionReports(pool)).map(({ name, position }) => [name, position]));

/** Another process on the same log. */
const elsewhere = (url: string) => {
  const pool = postgresPool({ url, applicationName: 'steno test', max: 4 });
  return { pool, log: postgresEventLog({ pool }), [Symbol.asyncDispose]: () => pool.end() };
};

describe('the folds of a process', () => {
  it('are fed by one reading, each with its types, and move together', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const lines = [
      writing('a', ['Noted']),
      writing('b', ['Noted', 'Other']),
      writing('c', ['Third']),
    ];
    await using group = together(opened, lines, { restMs: 60_000, pollMs: 60_000 });
    await append(log, 's', '1');
    await append(log, 's', '2', 'Other');
    const last = await append(log, 's', '3');
    group.start();
    for (const name of ['a', 'b', 'c']) {
      assert.equal(await group.named(name).caughtUpTo(last, soon), true);
    }
    assert.deepEqual(group.looks, [0n]);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1', '3']);
    assert.deepEqual(await effectsOf(pool, 'b'), ['1', '2', '3']);
    assert.deepEqual([...(await positionsIn(pool)).values()], [last, last, last]);
    // At rest for a minute, unless somebody waits.
    assert.equal(await group.named('a').caughtUpTo(await append(log, 's', '4'), soon), true);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1', '3', '4']);
  });

  it('go on when one of them fails, which stops alone, says so, and is with them again once it is mended', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const said = Promise.withResolvers<string>();
    const lines = (fails: (name: string) => boolean) => [
      writing('well', ['Noted']),
      writing('ill', ['Noted'], { fails }),
      writing('delicate', ['Noted'], { fails, onError: 'park' }),
    ];
    const logger = {
      warn: () => {},
      error: (message: string) => void (/ill stands/.test(message) && said.resolve(message)),
    };
    {
      await using group = together(
        opened,
        lines((name) => name === 'bad'),
        { logger },
      );
      group.start();
      await append(log, 's', '1');
      await append(log, 't', 'bad');
      const last = await append(log, 's', '2');
      for (const name of ['well', 'delicate']) {
        assert.equal(await group.named(name).caughtUpTo(last, soon), true);
      }
      assert.match(await said.promise, /ill stands still: division by zero/);
      assert.equal(await group.named('ill').caughtUpTo(last, { timeoutMs: 20 }), false);
      assert.match((await group.named('ill').report())?.failure ?? '', /division/);
      assert.deepEqual(
        (await group.named('delicate').parked()).map(({ stream }) => stream),
        ['t'],
      );
      // The parked stream waits, the others go on together.
      await append(log, 't', '3');
      const more = await append(log, 's', '4');
      assert.equal(await group.named('delicate').caughtUpTo(more, soon), true);
      assert.equal(await group.named('well').caughtUpTo(more, soon), true);
      assert.deepEqual(await effectsOf(pool, 'delicate'), ['1', '2', '4']);
    }
    await using mended = together(
      opened,
      lines(() => false),
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

  it('go on beside one that needs an event of a later program', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const said = Promise.withResolvers<string>();
    const logger = { warn: () => {}, error: (message: string) => said.resolve(message) };
    const { meta, data } = event('later');
    const later = { event_id: idOf('later'), type: 'Other', schema_version: 2, data, meta };
    await pool.query('SELECT * FROM es_append($1, $2, $3)', [
      ['s'],
      [null],
      JSON.stringify([[later]]),
    ]);
    const lines = [writing('a', ['Noted']), writing('b', ['Noted', 'Other'])];
    await using group = together(opened, lines, { logger });
    group.start();
    const last = await append(log, 't', '1');
    assert.equal(await group.named('a').caughtUpTo(last, soon), true);
    assert.match(await said.promise, /b stands still: Other has schema version 2/);
    assert.deepEqual(await effectsOf(pool, 'a'), ['1']);
    assert.deepEqual(await effectsOf(pool, 'b'), []);
  });

  it('do not wait for one that is far behind: it reads by itself until it is near', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const names = Array.from({ length: 30 }, (_, n) => `e${n}`);
    let last = 0n;
    for (const name of names) last = await append(log, 's', name);
    await pool.query(`INSERT INTO es_subscription (name, position) VALUES ('near', $1)`, [last]);
    const lines = [writing('near', ['Noted']), writing('far', ['Noted'])];
    await using group = together(opened, lines, { batchSize: 4 });
    group.start();
    last = await append(log, 's', 'new');
    assert.equal(await group.named('near').caughtUpTo(last, soon), true);
    assert.equal(await group.named('far').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'near'), ['new']);
    assert.deepEqual(await effectsOf(pool, 'far'), [...names, 'new']);
    assert.ok(group.looks.every((after) => after >= last - 5n));
  });

  it('get one back that is far behind and finds nothing of its own on the way', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const events = Array.from({ length: 2_500 }, (_, n) => event(`e${n}`, { name: `e${n}` }));
    const [outcome] = await log.append([{ stream: 's', expected: 'any', events }]);
    assert.ok(outcome?.outcome === 'appended');
    const { lastPosition } = outcome;
    await pool.query(`INSERT INTO es_subscription (name, position) VALUES ('near', $1)`, [
      lastPosition,
    ]);
    const lines = [writing('near', ['Noted']), writing('far', ['Rare'])];
    await using group = together(opened, lines, { batchSize: 100 });
    group.start();
    assert.equal(await checkpointWatch(pool, 'far').caughtUpTo(lastPosition, soon), true);
    const last = await append(log, 's', 'rare', 'Rare');
    assert.equal(await group.named('far').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'far'), ['rare']);
  });

  it('leave out the one whose checkpoint was moved behind their back, and handle nothing twice', async () => {
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
    const lines = [writing('a', ['Noted']), writing('b', ['Noted'])];
    await using group = together({ pool, log: paused }, lines);
    group.start();
    await reading.promise;
    await pool.query(`INSERT INTO effect (line, name) VALUES ('b', '1')`);
    await pool.query(`UPDATE es_subscription SET position = $1 WHERE name = 'b'`, [String(first)]);
    moved.resolve();
    const last = await append(log, 's', '2');
    for (const name of ['a', 'b']) {
      assert.equal(await group.named(name).caughtUpTo(last, soon), true);
      assert.deepEqual(await effectsOf(pool, name), ['1', '2']);
    }
  });

  it('are read for by one process at a time, by the next when that one ends, and by whoever is waited in', async () => {
    await using opened = await logOnPostgres();
    const { log, pool, url } = opened;
    await makeEffects(pool);
    const lines = [writing('a', ['Noted']), writing('b', ['Noted'])];
    await using other = elsewhere(url);
    await using first = together(opened, lines);
    await using second = together(other, lines, { pollMs: 60_000, lookMs: 1_000 });
    first.start();
    await first.named('a').caughtUpTo(await append(log, 's', '0'), soon);
    second.start();
    await second.hasLooked;
    // The second is told of each event after the first has handled it: it finds that out once, and stands by.
    let last = 0n;
    for (let n = 1; n <= 10; n += 1) {
      last = await append(log, 's', `${n}`);
      assert.equal(await first.named('b').caughtUpTo(last, soon), true);
      other.log.wake(last);
    }
    assert.equal(second.looks.length, 2);
    assert.equal(await second.named('a').caughtUpTo(await append(log, 's', '11'), soon), true);
    // Whoever handled that one, the second goes on by itself when the first has gone.
    await Promise.all(['a', 'b'].map((name) => first.named(name).stop()));
    last = await append(log, 's', '12');
    other.log.wake(last);
    assert.equal(await checkpointWatch(pool, 'b').caughtUpTo(last, soon), true);
    assert.deepEqual(
      await effectsOf(pool, 'a'),
      Array.from({ length: 13 }, (_, n) => `${n}`),
    );
    assert.deepEqual(await effectsOf(pool, 'b'), await effectsOf(pool, 'a'));
  });

  it('stop one by one, and are not kept from it by one that stops alone', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await makeEffects(pool);
    const lines = [writing('a', ['Noted']), writing('b', ['Noted'])];
    await using group = together(opened, lines);
    group.start();
    await group.named('b').caughtUpTo(await append(log, 's', '1'), soon);
    await group.named('b').stop();
    const last = await append(log, 's', '2');
    assert.equal(await group.named('a').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'b'), ['1']);
    group.named('b').start();
    assert.equal(await group.named('b').caughtUpTo(last, soon), true);
    assert.deepEqual(await effectsOf(pool, 'b'), ['1', '2']);
  });
});
