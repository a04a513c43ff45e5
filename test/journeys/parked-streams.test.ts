import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { checkSetup } from '#src/app/doctor-checks.ts';
import { loadConfig } from '#src/config.ts';
import type { Check } from '#src/edges/cli/operator-interface.ts';
import { silentLogger, type TestApp } from '#test/support/app.ts';
import { startApi, until, workerOn } from '#test/support/queue.ts';
import { parkedStreams } from '#test/support/subscription.ts';

/** What the doctor says of parked streams. */
const parkedCheck = async (app: TestApp): Promise<Check | null> => {
  const config = loadConfig(app.environment);
  for await (const check of checkSetup(config, { logger: silentLogger })) {
    if (check.name === 'parked streams') return check;
  }
  return null;
};

/** The queue refuses the tasks of these accounts, and counts all that it takes. */
const refuseTasksOf = async ({ core: { pool } }: TestApp, accountIds: readonly string[]) => {
  await pool.query(
    `CREATE TABLE refused (account_id text);
     CREATE TABLE taken (account_id text, task_key text);
     CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.payload ->> 'accountId' IN (SELECT account_id FROM refused) THEN RAISE 'no room'; END IF;
       INSERT INTO taken VALUES (NEW.payload ->> 'accountId', NEW.key);
       RETURN NEW;
     END $$;
     CREATE TRIGGER take BEFORE INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION take()`,
  );
  await pool.query('INSERT INTO refused SELECT unnest($1::text[])', [accountIds]);
  return {
    takeAll: () => pool.query('DELETE FROM refused'),
    taken: async (): Promise<readonly string[]> => {
      const { rows } = await pool.query<{ account_id: string }>('SELECT account_id FROM taken ORDER BY account_id');
      return rows.map(({ account_id: accountId }) => accountId);
    },
  };
};

describe('a stream whose tasks cannot be queued', () => {
  it('is parked while others continue, is reported by the doctor, and resumes automatically, each task queued once', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const accounts: string[] = [];
    for (let n = 0; n < 3; n += 1) accounts.push((await app.createAccount()).accountId);
    const [first = '', second = '', well = ''] = accounts;
    const queue = await refuseTasksOf(app, [first, second]);
    assert.equal((await parkedCheck(app))?.status, 'ok');

    await using workers = new AsyncDisposableStack();
    for (let n = 0; n < 2; n += 1) workers.use(await workerOn(app, {}));
    await until(async () => (await parkedStreams(pool, 'reactions')).length === 2);
    await until(async () => (await queue.taken()).includes(well));
    assert.deepEqual(await queue.taken(), [well]);

    const [oldest] = await parkedStreams(pool, 'reactions');
    assert.ok(oldest?.stream.includes(first), oldest?.stream);
    const { rows } = await pool.query<{ id: string }>(
      'SELECT event_id AS id FROM es_event WHERE stream = $1 AND version = $2',
      [oldest?.stream, String(oldest?.version)],
    );
    assert.deepEqual(await parkedCheck(app), {
      name: 'parked streams',
      status: 'warning',
      message: `2; the oldest: ${oldest?.stream}, which reactions parked at event ${rows[0]?.id}: no room`,
      fix: 'remove the cause or deploy the fix; workers retry them at startup and every 30 s',
    });

    await queue.takeAll();
    await until(async () => (await parkedStreams(pool, 'reactions')).length === 0);
    assert.deepEqual(await queue.taken(), accounts.toSorted());
    assert.deepEqual((await parkedCheck(app))?.message, 'none');
  });

  it('is tried again at the start of a worker, and stays parked while the cause persists', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const { accountId } = await app.createAccount();
    const queue = await refuseTasksOf(app, [accountId]);
    {
      await using _ = await workerOn(app, {});
      await until(async () => (await parkedStreams(pool, 'reactions')).length === 1);
    }
    const parked = await parkedStreams(pool, 'reactions');
    assert.equal(parked.length, 1);
    {
      // Longer than the interval of the tries.
      await using _ = await workerOn(app, {});
      await pause(2_500);
    }
    assert.deepEqual([await parkedStreams(pool, 'reactions'), await queue.taken()], [parked, []]);
    await queue.takeAll();
    await using _ = await workerOn(app, {}, { isUsualPace: true });
    await until(async () => (await parkedStreams(pool, 'reactions')).length === 0);
    assert.deepEqual(await queue.taken(), [accountId]);
  });
});
