import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '#src/config.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';

/*
 * A worker process, for tests that kill it. It prints `ready` when it takes tasks, and ends at SIGTERM. The
 * argument `usual` keeps the intervals of production; with `brief` it takes no quarantined task, as a process does not in
 * its first 30 s; with `deadly:0003` it kills itself at each item whose id ends in 0003. It then queues forgotten items as late
 * as in production: after a slow start an item would be queued twice, and each of its two tasks would count its own crashes.
 */
const deadly = process.argv.find((one) => one.startsWith('deadly:'))?.slice('deadly:'.length);

await using _ = await startWorkerInProcess(loadConfig(), {
  isUsualPace: process.argv.includes('usual'),
  quarantineAfterS: process.argv.includes('brief') ? 3_600 : 0.5,
  ...(deadly !== undefined && { orphanedAfterS: 60 }),
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
// Written now because most of these processes are killed: the next ones reuse the compile cache.
flushCompileCache();
process.stdout.write('ready\n');
const { promise, resolve } = Promise.withResolvers<void>();
process.once('SIGTERM', resolve);
await promise;
