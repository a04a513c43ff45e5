import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import type { AppendOutcome } from '#src/eventlog/event-log.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { isUnavailable, LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { event, idOf, logOnPostgres } from '#test/support/eventlog.ts';

const outcomesOf = (all: readonly (readonly AppendOutcome[])[]) => all.map(([first]) => first?.outcome).sort();

describe('concurrent writers', () => {
  it('never conflict when they expect any version', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        log.append([{ stream: 's', expected: 'any', events: [event(`w${n}`), event(`v${n}`)] }]),
      ),
    );
    assert.deepEqual(
      outcomesOf(outcomes),
      Array.from({ length: 60 }, () => 'appended'),
    );
    const read = await log.read('s');
    assert.deepEqual(
      read.map(({ version }) => version),
      Array.from({ length: 120 }, (_, n) => BigInt(n + 1)),
    );
    const positions = read.map(({ position }) => position);
    assert.deepEqual(
      positions,
      [...positions].sort((a, b) => Number(a - b)),
    );
  });

  it('store one of many events with the same id, and return its position to the others', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    for (const expected of ['any', 0n] as const) {
      const id = `one ${expected}`;
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          log.append([{ stream: `${expected}-${n % 2}`, expected, events: [event(id)] }]),
        ),
      );
      const stored = await log.readById(idOf(id));
      assert.ok(stored);
      assert.equal(outcomesOf(outcomes).filter((outcome) => outcome === 'appended').length, 1);
      for (const [outcome] of outcomes) {
        if (outcome?.outcome === 'duplicate') assert.equal(outcome.firstPosition, stored.position);
        if (outcome?.outcome === 'conflict') assert.deepEqual(outcome.existingIds, [idOf(id)]);
      }
    }
  });

  it('keep their connections when an append is a repeat', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const repeat = () => log.append([{ stream: 's', expected: 1n, events: [event('first')] }]);
    await log.append([{ stream: 's', expected: 0n, events: [event('first')] }]);
    let closed = 0;
    pool.on('remove', () => {
      closed += 1;
    });
    const alone = await repeat();
    const [inGroup] = await Promise.all([
      repeat(),
      log.append([{ stream: 't', expected: 0n, events: [event('other')] }]),
    ]);
    assert.deepEqual([alone[0]?.outcome, inGroup?.[0]?.outcome], ['duplicate', 'duplicate']);
    assert.equal(closed, 0);
  });

  it('lock streams in the order of their names, whatever the order of the call', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    const to = (version: bigint, ...streams: string[]) =>
      streams.map((stream) => ({ stream, expected: version, events: [event(`${stream} ${version}`)] }));
    await log.append(to(0n, 'a', 'b'));
    const holder = await pool.connect();
    const asked: ReturnType<typeof log.append>[] = [];
    try {
      await holder.query("BEGIN; SELECT FROM es_read_locked('a', 1)");
      asked.push(log.append(to(1n, 'b', 'a')));
      for (let looks = 0; (await waitingOn(pool)) < 1 && looks < 2_000; looks += 1);
      assert.equal(await waitingOn(pool), 1);
      await pool.query("SELECT FROM es_stream WHERE stream = 'b' FOR UPDATE NOWAIT");
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    const outcomes = (await Promise.all(asked)).flat();
    const stored = await Promise.all(['b', 'a'].map((stream) => log.read(stream, { from: 2n })));
    assert.deepEqual(
      outcomes.map((one) => (one.outcome === 'appended' ? one.firstPosition : null)),
      stored.flat().map(({ position }) => position),
    );
  });

  it('all succeed, one after the other, when they decide under the lock', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    await log.append([{ stream: 's', expected: 0n, events: [event('first')] }]);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        log.appendLocked('s', 1n, (tail) => [{ stream: 's', expected: BigInt(tail.length), events: [event(`w${n}`)] }]),
      ),
    );
    assert.ok(outcomes.flat().every(({ outcome }) => outcome === 'appended'));
    assert.equal(await log.versionOf('s'), 21n);
  });

  it('get the lock of a stream in the order of their requests', async () => {
    await using opened = await logOnPostgres({ max: 20 });
    const { log, pool } = opened;
    // Every log listens for the connections that are opened and closed.
    pool.setMaxListeners(20);
    await log.append([{ stream: 's', expected: 0n, events: [event('first')] }]);
    const holder = await pool.connect();
    // Each expects the version that it finds only when all who asked before it, and nobody else, were let in.
    const writer = (version: bigint) => {
      const appends = [{ stream: 's', expected: version, events: [event(`w${version}`)] }];
      const own = postgresEventLog({ pool });
      return version % 3n === 0n ? own.appendLocked('s', version, () => appends) : own.append(appends);
    };
    const asked: ReturnType<typeof writer>[] = [];
    try {
      await holder.query('BEGIN');
      await holder.query("SELECT FROM es_read_locked('s', 1)");
      for (let version = 1n; version <= 12n; version += 1n) {
        asked.push(writer(version));
        let looks = 0;
        while ((await waitingOn(pool)) < asked.length && looks < 200) looks += 1;
      }
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    const outcomes = (await Promise.all(asked)).flat();
    assert.deepEqual(
      outcomes.map(({ outcome, version }) => [outcome, version]),
      outcomes.map((_, at) => ['appended', BigInt(at) + 2n]),
    );
  });
});

