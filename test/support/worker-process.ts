import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '#src/config.ts';
import { startWorkerHere } from '#test/support/worker.ts';

/*
 * A worker in a process of its own, for tests that kill it. It says `ready` when it works, and ends at SIGTERM. Its
 * argument `usual` leaves it the pace of the program; with `deadly:0003` it dies of each item whose id ends so.
 */
const deadly = process.argv.find((one) => one.startsWith('deadly:'))?.slice('deadly:'.length);

await using _ = await startWorkerHere(loadConfig(), {
  isUsualPace: process.argv.includes('usual'),
  work: ({ work }) => ({
    extractItem: async (item, stop) => {
      if (deadly !== undefined && item.itemId.endsWith(deadly)) {
        await pause(50);
        process.kill(process.pid, 'SIGKILL');
      }
      await work.extractItem(item, stop);
    },
  }),
});
// Most are killed: what Node has compiled is kept for the next ones now.
flushCompileCache();
process.stdout.write('ready\n');
const { promise, resolve } = Promise.withResolvers<void>();
process.once('SIGTERM', resolve);
await promise;
