import { type Foundation, openFoundation } from '#src/app/foundation.ts';
import { openDatabase } from '#src/app/open-database.ts';
import { openWorker } from '#src/app/open-worker.ts';
import type { Config } from '#src/config.ts';
import type { Clock } from '#src/kernel/clock.ts';
import { logOfRun } from '#test/support/leaks.ts';

/** Found dead after a second, and forgotten work after four, instead of half a minute and one. */
const hurried = { pace: { beatMs: 200, deadAfterS: 1 }, forgottenAfterS: 4 };

/** The program's own worker, in this process, by any clock; found dead sooner unless `isUsualPace`. */
export const startWorkerHere = async (
  config: Config,
  options: {
    readonly isUsualPace?: boolean;
    readonly clock?: Clock;
    /** Takes the place of what the program does. */
    readonly work?: (foundation: Foundation) => Partial<Foundation['work']>;
  } = {},
): Promise<AsyncDisposable> => {
  const { isUsualPace = false, clock, work = () => ({}) } = options;
  await using stack = new AsyncDisposableStack();
  const logger = logOfRun;
  const database = stack.use(await openDatabase(config, { logger, withMigrations: false }));
  const foundation = await openFoundation(stack, config, database, {
    logger,
    isFolding: true,
    ...(clock === undefined ? {} : { clock }),
  });
  const pace = isUsualPace ? {} : hurried;
  await openWorker(
    stack,
    config,
    { url: database.directUrl, logger, ...pace },
    {
      ...foundation,
      work: { ...foundation.work, ...work(foundation) },
    },
  );
  return stack.move();
};
