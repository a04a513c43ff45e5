import type { Pace } from '#src/adapters/work-queue/pools.ts';
import { type ApplicationCore, openCore } from '#src/app/application-core.ts';
import { openDatabase } from '#src/app/open-database.ts';
import { openWorker } from '#src/app/open-worker.ts';
import type { Config } from '#src/config.ts';
import type { Clock } from '#src/kernel/clock.ts';
import { logOfRun } from '#test/support/leaks.ts';

/** Found dead after a second, trusted after half of one, and forgotten work after four, instead of half a minute, ten seconds and a minute. */
const hurried = { beatMs: 200, deadAfterS: 1 };
const others = { forgottenAfterS: 4, quarantineAfterS: 0.5, lowCreditsEveryS: 0.2 };

/** The program's own worker, in this process, by any clock; found dead sooner unless `isUsualPace`. */
export const startWorkerHere = async (
  config: Config,
  options: {
    readonly isUsualPace?: boolean;
    readonly pace?: Pace;
    readonly clock?: Clock;
    /** Takes the place of what the program does. */
    readonly work?: (core: ApplicationCore) => Partial<ApplicationCore['work']>;
  } = {},
): Promise<AsyncDisposable> => {
  const { isUsualPace = false, pace = hurried, clock, work = () => ({}) } = options;
  await using stack = new AsyncDisposableStack();
  const logger = logOfRun;
  const database = stack.use(await openDatabase(config, { logger, withMigrations: false }));
  const core = await openCore(stack, config, database, {
    logger,
    isFolding: true,
    ...(clock === undefined ? {} : { clock }),
  });
  const timing = isUsualPace ? {} : { pace, ...others };
  await openWorker(
    stack,
    config,
    { url: database.directUrl, logger, ...timing },
    {
      ...core,
      work: { ...core.work, ...work(core) },
    },
  );
  return stack.move();
};
