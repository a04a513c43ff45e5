import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readPostmaster, urlOf } from '#src/adapters/embedded-postgres/cluster.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { assertNowhere, live, logsOf, rowsOf } from '#test/support/life-of-account.ts';
import { runProgram, startProgram, usedDataFolder } from '#test/support/program.ts';
import { testRedis } from '#test/support/redis.ts';

describe('the life of an account', () => {
  it('from captcha to erasure, on the default setup', async () => {
    await using simulator = await startSimulator();
    await using data = await usedDataFolder();
    const environment = { DATA_DIR: data.folder, PLATFORM_ORIGIN: simulator.origin, LOG_LEVEL: 'debug' };
    await using program = startProgram([], environment);
    const url = await program.ready;
    const secrets = await live([url]);
    const folder = join(data.folder, 'postgres');
    const port = (await readPostmaster(folder))?.port ?? 0;
    assertNowhere(secrets, await rowsOf(await urlOf(folder, port, 'steno')));
    assertNowhere(secrets, await logsOf([program]));
  });

  it('from captcha to erasure, on two API processes with Redis', async () => {
    await using simulator = await startSimulator();
    await using database = await testDatabase();
    await using redis = await testRedis(() => Date.now());
    const environment = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SECRET_KEY: testSecret,
      PLATFORM_ORIGIN: simulator.origin,
      LOG_LEVEL: 'debug',
    };
    await using one = startProgram([], { ...environment });
    await one.ready;
    await using two = startProgram([], { ...environment, ROLE: 'api' });
    const secrets = await live([await one.ready, await two.ready]);
    assertNowhere(secrets, await rowsOf(database.url));
    assertNowhere(secrets, await logsOf([one, two]));
    const verified = await runProgram(['verify'], environment);
    assert.equal(verified.code, 0, `every hash chain is whole: ${verified.stderr}`);
    assert.ok(redis.counted() > 0);
  });
});
