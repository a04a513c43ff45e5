import { EventEmitter } from 'node:events';
import { Logger as QueueLogger, type Runner, run, type WorkerEvents } from 'graphile-worker';
import type { Logger } from '../../kernel/logger.ts';
import { toldOnce } from '../../kernel/told-once.ts';
import { quarantine, shutdownTimeoutMs, type Work } from '../../kernel/work.ts';
import { type Cancellations, cancellations } from './cancellations.ts';
import { type ConcurrencyLimits, concurrencyLimits } from './concurrency-limits.ts';
import {
  attemptOf,
  concurrencyKeysOf,
  deadLetterReasonOf,
  quarantined,
  requeued,
} from './crash-policy.ts';
import { itemsPerTask } from './reactions.ts';
import { announceRun, deliverWebhook } from './tasks/deliver-webhook.ts';
import { endAccountWork } from './tasks/end-account-work.ts';
import { extractItems } from './tasks/extract-item.ts';
import { cancelItems, closeJob, requeueItems } from './tasks/follow-job.ts';
import { checkReservation, renewCredits } from './tasks/renew-credits.ts';
import { resolveListing } from './tasks/resolve-listing.ts';
import type { Task } from './tasks/task.ts';
import type { WorkCommands } from './work-commands.ts';

/** What the worker asks of the queue besides running it; filled by `adapters/work-queue.ts`. */
export type QueuePort = {
  /** Beats for pools until disposed. */
  heartbeat(
    pools: readonly { readonly poolId: string; readonly tasks: readonly string[] }[],
  ): Promise<AsyncDisposable>;
  /** Gives back what dead pools hold, and counts their death; tells how many there were. */
  reapDeadPools(): Promise<number>;
  /** Ids of what these pools have held for long. */
  heldFor(poolIds: readonly string[]): Promise<readonly string[]>;
  giveBack(poolIds: readonly string[], ids: readonly string[]): Promise<void>;
  /** What could be taken now, pieces by task; where there is very much, `isMore`: perhaps of other tasks too. */
  dueWork(): Promise<{ readonly pieces: ReadonlyMap<string, number>; readonly isMore: boolean }>;
  /** Removes what failed for good and has ended all the same; tells how many pieces. */
  removeFailed(): Promise<number>;
  forgottenWork(): Promise<readonly Work[]>;
  add(work: readonly Work[]): Promise<void>;
  cancelledAmong(jobIds: readonly string[]): Promise<readonly string[]>;
};

export type WorkerOptions = {
  /** A pool of the queue's own, of at least three connections more than lines run at once. */
  readonly pgPool: NonNullable<Parameters<typeof run>[0]['pgPool']>;
  readonly commands: WorkCommands;
  readonly queue: QueuePort;
  /** Items that are extracted at the same time: so many for each egress. */
  readonly extractions: number;
  /** Groups that a job has at most. */
  readonly groupsPerJob: number;
  readonly logger: Logger;
  /** The worker is to end, also because it could not begin: `pgPool` is to wait for nothing more. */
  readonly onStopping: () => void;
  /** A process that has just started does not take quarantined tasks, so that a crash loop does not dead-letter healthy ones. */
  readonly quarantineAfterMs: number;
  readonly reapEveryMs?: number;
  readonly reconcileEveryMs?: number;
  /** How often it is looked what has become due; what is due at once is announced. */
  readonly lookEveryMs?: number;
};

export type Worker = AsyncDisposable & {
  /** Settles when a line ends by itself; that is a fault. */
  readonly ended: Promise<void>;
};

