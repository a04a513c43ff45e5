import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { systemCall } from '#src/app/open-core.ts';
import { operatorActionsOn } from '#src/app/operator-actions.ts';
import { openApplication } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger, startTestApp, testSecret } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { plantedPassword } from '#test/support/leaks.ts';

const charge = { what: 'video', operation: 'raw', amount: 1, requests: 1, videoId: null } as const;

describe('the verification of an account', () => {
  it('finds no fault in an account that is charged meanwhile', async () => {
    await using app = await startTestApp();
    const { core } = app;
    const { accountId } = await app.createAccount();
    /** Whoever waits for a read model finds the account charged once more, and the model up to date with that. */
    const busy = {
      ...core,
      caughtUp: async (model: string, _: bigint) => {
        const { lastPosition } = await core.ledger.charge(systemCall(accountId), [charge]);
        await core.caughtUp(model, lastPosition);
      },
    };

    for (let n = 0; n < 3; n += 1) {
      const { signal } = new AbortController();
      const { events, problems } = await operatorActionsOn(busy).verify({ accountId }, { signal });
      assert.deepEqual(problems, []);
      assert.equal(events, 3 + n, 'the opening, the grant and the charges until then');
    }
  });
});

describe('the verification of all books', () => {
  it('finds a row of any read model that does not follow from the events, and none once it is repaired', async () => {
    await using app = await startTestApp();
    const { ledger, caughtUp, pool } = app.core;
    const actions = operatorActionsOn(app.core);
    const { accountId } = await app.createAccount();
    const { lastPosition } = await ledger.charge(systemCall(accountId), [charge]);
    await caughtUp('usage', lastPosition);
    const { signal } = new AbortController();
    const problems = async () => (await actions.verify({ accountId: null }, { signal })).problems;
    assert.deepEqual(await problems(), []);

    await pool.query('UPDATE usage SET credits = credits + 1');
    const [ofAccount, ...ofModels] = await problems();
    assert.equal(ofAccount?.message, 'spent is 1 by the events and 2 in the read model usage');
    assert.deepEqual(ofModels, [
      {
        stream: 'the read model usage',
        position: null,
        message: 'differs from the events in 2 rows of both: steno projections rebuild usage',
      },
    ]);

    const wanted = { name: 'usage', isSideBySide: false };
    for await (const done of actions.rebuildProjections(wanted, { signal })) {
      assert.equal(done.isSwitched, true);
    }
    assert.deepEqual(await problems(), []);
  });
});

describe('the read models', () => {
  it('are listed with their versions and positions', async () => {
    await using app = await startTestApp();
    const { caughtUp, pool } = app.core;
    const { accountId } = await app.createAccount();
    const { lastPosition } = await app.core.ledger.charge(systemCall(accountId), [charge]);
    await caughtUp('usage', lastPosition);
    const { readModels } = operatorActionsOn(app.core);
    const usage = async () => (await readModels()).find(({ name }) => name === 'usage');
    const { version, position, failure } = (await usage()) ?? {};
    assert.deepEqual([version, BigInt(position ?? 0) >= lastPosition, failure], ['live', true, null]);
    await pool.query("UPDATE es_projection SET version = 0 WHERE name = 'usage'");
    assert.equal((await usage())?.version, 'older');
  });
});

describe('the verification beside a rebuild', () => {
  it('says that it could not compare what is being rebuilt, and compares the rest', async () => {
    await using app = await startTestApp();
    const rebuilding = new pg.Client({ connectionString: app.environment['DATABASE_URL'] });
    await rebuilding.connect();
    // The lock that a rebuild holds.
    await rebuilding.query(`SELECT pg_advisory_lock(20260121, hashtext('usage'))`);
    const { signal } = new AbortController();
    const verified = operatorActionsOn(app.core).verify({ accountId: null }, { signal });
    const { problems } = await verified.finally(() => rebuilding.end());
    assert.deepEqual(problems, [
      {
        stream: 'the read model usage',
        position: null,
        message:
          'was not compared because a rebuild or another verification is running: verify again when it has ended',
      },
    ]);
  });
});

