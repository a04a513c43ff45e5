import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { EventLog, NewEvent } from '#src/eventlog/event-log.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { ensureProjections, type Projection } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import type { EventData } from '#src/eventlog/upcasting.ts';
import { spending } from '#test/support/counting-projection.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';
import { projector } from '#test/support/projector.ts';
import { parkedStreams } from '#test/support/subscription.ts';

const soon = { timeoutMs: 60_000 };

const spent = (id: string, accountId: string, amount: number, kind = 'ask'): NewEvent =>
  event(id, { accountId, kind, amount, at: '2026-11-21T10:00:00.000Z' }, 'Spent');

const spend = async (log: EventLog, accountId: string, ...events: NewEvent[]) => {
  const [outcome] = await log.append([{ stream: `s-${accountId}`, expected: 'any', events }]);
  return outcome?.outcome === 'appended' ? outcome.lastPosition : 0n;
};

const rowsOf = async (pool: pg.Pool, view = 'spending') =>
  (
    await pool.query<{ account_id: string; amount: string }>(
      `SELECT account_id, sum(amount) AS amount FROM ${view} GROUP BY 1 ORDER BY 1`,
    )
  ).rows.map(({ account_id, amount }) => [account_id, Number(amount)]);

const tablesIn = async (pool: pg.Pool) =>
  (
    await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relname LIKE 'spending%' AND relkind = 'r' ORDER BY 1`,
    )
  ).rows.map(({ name }) => name);

/** The next version also keeps the largest amount. */
const next: Projection = {
  ...spending,
  version: 2,
  createSql: (tables) =>
    `${spending.createSql(tables)}; ALTER TABLE ${tables['spending']} ADD COLUMN largest bigint NOT NULL DEFAULT 0`,
};

describe('a projection', () => {
  it('is created once, and read through a view with its plain name', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const made = await Promise.all([1, 2, 3].map(() => ensureProjections(pool, [spending])));
    assert.ok(made.every((states) => states.get('spending') === 'live'));
    await using line = projector({ projection: spending, log, pool });
    line.start();
    await spend(log, 'a', spent('1', 'a', 3), spent('2', 'a', 4));
    const position = await spend(log, 'b', spent('3', 'b', 5), event('4'));
    assert.equal(await line.caughtUpTo(position, soon), true);
    assert.deepEqual(await rowsOf(pool), [
      ['a', 7],
      ['b', 5],
    ]);
    assert.deepEqual(await tablesIn(pool), ['spending_v1']);
  });

  it('has the same rows for every batch size', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await ensureProjections(pool, [spending]);
    for (let n = 0; n < 40; n += 1) await spend(log, `a${n % 3}`, spent(`${n}`, `a${n % 3}`, n));
    const position = await spend(log, 'a0', spent('last', 'a0', 1));
    for (const batchSize of [1, 7, 1_000]) {
      await pool.query(`DELETE FROM es_subscription; TRUNCATE spending_v1`);
      await using line = projector({ projection: spending, log, pool, batchSize });
      line.start();
      assert.equal(await line.caughtUpTo(position, soon), true);
      const proof = await rebuild({ pool, log, projection: spending, switching: 'never', batchSize: 3 });
      assert.equal(proof.differences, 0);
      assert.equal(proof.events, 41);
      assert.equal(proof.isSwitched, false);
    }
    assert.deepEqual(await tablesIn(pool), ['spending_v1']);
  });
});

/** A log of one event, folded by a line that goes on. */
const logOfOne = async () => {
  await using stack = new AsyncDisposableStack();
  const { log, pool } = stack.use(await logOnPostgres());
  await ensureProjections(pool, [spending]);
  const line = stack.use(projector({ projection: spending, log, pool }));
  line.start();
  await line.caughtUpTo(await spend(log, 'a', spent('1', 'a', 3)), soon);
  const kept = stack.move();
  return { log, pool, line, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};

describe('a rebuild', () => {
  it('proves the live rows, switches to the new ones and continues from there', async () => {
    await using opened = await logOfOne();
    const { log, pool, line } = opened;
    const done = await rebuild({ pool, log, projection: spending, switching: 'when_equal' });
    assert.equal(done.isSwitched, true);
    assert.equal(done.message, null);
    assert.deepEqual(done.proof, [{ table: 'spending', rows: 1, onlyLive: 0, onlyRebuilt: 0 }]);
    assert.deepEqual(await tablesIn(pool), ['spending_v1_1']);
    await line.caughtUpTo(await spend(log, 'a', spent('2', 'a', 4)), soon);
    assert.deepEqual(await rowsOf(pool), [['a', 7]]);
  });

  it('keeps the live rows and both tables when they differ, and repairs them on request', async () => {
    await using opened = await logOfOne();
    const { log, pool } = opened;
    await pool.query('UPDATE spending SET amount = 99');
    const refused = await rebuild({ pool, log, projection: spending, switching: 'when_equal' });
    assert.equal(refused.isSwitched, false);
    assert.equal(refused.differences, 2);
    assert.match(refused.message ?? '', /v1 and v1_1 are kept/);
    assert.deepEqual(await rowsOf(pool), [['a', 99]]);
    assert.deepEqual(await tablesIn(pool), ['spending_v1', 'spending_v1_1']);

    const repaired = await rebuild({ pool, log, projection: spending, switching: 'always' });
    assert.equal(repaired.isSwitched, true);
    assert.equal(repaired.differences, 2);
    assert.deepEqual(await rowsOf(pool), [['a', 3]]);
    assert.deepEqual(await tablesIn(pool), ['spending_v1_2']);
  });

  it('keeps tables that differed for inspection, also after further proofs', async () => {
    await using opened = await logOfOne();
    const { log, pool } = opened;
    await pool.query('UPDATE spending SET amount = 99');
    await rebuild({ pool, log, projection: spending, switching: 'when_equal' });
    const kept = ['spending_v1', 'spending_v1_1'];

    const proved = () => rebuild({ pool, log, projection: spending, switching: 'never' });
    for (const own of ['proof_2', 'proof_3']) {
      const { differences, message } = await proved();
      assert.deepEqual([differences, message], [2, `v1 and ${own} are kept beside each other`]);
      assert.deepEqual(await tablesIn(pool), [`spending_${own}`, ...kept]);
    }
    await pool.query('UPDATE spending SET amount = 3');
    assert.equal((await proved()).differences, 0);
    assert.deepEqual(await tablesIn(pool), kept);

    await pool.query('CREATE TABLE spending_proof_4 (broken_off text)');
    await rebuild({ pool, log, projection: spending, switching: 'when_equal' });
    assert.deepEqual(await tablesIn(pool), ['spending_v1_5']);
  });

  it('folds events of older schema versions, and stops at one of a newer version', async () => {
    const upcasters = { Spent: { 1: ({ who, ...rest }: EventData) => ({ ...rest, accountId: who }) } };
    await using opened = await logOnPostgres({ upcasters });
    const { pool, log } = opened;
    await ensureProjections(pool, [spending]);
    const old = { who: 'a', kind: 'ask', amount: 3, at: '2026-11-21T10:00:00.000Z' };
    await pool.query('SELECT * FROM es_append($1, $2, $3)', [
      ['s'],
      [null],
      JSON.stringify([[{ event_id: idOf('1'), type: 'Spent', schema_version: 1, data: old, meta: {} }]]),
    ]);
    const rebuilt = (by: Pick<typeof log, 'replayFolded'>) =>
      rebuild({ pool, log: by, projection: spending, switching: 'always' });
    await pool.query(`INSERT INTO es_subscription (name, position) SELECT 'spending', max(position) FROM es_event`);
    assert.equal((await rebuilt(log)).events, 1);
    assert.deepEqual(await rowsOf(pool), [['a', 3]]);

    await log.append([{ stream: 's', expected: 1n, events: [{ ...spent('2', 'a', 4), schemaVersion: 2 }] }]);
    await pool.query('UPDATE es_subscription SET position = position + 1');
    await assert.rejects(rebuilt(postgresEventLog({ pool })), /Spent has schema version 2/);
  });

  it('introduces the next version while the old program continues to fold its own', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await ensureProjections(pool, [spending]);
    await using old = projector({ projection: spending, log, pool, pollMs: 5 });
    const rests = Promise.withResolvers<string>();
    await using later = projector({
      projection: next,
      log,
      pool,
      pollMs: 5,
      logger: { warn: (message) => rests.resolve(message), error: () => {} },
    });
    assert.equal((await ensureProjections(pool, [next])).get('spending'), 'older');
    old.start();
    await old.caughtUpTo(await spend(log, 'a', spent('1', 'a', 3)), soon);
    const done = await rebuild({ pool, log, projection: next, switching: 'when_equal' });
    assert.deepEqual([done.fromVersion, done.toVersion, done.isSwitched], [1, 2, true]);
    assert.equal((await ensureProjections(pool, [spending])).get('spending'), 'newer');
    await assert.rejects(
      rebuild({ pool, log, projection: spending, switching: 'always' }),
      /later version than this program/,
    );
    const position = await spend(log, 'a', spent('2', 'a', 4));
    assert.equal(await old.caughtUpTo(position, { timeoutMs: 100 }), false);
    later.start();
    assert.equal(await later.caughtUpTo(position, soon), true);
    assert.deepEqual(await rowsOf(pool), [['a', 7]]);
    const { rows } = await pool.query('SELECT largest FROM spending');
    assert.deepEqual(rows, [{ largest: '0' }]);
    assert.equal((await later.report())?.failure, null);
  });

  it('loses no event of a type that only the next version folds, while the old program runs on', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const wider: Projection = { ...spending, version: 2, types: ['Spent', 'SpentAbroad'] };
    await ensureProjections(pool, [spending]);
    await using old = projector({ projection: spending, log, pool, pollMs: 5, restMs: 5 });
    old.start();
    await old.caughtUpTo(await spend(log, 'a', spent('1', 'a', 3)), soon);
    await rebuild({ pool, log, projection: wider, switching: 'when_equal' });
    const data = { accountId: 'a', kind: 'ask', amount: 4, at: '2026-11-21T10:00:00.000Z' };
    const position = await spend(log, 'a', event('2', data, 'SpentAbroad'));
    // More than twice as long as a line leaves a checkpoint that events of other types have passed.
    for (let turns = 0; turns < 12; turns += 1) {
      await spend(log, 'b', event(`of another type ${turns}`));
      await pause(50);
    }
    await using later = projector({ projection: wider, log, pool, pollMs: 5 });
    later.start();
    assert.equal(await later.caughtUpTo(position, soon), true);
    assert.deepEqual(await rowsOf(pool), [['a', 7]]);
  });

  it('includes the events of parked streams, which continue afterwards', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    let isPoisonous = true;
    const delicate: Projection = {
      ...spending,
      onError: 'park',
      fold: async (transaction, events, tables) => {
        if (isPoisonous && events.some(({ data }) => data['accountId'] === 'ill')) throw new Error('ill');
        await spending.fold(transaction, events as Parameters<typeof spending.fold>[1], tables);
      },
    };
    await ensureProjections(pool, [delicate]);
    await using line = projector({ projection: delicate, log, pool });
    line.start();
    await spend(log, 'ill', spent('1', 'ill', 3));
    await line.caughtUpTo(await spend(log, 'a', spent('2', 'a', 4)), soon);
    assert.equal((await parkedStreams(pool, spending.name)).length, 1);
    isPoisonous = false;
    const done = await rebuild({ pool, log, projection: delicate, switching: 'when_equal' });
    assert.equal(done.isSwitched, true);
    assert.match(done.message ?? '', /1 parked stream/);
    await line.caughtUpTo(await spend(log, 'ill', spent('3', 'ill', 5)), soon);
    assert.deepEqual(await parkedStreams(pool, spending.name), []);
    assert.deepEqual(await rowsOf(pool), [
      ['a', 4],
      ['ill', 8],
    ]);
  });

  it('shows every reader growing sums under writers, and ends equal', async () => {
    await using opened = await logOnPostgres({ max: 12 });
    const { log, pool } = opened;
    await ensureProjections(pool, [spending]);
    await using line = projector({ projection: spending, log, pool });
    line.start();
    let isWriting = true;
    let written = 0;
    let last = 0n;
    const write = async (writer: number) => {
      for (let n = 0; isWriting; n += 1) {
        const account = `a${n % 10}`;
        const events = [1, 2, 3].map((k) => spent(`${writer} ${n} ${k}`, account, 1));
        const position = await spend(log, account, ...events);
        if (position > last) last = position;
        written += 3;
      }
    };
    const readings: number[] = [];
    const read = async () => {
      while (isWriting) {
        const { rows } = await pool.query<{ n: string }>('SELECT coalesce(sum(amount), 0) AS n FROM spending');
        readings.push(Number(rows[0]?.n));
      }
    };
    const working = Promise.all([write(1), write(2), write(3), read()]);
    for (let n = 0; n < 3; n += 1) {
      const done = await rebuild({ pool, log, projection: spending, switching: 'when_equal', batchSize: 50 });
      assert.equal(done.differences, 0);
      assert.equal(done.isSwitched, true);
    }
    isWriting = false;
    await working;
    assert.equal(await line.caughtUpTo(last, soon), true);
    assert.deepEqual(
      readings,
      readings.toSorted((a, b) => a - b),
    );
    const total = (await rowsOf(pool)).reduce((sum, [, amount]) => sum + Number(amount), 0);
    assert.equal(total, written);
  });

  it('fails with the error of a write, even while it reads the log', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await ensureProjections(pool, [spending]);
    const hasFailed = Promise.withResolvers<void>();
    const failing: Projection = {
      ...spending,
      tally: () => ({
        add: () => {},
        size: () => 1,
        write: async () => {
          pool.once('release', () => setImmediate(hasFailed.resolve));
          throw new Error('the disk is full');
        },
      }),
    };
    const slow: Pick<typeof log, 'replayFolded'> = {
      replayFolded: async function* () {
        yield [];
        await hasFailed.promise;
        yield [];
      },
    };
    const options = { pool, log: slow, projection: failing, switching: 'when_equal' } as const;
    const broken = rebuild({ ...options, batchSize: 1 });
    await assert.rejects(broken, /the disk is full/);
  });

  it('is refused while another one runs, and can be aborted and started again', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await ensureProjections(pool, [spending]);
    await using line = projector({ projection: spending, log, pool });
    line.start();
    await line.caughtUpTo(await spend(log, 'a', spent('1', 'a', 3), spent('2', 'a', 3)), soon);
    const options = { pool, log, projection: spending, switching: 'when_equal' } as const;
    const controller = new AbortController();
    const folding = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    const slow: Projection = {
      ...spending,
      tally: () => ({
        add: () => {},
        size: () => 1,
        write: async () => {
          folding.resolve();
          await refused.promise;
        },
      }),
    };
    const broken = rebuild({ ...options, projection: slow, batchSize: 1, signal: controller.signal });
    await folding.promise;
    await assert.rejects(rebuild(options), /being rebuilt already/);
    controller.abort();
    refused.resolve();
    await assert.rejects(broken, { name: 'AbortError' });
    const done = await rebuild(options);
    assert.equal(done.isSwitched, true);
    assert.deepEqual(await tablesIn(pool), ['spending_v1_2']);
  });
});
