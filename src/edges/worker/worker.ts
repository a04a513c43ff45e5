import { EventEmitter } from 'node:events';
import { Logger as QueueLogger, run, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import { elapsedMs } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import { every } from '../../kernel/repeat.ts';
import { inSpan, type Tracer } from '../../kernel/tracing.ts';
import { type Cancellations, cancellations } from './cancellations.ts';
import { type ConcurrencyLimits, concurrencyLimits } from './concurrency-limits.ts';
import {
  attemptOf,
  concurrencyKeysOf,
  deadLetterReasonOf,
  quarantined,
  requeued,
  traceparentIn,
} from './crash-policy.ts';
import { itemsPerTask } from './reactions.ts';
import { quarantine, shutdownTimeoutMs, type Task } from './task.ts';
import { deliveryTasks, extractItems, followTasks, listingTasks, type TaskHandler, upkeepTasks } from './tasks.ts';
import type { WorkCommands } from './work-commands.ts';

/** The operations on the queue that graphile-worker does not have; implemented by `adapters/graphile-worker/work-queue.ts`. */
export type QueuePort = {
  /** Sends heartbeats for these pools until disposed. */
  heartbeat(pools: readonly { readonly poolId: string; readonly tasks: readonly string[] }[]): Promise<AsyncDisposable>;
  /** Unlocks the tasks of dead pools and counts a crash of each; returns the number of dead pools. */
  reapDeadPools(): Promise<number>;
  /** Ids of tasks that these pools have had locked for long. */
  heldFor(poolIds: readonly string[]): Promise<readonly string[]>;
  giveBack(poolIds: readonly string[], ids: readonly string[]): Promise<void>;
  /** The number of tasks that are due, by name. `isMore`: more are due than were counted, perhaps of other names. */
  dueWork(): Promise<{ readonly pieces: ReadonlyMap<string, number>; readonly isMore: boolean }>;
  /** Removes permanently failed tasks whose stream has ended all the same; returns how many. */
  removeFailed(): Promise<number>;
  /** Queues mails to accounts whose credits have become low. */
  queueLowCredits(): Promise<void>;
  /** Queues the looks at followed sources that are due. */
  queueDueLooks(): Promise<void>;
  orphanedWork(): Promise<readonly Task[]>;
  add(work: readonly Task[]): Promise<void>;
  cancelledAmong(jobIds: readonly string[]): Promise<readonly string[]>;
};

export type WorkerOptions = {
  /** A pool for the queue alone, with at least three connections more than tasks run at once. */
  readonly pgPool: NonNullable<Parameters<typeof run>[0]['pgPool']>;
  readonly commands: WorkCommands;
  readonly queue: QueuePort;
  /** Items that are extracted at the same time, over all egress routes. */
  readonly extractions: number;
  readonly logger: Logger;
  /** Null: tracing is off. */
  readonly tracer: Tracer | null;
  /** Tries again some streams whose events started no tasks because one of them failed. */
  readonly resumeParked: () => Promise<void>;
  /** Called when the worker stops or could not start, so that `pgPool` no longer waits for the database. */
  readonly onStopping: () => void;
  /** A process that has just started does not take quarantined tasks, so that a crash loop does not dead-letter healthy ones. */
  readonly quarantineAfterMs: number;
  readonly reapEveryMs: number;
  readonly reconcileEveryMs: number;
  readonly lowCreditsEveryMs: number;
};

export type Worker = AsyncDisposable & {
  /** Settles when a runner ends by itself; that is a fault. */
  readonly ended: Promise<void>;
};

/**
 * Runs the tasks of this process in five runners, so that one kind of task never waits for another: extraction, listings,
 * follows, webhooks, and the upkeep of jobs and billing periods. Disposing stops all runners at once, waits for running tasks (and
 * aborts them after a while), and returns when the queue knows of all that ended.
 */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  await using stack = new AsyncDisposableStack();
  const { queue, logger } = options;
  const warn = (message: string) => (error: unknown) => logger.warn(message, { error });
  const watch = stack.use(cancellations({ ...queue, onFailure: warn('cancelled jobs were not looked for') }));
  const state: ProcessState = {
    running: new Set(),
    limits: concurrencyLimits((key) => concurrencyByKind.get(key.split(':')[0] ?? '') ?? Number.POSITIVE_INFINITY),
    takesQuarantinedAtMs: elapsedMs() + options.quarantineAfterMs,
  };
  const runners: StartedRunner[] = [];
  // Heartbeats go on until the last running task has ended.
  const beats = stack.use(new AsyncDisposableStack());
  const repeat = (ms: number, failure: string, work: () => Promise<unknown>) =>
    stack.use(every(ms, warn(failure), work));
  repeat(options.reapEveryMs, 'dead pools were not looked for', async () => {
    const reaped = await queue.reapDeadPools();
    if (reaped > 0) logger.warn('work of dead workers was given back', { worker_reaped: reaped });
  });
  repeat(options.reapEveryMs, 'lost work was not looked for', unlockLost(queue, runners, state.running));
  repeat(options.reconcileEveryMs, 'forgotten work was not looked for', () => reconcile(options));
  repeat(options.reconcileEveryMs, 'parked streams were not looked for', options.resumeParked).run();
  repeat(options.lowCreditsEveryMs, 'low credits were not looked for', () => queue.queueLowCredits());
  repeat(looksEveryMs, 'due looks were not looked for', () => queue.queueDueLooks()).run();
  let isStopping = false;
  repeat(pollEveryMs, 'due work was not looked for', async () => {
    const due = await queue.dueWork();
    if (!isStopping) wakeFor(runners, due);
  });
  // Disposed first, also while a poll waits for the database.
  stack.defer(async () => {
    isStopping = true;
    options.onStopping();
    await Promise.all(runners.map(({ runner }) => runner.stop()));
  });
  for (const spec of runnersOf(options, watch)) {
    runners.push(await startRunner(options, spec, state));
  }
  beats.use(await queue.heartbeat(runners));
  const parts = stack.move();
  return {
    ended: Promise.race(runners.map(({ runner }) => runner.promise)),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** Queues missing work again, and removes permanently failed tasks. */
const reconcile = async ({ queue, logger }: WorkerOptions): Promise<void> => {
  const forgotten = await queue.orphanedWork();
  if (forgotten.length > 0) {
    logger.warn('forgotten work was queued again', { pieces: forgotten.length });
  }
  await queue.add(forgotten);
  const removed = await queue.removeFailed();
  if (removed > 0) logger.warn('work that failed for good was removed', { pieces: removed });
};

/**
 * Unlocks tasks that our own pools have locked for long and that do not run here: the answer to the query that locked or
 * completed them was lost with a connection. Unlocked at the second poll, because the query may still run at the first.
 */
const unlockLost = (
  queue: Pick<QueuePort, 'heldFor' | 'giveBack'>,
  runners: readonly StartedRunner[],
  running: ReadonlySet<string>,
): (() => Promise<void>) => {
  let before: ReadonlySet<string> = new Set();
  return async () => {
    const poolIds = runners.map(({ poolId }) => poolId);
    const held = await queue.heldFor(poolIds);
    const idle = new Set(held.filter((id) => !running.has(id)));
    const lost = idle.intersection(before);
    before = idle;
    if (lost.size > 0) await queue.giveBack(poolIds, [...lost]);
  };
};

type StartedRunner = Awaited<ReturnType<typeof startRunner>>;

/**
 * Wakes as many workers of each runner as tasks are due. One query a second for all of them: polling by each idle worker
 * is most of what an idle process costs.
 */
const wakeFor = (
  runners: readonly StartedRunner[],
  { pieces, isMore }: Awaited<ReturnType<QueuePort['dueWork']>>,
): void => {
  for (const { tasks, wake } of runners) {
    const due = tasks.reduce((sum, task) => sum + (pieces.get(task) ?? 0), 0);
    if (due > 0 || isMore) wake(Math.max(due, 1));
  }
};

/** What all runners of this process share. */
type ProcessState = {
  /** Ids of the tasks that run. */
  readonly running: Set<string>;
  readonly limits: ConcurrencyLimits;
  readonly takesQuarantinedAtMs: number;
};

type RunnerSpec = {
  readonly concurrency: number;
  readonly tasks: Readonly<Record<string, TaskHandler>>;
  /** An error of this attempt is final, for tasks that can record it; unset: `otherAttempts`. */
  readonly attempts?: number;
};

/**
 * How many tasks with the same concurrency key run at once in this process, by the kind of the key. They are deliveries:
 * a slow receiver, a slow account, all retries together and the mail server leave some of `deliveriesAtOnce` to others.
 */
const concurrencyByKind: ReadonlyMap<string, number> = new Map([
  ['receiver', 4],
  ['account', 8],
  ['retries', 8],
  ['mail', 4],
]);
const deliveriesAtOnce = 16;

/**
 * Each wait of the queue is some three times as long as the one before: five attempts take a minute and a half, ten take
 * three and a half hours. A caller waits for a listing; everything else can outlast a fault that lasts for hours.
 */
const [listingAttempts, otherAttempts] = [5, 10];

const runnersOf = ({ commands, extractions }: WorkerOptions, cancellations: Cancellations): RunnerSpec[] => [
  {
    // One more than needed: the last slow item of a task leaves no egress route idle.
    concurrency: Math.ceil(extractions / itemsPerTask) + 1,
    tasks: { 'extract-items': extractItems(commands, cancellations) },
  },
  { concurrency: 2, tasks: listingTasks(commands), attempts: listingAttempts },
  // Looks wait for the platform; ten thousand sources in an hour are three looks a second.
  { concurrency: 8, tasks: followTasks(commands) },
  { concurrency: deliveriesAtOnce, tasks: deliveryTasks(commands) },
  { concurrency: 4, tasks: upkeepTasks(commands) },
];

/** Polling interval for tasks that become due later. Tasks that are due at once are announced. */
const pollEveryMs = 1_000;
/** Interval of the search for followed sources whose look is due. */
const looksEveryMs = 5_000;
/** Polling interval of idle workers, in case `dueWork` fails. */
const fallbackPollMs = 60_000;

const startRunner = async (
  { pgPool, queue, logger, tracer }: WorkerOptions,
  { concurrency, tasks, attempts = otherAttempts }: RunnerSpec,
  state: ProcessState,
) => {
  const events: WorkerEvents = new EventEmitter();
  // Wrapped, because the pool is a thenable that resolves at its end, and `await` would wait for it.
  const created = new Promise<readonly [WorkerPool]>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve([workerPool]));
  });
  const runner = await run({
    pgPool,
    concurrency,
    events,
    pollInterval: fallbackPollMs,
    forbiddenFlags: () => {
      const isTooEarly = elapsedMs() < state.takesQuarantinedAtMs;
      return [...state.limits.exhausted(), ...(isTooEarly ? [quarantine] : [])];
    },
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
          using slot = state.limits.tryAcquire(concurrencyKeysOf(job));
          if (slot === null) return await queue.add(requeued(name, job));
          state.running.add(job.id);
          try {
            const run = {
              signal: abortSignal,
              isLastAttempt: attemptOf(job) >= attempts,
              deadLetterReason: deadLetterReasonOf(job),
            };
            const span = { kind: 'consumer', parent: traceparentIn(job) } as const;
            await inSpan(tracer, name, span, () => task.run(payload, run));
          } catch (error) {
            if (!abortSignal.aborted) throw error;
            // The shutdown of this process aborted the task: another process takes it at once.
            await queue.add(requeued(name, job));
          } finally {
            state.running.delete(job.id);
          }
        },
      ]),
    ),
  });
  const [pool] = await created;
  return {
    ...{ runner, poolId: pool.id, tasks: Object.keys(tasks) },
    /** Makes so many idle workers poll now. */
    wake: (pieces: number) => pool.nudge(pieces),
  };
};