/**
 * Runs the tasks of this process in four lines, so that one kind of work never waits behind another: extraction,
 * listings, webhooks, and what keeps jobs and books in order. Disposing takes no new work in any line from that moment on,
 * lets work under way end (or aborts it after a while) and returns when everything that ended is marked so in the queue.
 */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  await using stack = new AsyncDisposableStack();
  const { queue, logger } = options;
  const warn = (message: string) => (error: unknown) => logger.warn(message, { error });
  const watch = stack.use(
    cancellations({ ...queue, onFailure: warn('cancelled jobs were not looked for') }),
  );
  const here: Here = {
    underWay: new Set(),
    limits: concurrencyLimits(
      (key) => concurrencyByKind.get(key.split(':')[0] ?? '') ?? Number.POSITIVE_INFINITY,
    ),
    takesQuarantined: false,
  };
  const warmUp = setTimeout(() => {
    here.takesQuarantined = true;
  }, options.quarantineAfterMs);
  warmUp.unref();
  stack.defer(() => clearTimeout(warmUp));
  const lines: StartedLine[] = [];
  // Pools say that they live until the last of their work has ended.
  const beats = stack.use(new AsyncDisposableStack());
  stack.use(
    every(options.reapEveryMs ?? 5_000, warn('dead pools were not looked for'), async () => {
      const reaped = await queue.reapDeadPools();
      if (reaped > 0) logger.warn('work of dead workers was given back', { worker_reaped: reaped });
    }),
  );
  stack.use(
    every(
      options.reapEveryMs ?? 5_000,
      warn('lost work was not looked for'),
      givingBackLost(queue, lines, here.underWay),
    ),
  );
  stack.use(
    every(
      options.reconcileEveryMs ?? 30_000,
      warn('forgotten work was not looked for'),
      async () => {
        const forgotten = await queue.forgottenWork();
        if (forgotten.length > 0) {
          logger.warn('forgotten work was queued again', { pieces: forgotten.length });
        }
        await queue.add(forgotten);
        const removed = await queue.removeFailed();
        if (removed > 0) logger.warn('work that failed for good was removed', { pieces: removed });
      },
    ),
  );
  let isStopping = false;
  stack.use(
    every(options.lookEveryMs ?? 1_000, warn('due work was not looked for'), async () => {
      const due = await queue.dueWork();
      if (!isStopping) wakeFor(lines, due);
    }),
  );
  // First of all, whatever a look waits for.
  stack.defer(async () => {
    isStopping = true;
    options.onStopping();
    await Promise.all(lines.map(({ runner }) => runner.stop()));
  });
  for (const line of linesOf(options, watch)) {
    lines.push(await startLine(options, line, here));
  }
  beats.use(await queue.heartbeat(lines));
  const parts = stack.move();
  return {
    ended: Promise.race(lines.map(({ runner }) => runner.promise)),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/**
 * What our own pools hold for long and nobody here works at: the word that it was taken, or that it is done, was lost with
 * a connection. Given back at the second look, for the word may be under way at the first.
 */
const givingBackLost = (
  queue: Pick<QueuePort, 'heldFor' | 'giveBack'>,
  lines: readonly StartedLine[],
  underWay: ReadonlySet<string>,
): (() => Promise<void>) => {
  let before: ReadonlySet<string> = new Set();
  return async () => {
    const poolIds = lines.map(({ poolId }) => poolId);
    const held = await queue.heldFor(poolIds);
    const idle = new Set(held.filter((id) => !underWay.has(id)));
    const lost = idle.intersection(before);
    before = idle;
    if (lost.size > 0) await queue.giveBack(poolIds, [...lost]);
  };
};

type StartedLine = {
  readonly runner: Runner;
  readonly poolId: string;
  readonly tasks: readonly string[];
  /** Lets so many that are idle look for work now. */
  readonly wake: (pieces: number) => void;
};

/**
 * Wakes as many in each line as have something to take. One question a second for all of them: each that is idle in a
 * line would ask every second itself, which is most of what an idle process costs.
 */
const wakeFor = (
  lines: readonly StartedLine[],
  { pieces, isMore }: Awaited<ReturnType<QueuePort['dueWork']>>,
): void => {
  for (const { tasks, wake } of lines) {
    const due = tasks.reduce((sum, task) => sum + (pieces.get(task) ?? 0), 0);
    if (due > 0 || isMore) wake(Math.max(due, 1));
  }
};

/** What all lines of this process know. */
type Here = {
  /** Ids of the pieces that are worked at. */
  readonly underWay: Set<string>;
  readonly limits: ConcurrencyLimits;
  takesQuarantined: boolean;
};

type Line = {
  readonly concurrency: number;
  readonly tasks: Readonly<Record<string, Task>>;
  /** An error of this attempt is final, for tasks that can record it. */
  readonly attempts: number;
};

/**
 * How many tasks with the same concurrency key run at once in this process, by the kind of the key. They are deliveries:
 * a slow receiver, a slow account and all retries together leave some of `deliveriesAtOnce` to others.
 */
const concurrencyByKind: ReadonlyMap<string, number> = new Map([
  ['receiver', 4],
  ['account', 8],
  ['retries', 8],
]);
const deliveriesAtOnce = 16;

/**
 * Each wait of the queue is some three times as long as the one before: five attempts take a minute and a half, ten take
 * three and a half hours. A caller waits for a listing; everything else can outlast a fault that lasts for hours.
 */
const [listingAttempts, otherAttempts] = [5, 10];

const linesOf = (
  { commands, extractions, groupsPerJob }: WorkerOptions,
  cancellations: Cancellations,
): Line[] => [
  {
    // One more than are read at once: the last slow item of a task leaves no way to the platform idle.
    concurrency: Math.ceil(extractions / itemsPerTask) + 1,
    tasks: { 'extract-items': extractItems(commands, cancellations) },
    attempts: otherAttempts,
  },
  {
    concurrency: 2,
    tasks: { 'resolve-listing': resolveListing(commands) },
    attempts: listingAttempts,
  },
  {
    concurrency: deliveriesAtOnce,
    tasks: { 'deliver-webhook': deliverWebhook(commands) },
    attempts: otherAttempts,
  },
  {
    concurrency: 4,
    tasks: {
      'announce-run': announceRun(commands),
      'requeue-items': requeueItems(commands, groupsPerJob),
      'cancel-items': cancelItems(commands, groupsPerJob),
      'close-job': closeJob(commands),
      'check-reservation': checkReservation(commands),
      'renew-credits': renewCredits(commands),
      'end-account-work': endAccountWork(commands),
    },
    attempts: otherAttempts,
  },
];

/** Polling interval of idle workers, in case `dueWork` fails. */
const fallbackPollMs = 60_000;

const startLine = async (
  { pgPool, queue, logger }: WorkerOptions,
  { concurrency, tasks, attempts }: Line,
  here: Here,
): Promise<StartedLine> => {
  const events: WorkerEvents = new EventEmitter();
  // Not the pool itself: it is a promise of its end, which nobody is to wait for here.
  const created = new Promise<Pick<StartedLine, 'poolId' | 'wake'>>((resolve) => {
    events.once('pool:create', ({ workerPool }) =>
      resolve({ poolId: workerPool.id, wake: (pieces) => workerPool.nudge(pieces) }),
    );
  });
  const runner = await run({
    pgPool,
    concurrency,
    events,
    pollInterval: fallbackPollMs,
    forbiddenFlags: () => [
      ...here.limits.exhausted(),
      ...(here.takesQuarantined ? [] : [quarantine]),
    ],
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: shutdownTimeoutMs,
    logger: new QueueLogger(() => (level, reason, { failure }) => {
      if (level !== 'error') return;
      logger.warn(failure === true ? 'a task failed' : 'the queue met trouble', { reason });
    }),
    taskList: Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [
        name,
        async (payload, { abortSignal, job }) => {
          const inQuarantine = quarantined(name, job, task.divide?.(payload) ?? []);
          if (inQuarantine !== null) return await queue.add(inQuarantine);
          // Several tasks with one key may be taken at the same moment. Those above the limit wait in the queue.
          using slot = here.limits.tryAcquire(concurrencyKeysOf(job));
          if (slot === null) return await queue.add(requeued(name, job));
          here.underWay.add(job.id);
          try {
            await task.run(payload, {
              signal: abortSignal,
              isLastAttempt: attemptOf(job) >= attempts,
              deadLetterReason: deadLetterReasonOf(job),
            });
          } catch (error) {
            if (!abortSignal.aborted) throw error;
            // The shutdown of this process aborted the task: another process takes it at once.
            await queue.add(requeued(name, job));
          } finally {
            here.underWay.delete(job.id);
          }
        },
      ]),
    ),
  });
  const { poolId, wake } = await created;
  return { runner, poolId, tasks: Object.keys(tasks), wake };
};

/** Does something again and again, one at a time, until disposed; waits for what is under way. Of failures in a row the first is told. */
const every = (
  ms: number,
  onFailure: (error: unknown) => void,
  work: () => Promise<void>,
): AsyncDisposable => {
  let underWay: Promise<void> = Promise.resolve();
  let isBusy = false;
  const told = toldOnce(onFailure);
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    underWay = work()
      .then(told.succeeded, told.failed)
      .finally(() => {
        isBusy = false;
      });
  }, ms);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await underWay;
    },
  };
};
