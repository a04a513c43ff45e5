import { loadConfig } from '#src/config.ts';
import { startWorkerHere } from '#test/support/worker.ts';

/*
 * A worker in a process of its own, for tests that kill it. It says `ready` when it works, and ends at SIGTERM. Its
 * argument `usual` leaves it the pace of the program.
 */
await using _ = await startWorkerHere(loadConfig(), {
  isUsualPace: process.argv.includes('usual'),
});
process.stdout.write('ready\n');
const { promise, resolve } = Promise.withResolvers<void>();
process.once('SIGTERM', resolve);
await promise;
