import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { systemCall } from '#src/app/foundation.ts';
import { operationsOn } from '#src/app/operations.ts';
import { openDoors } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger, startTestApp, testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { plantedPassword } from '#test/support/leaks.ts';

const charge = { what: 'video', operation: 'raw', amount: 1, requests: 1, videoId: null } as const;

describe('the verification of an account', () => {
  it('finds no fault in an account that is charged meanwhile', async () => {
    await using app = await startTestApp();
    const { foundation } = app;
    const { accountId } = await app.createAccount();
    /** Whoever waits for a read model finds the account charged once more, and the model up to date with that. */
    const busy = {
      ...foundation,
      caughtUp: async (model: string, _: bigint) => {
        const { lastPosition } = await foundation.ledger.charge(systemCall(accountId), [charge]);
        await foundation.caughtUp(model, lastPosition);
      },
    };

    for (let n = 0; n < 3; n += 1) {
      const { signal } = new AbortController();
      const { events, problems } = await operationsOn(busy).verify({ accountId }, { signal });
      assert.deepEqual(problems, []);
      assert.equal(events, 3 + n, 'the opening, the grant and the charges until then');
    }
  });
});

describe('the verification of all books', () => {
  it('finds a row of any read model that the events do not say, and none once it is repaired', async () => {
    await using app = await startTestApp();
    const { ledger, caughtUp, pool } = app.foundation;
    const operations = operationsOn(app.foundation);
    const { accountId } = await app.createAccount();
    const { lastPosition } = await ledger.charge(systemCall(accountId), [charge]);
    await caughtUp('usage', lastPosition);
    const { signal } = new AbortController();
    const problems = async () =>
      (await operations.verify({ accountId: null }, { signal })).problems;
    assert.deepEqual(await problems(), []);

    await pool.query('UPDATE usage SET credits = credits + 1');
    assert.deepEqual(await problems(), [
      {
        stream: 'the read model usage',
        position: null,
        message: 'differs from the events in 2 rows of both: steno projections rebuild usage',
      },
    ]);

    const wanted = { name: 'usage', isSideBySide: false };
    for await (const done of operations.rebuildProjections(wanted, { signal })) {
      assert.equal(done.isSwitched, true);
    }
    assert.deepEqual(await problems(), []);
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
    const verified = operationsOn(app.foundation).verify({ accountId: null }, { signal });
    const { problems } = await verified.finally(() => rebuilding.end());
    assert.deepEqual(problems, [
      {
        stream: 'the read model usage',
        position: null,
        message:
          'was not compared, a rebuild or another verification is at it: verify again when that has ended',
      },
    ]);
  });
});

describe('a command of an operator', () => {
  it('has the connections that it needs, however few a server may have', async () => {
    await using database = await testDatabase();
    const settings = { DATABASE_URL: database.url, SECRET_KEY: testSecret };
    const config = loadConfig({ ...settings, DATABASE_POOL_SIZE: '1' });
    await using doors = await openDoors(config, { logger: silentLogger });
    const { signal } = new AbortController();
    const { problems } = await doors.operations.verify({ accountId: null }, { signal });
    assert.deepEqual(problems, []);
  });

  it('folds only the read model that it waits for, from where it was left', async () => {
    await using database = await testDatabase();
    const settings = { DATABASE_URL: database.url, SECRET_KEY: testSecret };
    await using doors = await openDoors(loadConfig(settings), { logger: silentLogger });
    const { accountId } = await doors.commands.createAccount({
      email: 'operator@example.com',
      password: 'a correct horse and a battery',
      name: null,
      plan: 'free',
    });
    const { signal } = new AbortController();
    const { problems } = await doors.operations.verify({ accountId }, { signal });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      'SELECT name, position > 0 AS is_folded FROM es_subscription',
    );
    await client.end();
    assert.deepEqual(problems, []);
    assert.deepEqual(rows, [{ name: 'balances', is_folded: true }]);
  });
});

describe('an account that was made without its key', () => {
  const wanted = {
    email: 'owner@example.com',
    password: plantedPassword('operator'),
    name: null,
    plan: 'starter',
  } as const;
  const taken = { code: 'INVALID_REQUEST', message: /owner signs in/ };

  it('gets it from the same command again, and from no other', async () => {
    await using app = await startTestApp();
    const { commands, pool, queries } = app.foundation;
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
