import { openFoundation } from '#src/app/foundation.ts';
import { openDatabase } from '#src/app/open-database.ts';
import { openWorker } from '#src/app/open-worker.ts';
import { loadConfig } from '#src/config.ts';
import { silentLogger } from '#test/support/app.ts';

/*
 * A worker in a process of its own, for tests that kill it: the program's own worker, but one that is taken for
 * dead after a second instead of half a minute. It says `ready` when it works, and ends at SIGTERM.
 */
const config = loadConfig();

await using stack = new AsyncDisposableStack();
const database = stack.use(
  await openDatabase(config, { logger: silentLogger, withMigrations: false }),
);
const foundation = await openFoundation(stack, config, database, {
  logger: silentLogger,
  isFolding: true,
});
await openWorker(
  stack,
  config,
  {
    url: database.directUrl,
    logger: silentLogger,
    pace: { beatMs: 200, deadAfterS: 1 },
    forgottenAfterS: 4,
  },
  foundation,
);
process.stdout.write('ready\n');
const { promise, resolve } = Promise.withResolvers<void>();
process.once('SIGTERM', resolve);
await promise;
