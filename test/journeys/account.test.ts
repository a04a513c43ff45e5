import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readPostmaster, urlOf } from '#src/adapters/embedded-postgres/cluster.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { assertNowhere, live, logsOf, rowsOf } from '#test/support/life-of-account.ts';
import { startProgram, usedDataFolder } from '#test/support/program.ts';

describe('the life of an account', () => {
  // S17: a dump of the database
  it('from captcha to erasure, on the default set-up', async () => {
    await using simulator = await startSimulator();
    await using data = await usedDataFolder();
    const environment = {
      DATA_DIR: data.folder,
      PLATFORM_ORIGIN: simulator.origin,
      LOG_LEVEL: 'debug',
    };
    await using program = startProgram([], environment);
    const url = await program.ready;
    const secrets = await live([url]);
    const folder = join(data.folder, 'postgres');
    const port = (await readPostmaster(folder))?.port ?? 0;
    assertNowhere(secrets, await rowsOf(await urlOf(folder, port, 'steno')));
    assertNowhere(secrets, await logsOf([program]));
  });
});