describe('a database that holds the events of another, and nothing that was folded', () => {
  /** The events of an account that was charged once, in a database of their own. */
  const copyOfEvents = async () => {
    await using app = await startTestApp();
    const { ledger, pool } = app.core;
    const { accountId } = await app.createAccount();
    await ledger.charge(systemCall(accountId), [charge]);
    const events = await pool.query(`SELECT * FROM es_event ORDER BY position`);
    const copy = await usedDatabase();
    const client = new pg.Client({ connectionString: copy.url });
    await client.connect();
    await client.query(`INSERT INTO es_event SELECT * FROM json_populate_recordset(NULL::es_event, $1)`, [
      JSON.stringify(events.rows),
    ]);
    await client.query(
      `INSERT INTO es_stream (stream, version) SELECT stream, max(version) FROM es_event GROUP BY stream`,
    );
    const { rows } = await client.query(`SELECT setval('es_position', max(position)) AS head FROM es_event`);
    const environment = { DATABASE_URL: copy.url, SECRET_KEY: testSecret };
    return {
      head: String(rows[0]?.head),
      client,
      open: () => openApplication(loadConfig(environment), { logger: silentLogger }),
      [Symbol.asyncDispose]: async () => {
        await client.end();
        await copy[Symbol.asyncDispose]();
      },
    };
  };
  const { signal } = new AbortController();

  it('is folded by a rebuild, and compared in whole by a verification', async () => {
    await using copy = await copyOfEvents();
    await using application = await copy.open();
    const folded: [string, boolean, string | null][] = [];
    const wanted = { name: null, isSideBySide: false };
    for await (const done of application.actions.rebuildProjections(wanted, { signal })) {
      folded.push([done.name, done.events > 0, done.message]);
    }
    assert.deepEqual(folded.slice(0, 5), [
      ['usage', true, null],
      ['balances', true, null],
      ['receipts', true, null],
      ['keys', true, null],
      ['account_events', true, null],
    ]);
    const { rows } = await copy.client.query('SELECT sum(credits)::int AS credits FROM usage');
    assert.deepEqual(rows, [{ credits: 1 }]);
    await copy.client.query('UPDATE usage SET credits = credits + 1');
    const { problems } = await application.actions.verify({ accountId: null }, { signal });
    assert.deepEqual(
      problems.map(({ message }) => message.replace(/ in .*/, '')),
      ['spent is 1 by the events and 2', 'differs from the events'],
    );
  });

  it('is not reported as folded or compared beyond the checkpoint of a read model', async () => {
    await using copy = await copyOfEvents();
    await (await copy.open())[Symbol.asyncDispose]();
    // The line of this program rests where another version is live.
    await copy.client.query(`UPDATE es_projection SET version = 0 WHERE name = 'usage'`);
    await using application = await copy.open();
    const place = `position 0 of ${copy.head}`;
    // A verification waits a second for each read model to be folded, which a busy machine may exceed: then it goes on.
    await application.actions.verify({ accountId: null }, { signal });
    const { problems } = await application.actions.verify({ accountId: null }, { signal });
    assert.deepEqual(problems, [
      {
        stream: 'the read model usage',
        position: null,
        message: `was compared up to ${place}: verify again when a server has folded the rest`,
      },
    ]);
    const wanted = { name: 'usage', isSideBySide: true };
    for await (const done of application.actions.rebuildProjections(wanted, { signal })) {
      assert.deepEqual(
        [done.events, done.isSwitched, done.message],
        [0, true, `up to ${place}, where the live one was: a server folds the rest`],
      );
    }
  });
});

describe('a command of an operator', () => {
  it('has the connections that it needs, however few a server may have', async () => {
    await using database = await usedDatabase();
    const settings = { DATABASE_URL: database.url, SECRET_KEY: testSecret };
    const config = loadConfig({ ...settings, DATABASE_POOL_SIZE: '1' });
    await using application = await openApplication(config, { logger: silentLogger });
    const { signal } = new AbortController();
    const { problems } = await application.actions.verify({ accountId: null }, { signal });
    assert.deepEqual(problems, []);
  });

  it('folds only the read model that it waits for, from where it was left', async () => {
    await using database = await usedDatabase();
    const settings = { DATABASE_URL: database.url, SECRET_KEY: testSecret };
    await using application = await openApplication(loadConfig(settings), { logger: silentLogger });
    const { accountId } = await application.commands.createAccount({
      email: 'operator@example.com',
      password: 'a correct horse and a battery',
      name: null,
      plan: 'free',
    });
    const { signal } = new AbortController();
    const { problems } = await application.actions.verify({ accountId }, { signal });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('SELECT name, position > 0 AS is_folded FROM es_subscription');
    await client.end();
    assert.deepEqual(problems, []);
    assert.deepEqual(rows, [{ name: 'balances', is_folded: true }]);
  });
});

describe('an account that was created without its key', () => {
  const wanted = {
    email: 'owner@example.com',
    password: plantedPassword('operator'),
    name: null,
    plan: 'starter',
  } as const;
  const taken = { code: 'INVALID_REQUEST', message: /owner can sign in/ };

  it('gets it from the same command again, and from no other', async () => {
    await using app = await startTestApp();
    const { commands, pool, queries } = app.core;
    await pool.query('ALTER TABLE key_credentials ADD CONSTRAINT none CHECK (false)');
    await assert.rejects(commands.createAccount(wanted));
    await pool.query('ALTER TABLE key_credentials DROP CONSTRAINT none');

    const others = [{ password: plantedPassword('another') }, { plan: 'pro' }] as const;
    for (const other of others) {
      await assert.rejects(commands.createAccount({ ...wanted, ...other }), taken);
    }
    const { accountId, apiKey } = await commands.createAccount(wanted);
    const holder = await queries.findKeyHolder(apiKey);
    assert.equal(holder?.accountId, accountId);
    await assert.rejects(commands.createAccount(wanted), taken, 'it is made now');
  });
});
