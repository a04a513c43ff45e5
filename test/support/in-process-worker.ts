import type { Pace } from '#src/adapters/graphile-worker/pools.ts';
import type { ApplicationCore } from '#src/app/application-core.ts';
import { openCore } from '#src/app/open-core.ts';
import { openDatabase } from '#src/app/open-database.ts';
import { openWorker } from '#src/app/open-worker.ts';
import type { Config } from '#src/config.ts';
import type { Clock } from '#src/kernel/clock.ts';
import { logOfRun } from '#test/support/leaks.ts';

/**
 * Shorter intervals for tests: a worker counts as dead after 2 s (30 s in production), takes quarantined tasks after
 * 0.5 s (10 s), and orphaned tasks are released after 4 s (60 s).
 */
const testPace = { beatMs: 400, deadAfterS: 2 };
const testIntervals = { lowCreditsEveryS: 0.2 };

/** Runs the product's worker in this process, with the intervals above unless `isUsualPace`. */
export const startWorkerInProcess = async (
  config: Config,
  options: {
    readonly isUsualPace?: boolean;
    readonly quarantineAfterS?: number;
    readonly orphanedAfterS?: number;
    readonly pace?: Pace;
    readonly clock?: Clock;
    /** Replaces commands of the product. */
    readonly work?: (core: ApplicationCore) => Partial<ApplicationCore['work']>;
  } = {},
): Promise<AsyncDisposable> => {
  const { isUsualPace = false, pace = testPace, clock, work = () => ({}) } = options;
  const { quarantineAfterS = 0.5, orphanedAfterS = 4 } = options;
  await using stack = new AsyncDisposableStack();
  const logger = logOfRun;
  const database = stack.use(await openDatabase(config, { logger, withMigrations: false }));
  const core = await openCore(stack, config, database, {
    logger,
    isFolding: true,
    ...(clock === undefined ? {} : { clock }),
  });
  const timing = isUsualPace ? {} : { pace, quarantineAfterS, orphanedAfterS, ...testIntervals };
  await openWorker(
    stack,
    config,
    { url: database.directUrl, logger, ...timing },
    { ...core, work: { ...core.work, ...work(core) } },
  );
  return stack.move();
};