describe('an inline read model', () => {
  it('is written with its events or not at all', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await pool.query('CREATE TABLE seen (name text PRIMARY KEY)');
    const note = (name: string, stream: string, expected: bigint) =>
      log.append([{ stream, expected, events: [event(name)] }], {
        within: async (transaction) => {
          await transaction.query('INSERT INTO seen VALUES ($1)', [name.slice(0, 1)]);
        },
      });
    assert.equal((await note('a1', 's', 0n))[0]?.outcome, 'appended');
    assert.equal((await note('a1', 's', 0n))[0]?.outcome, 'duplicate');
    assert.equal((await note('b1', 's', 0n))[0]?.outcome, 'conflict');
    await assert.rejects(note('a2', 's', 1n), { constraint: 'seen_pkey' });
    assert.equal(await log.versionOf('s'), 1n);
    const { rows } = await pool.query('SELECT name FROM seen');
    assert.deepEqual(rows, [{ name: 'a' }]);
  });
});

describe('what is stored', () => {
  it('cannot be changed or removed, not even by a session that switches triggers off', async () => {
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await log.append([{ stream: 's', expected: 0n, events: [event('a')] }]);
    for (const statement of [
      `UPDATE es_event SET data = '{}'`,
      'DELETE FROM es_event',
      'TRUNCATE es_event',
      'TRUNCATE es_event CASCADE',
    ]) {
      await assert.rejects(pool.query(statement), { code: '42501' });
      const asReplica = `SET session_replication_role = replica; ${statement}`;
      await assert.rejects(pool.query(asReplica), { code: '42501' });
    }
    assert.equal((await log.read('s')).length, 1);
  });

  it('can be appended to and read, and nothing else, by a role that is not the owner', async () => {
    await using opened = await logOnPostgres();
    const { pool, url, log } = opened;
    const role = `es_test_${new URL(url).pathname.slice(-12)}`;
    await pool.query(`CREATE ROLE ${role}; SELECT es_grant_to('${role}'), es_grant_readers_to('${role}')`);
    const as = `${url}?options=-c%20role%3D${role}`;
    const own = postgresPool({ url: as, applicationName: 'steno test' });
    const ours = postgresEventLog({ pool: own });
    try {
      await ours.append([{ stream: 's', expected: 0n, events: [event('a')] }]);
      await ours.appendLocked('s', 1n, () => [{ stream: 's', expected: 1n, events: [event('b')] }]);
      assert.equal((await ours.read('s')).length, 2);
      assert.equal((await ours.readAll({ after: 0n, limit: 10 })).events.length, 2);
      await ours.saveSnapshot('s', 1, { version: 1n, state: {} });
      for (const statement of [
        'UPDATE es_stream SET version = 9',
        'DELETE FROM es_event',
        'TRUNCATE es_event',
        `INSERT INTO es_event (stream, version, event_id, type, schema_version, data, meta) VALUES ('s', 3, gen_random_uuid(), 't', 1, '{}', '{}')`,
        'ALTER TABLE es_event DISABLE TRIGGER ALL',
      ]) {
        await assert.rejects(own.query(statement), { code: '42501' });
      }
      assert.equal(await log.versionOf('s'), 2n);
    } finally {
      await own.end();
      await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it('is read back unchanged when the process has changed the type parsers of pg', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    const before = [20, 114, 3802, 1114].map((type) => [type, pg.types.getTypeParser(type)] as const);
    for (const [type] of before) pg.types.setTypeParser(type, () => 'spoiled');
    try {
      const data = { id: '12345678901234567890', n: 7 };
      await log.append([{ stream: 's', expected: 0n, events: [event('a', data)] }]);
      const [read] = await log.read('s');
      assert.deepEqual(read?.data, data);
      assert.equal(read?.version, 1n);
      assert.equal(await log.versionOf('s'), 1n);
    } finally {
      for (const [type, parser] of before) pg.types.setTypeParser(type, parser);
    }
  });

  it('is found by its prefix through the index', async () => {
    await using opened = await logOnPostgres();
    const { pool } = opened;
    await pool.query(
      `INSERT INTO es_stream SELECT 'ledger-' || n, 1 FROM generate_series(1, 5000) AS n; ANALYZE es_stream`,
    );
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT stream FROM es_stream WHERE stream ^@ $1 ORDER BY stream DESC LIMIT $2`,
      ['ledger-77', 10],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Cond: \(\(stream >= 'ledger-77'::text\) AND \(stream < 'ledger-78'/);
  });
});

describe('an unavailable database', () => {
  it('is reported as unavailable, never as an internal error', async () => {
    const away = postgresPool({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'test' });
    const log = postgresEventLog({ pool: away });
    await assert.rejects(log.read('s'), LogUnavailableError);
    await assert.rejects(log.append([{ stream: 's', expected: 0n, events: [event('a')] }]), LogUnavailableError);
    await assert.rejects(log.readAll({ after: 0n, limit: 1 }), LogUnavailableError);
    await assert.rejects(
      log.appendLocked('s', 1n, () => []),
      LogUnavailableError,
    );
    await away.end();
  });

  it('lets callers wait two seconds for a connection if none becomes free', async () => {
    await using opened = await logOnPostgres({ max: 1 });
    const { log, pool } = opened;
    const busy = await pool.connect();
    const started = performance.now();
    await assert.rejects(log.read('s'), LogUnavailableError);
    const waited = performance.now() - started;
    assert.ok(waited > 1_900, `waited ${waited} ms`);
    busy.release();
    assert.deepEqual(await log.read('s'), []);
  });

  it('has no lasting effect: broken connections are replaced as soon as it is back', async () => {
    await using opened = await logOnPostgres({ max: 3 });
    const { log, pool, url } = opened;
    await Promise.all([1, 2, 3].map((n) => log.read(`s${n}`)));
    const stranger = new pg.Client({ connectionString: url });
    await stranger.connect();
    const cut = () =>
      stranger.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    const inUse = pool.query('SELECT pg_sleep(10)').catch((error: unknown) => error);
    const holding = log.append([{ stream: 's', expected: 0n, events: [event('a')] }], {
      within: async () => {
        await cut();
      },
    });
    await assert.rejects(holding, LogUnavailableError);
    assert.ok(isUnavailable(await inUse));
    await stranger.end();
    // Those that were idle may be found cut by the first to use them.
    for (let tries = 0; tries < 3; tries += 1) await log.versionOf('s').catch(() => undefined);
    assert.equal(await log.versionOf('s'), 0n);
    const again = await log.append([{ stream: 's', expected: 0n, events: [event('a')] }]);
    assert.equal(again[0]?.outcome, 'appended');
  });
});

/** How many wait for a lock in the database of this pool. */
const waitingOn = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
};
