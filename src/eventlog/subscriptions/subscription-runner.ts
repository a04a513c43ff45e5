import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from '../../kernel/clock.ts';
import type { BatchEvent, EventLog, LogPart, LogRange, ReadOptions } from '../event-log.ts';
import {
  type CheckpointWatch,
  checkpointWatch,
  ensureCheckpoints,
  type SubscriptionReport,
  subscriptionReports,
} from './checkpoints.ts';
import {
  type BatchOutcome,
  handleBatch,
  isTransient,
  type Member,
  onFailure,
  outageDelaysMs,
  placeAt,
  type RunnerSettings,
  type Subscriber,
} from './handle-batch.ts';
import { resumeParked, someParked } from './parked-streams.ts';
import { type SessionLocks, sessionLocks } from './session-locks.ts';

/*
 * Runs the subscriptions of a process. For each one a session-level advisory lock elects the process that handles its
 * events; the others stand by. Subscriptions whose checkpoints are close together share each read of the log, and
 * their effects and checkpoints are written in one transaction. One that fails or is far behind gets batches of its own
 * until it has caught up, so that it does not delay the others. Every transaction locks the checkpoint rows and compares
 * them (fencing): a process that has lost its session without noticing writes nothing.
 */

/** Pause after a batch without an event of any subscription: other streams are appended to a lot. */
const passedPauseMs = 20;

export type Subscription = {
  readonly name: string;
  /** Whether everything up to `position` is handled, by whichever process; waits at most `timeoutMs`. */
  caughtUpTo: CheckpointWatch['caughtUpTo'];
  /** How far it is behind, and whether it has stopped; null when it has never run. */
  report(): Promise<SubscriptionReport | null>;
  /** Handles the waiting events of a parked stream; throws what the handler throws. False when it is not parked. */
  resume(stream: string): Promise<boolean>;
  /** Resumes so many parked streams at most; those that fail stay parked, which is logged once for all of them. */
  resumeSome(limit: number): Promise<void>;
};

export type Runner = AsyncDisposable & {
  /** Begins to handle the events of these subscriptions in this process, or of all. */
  start(names?: readonly string[]): void;
  /** Stops after the batch in progress. */
  stop(): Promise<void>;
};

export type RunnerOptions<E extends BatchEvent> = RunnerSettings & {
  readonly subscribers: readonly Subscriber<E>[];
  readonly log: Pick<EventLog, 'onAppended'>;
  readonly readBatch: (range: LogRange) => Promise<LogPart<E>>;
  readonly readStream: (stream: string, range: Required<Omit<ReadOptions, 'types'>>) => Promise<readonly E[]>;
};

/** A runner for these subscriptions, and each of them by name. It does nothing until `start`. */
export const subscriptionRunner = <E extends BatchEvent>(
  options: RunnerOptions<E>,
): Runner & { readonly subscriptions: ReadonlyMap<string, Subscription> } => {
  const { subscribers, readStream, pool, logger } = options;
  const members = subscribers.map(
    (subscriber): Member<E> => ({
      subscriber,
      types: subscriber.types === undefined ? null : new Set(subscriber.types),
      watch: checkpointWatch(pool, subscriber.name),
      isStarted: false,
      place: null,
      retry: null,
    }),
  );
  const appended = wakeSignal();
  const urgent = wakeSignal();
  let running: { readonly stopping: AbortController; readonly ended: Promise<void> } | null = null;

  const wake = (): void => {
    appended.signal();
    urgent.signal();
  };
  const stop = async (): Promise<void> => {
    if (running === null) return;
    const run = running;
    run.stopping.abort();
    wake();
    await run.ended;
    if (running !== run) return;
    running = null;
    for (const member of members) member.isStarted = false;
  };
  const start = (names = [...subscriptions.keys()]): void => {
    for (const member of members) if (names.includes(member.subscriber.name)) member.isStarted = true;
    wake();
    if (running !== null) return;
    const stopping = new AbortController();
    const ended = handleUntil(stopping.signal, { ...options, members, appended, urgent });
    running = { stopping, ended };
  };

  const subscriptions = new Map(
    members.map(({ subscriber: { name, types, handle }, watch }) => {
      const one: Subscription = {
        name,
        caughtUpTo: (position, within) => {
          if (!watch.isPast(position)) wake();
          return watch.caughtUpTo(position, within);
        },
        report: async () => (await subscriptionReports(pool, name))[0] ?? null,
        resume: (stream) => resumeParked({ pool, readStream, name, stream, types, handle }),
        resumeSome: async (limit) => resumeEach(one, await someParked(pool, name, limit), logger),
      };
      return [name, one];
    }),
  );
  return { start, stop, subscriptions, [Symbol.asyncDispose]: stop };
};

const resumeEach = async (
  { name, resume }: Pick<Subscription, 'name' | 'resume'>,
  streams: readonly string[],
  logger: RunnerSettings['logger'],
): Promise<void> => {
  const failures: { readonly stream: string; readonly error: unknown }[] = [];
  for (const stream of streams) {
    try {
      const isResumed = await resume(stream);
      if (isResumed) logger?.warn(`${stream} is resumed`, { subscription: name, stream });
    } catch (error) {
      if (isTransient(error)) throw error;
      failures.push({ stream, error });
    }
  }
  const [first] = failures;
  if (first === undefined) return;
  const pieces = failures.length;
  logger?.warn('parked streams failed again', { subscription: name, pieces, ...first });
};

type Run<E extends BatchEvent> = RunnerOptions<E> & {
  readonly members: readonly Member<E>[];
  /** Set by appends, and by `caughtUpTo` and `stop`. */
  readonly appended: WakeSignal;
  /** Set by `caughtUpTo` and `stop` only. */
  readonly urgent: WakeSignal;
};

/** Handles events until the signal. Never throws. */
const handleUntil = async <E extends BatchEvent>(signal: AbortSignal, run: Run<E>): Promise<void> => {
  const { members, log, pool, sessions = pool, lockRetryMs = 500, logger } = run;
  const locks = sessionLocks(sessions, { retryMs: lockRetryMs });
  // A lost connection may be a crash of the server: only the stored checkpoints are certain then, see `HighWaterMark`.
  const forgetOnLoss = (): void => {
    for (const member of members) member.place = null;
  };
  pool.on('remove', forgetOnLoss);
  const unsubscribe = log.onAppended(run.appended.signal);
  let outages = 0;
  while (!signal.aborted) {
    try {
      // A waiter that comes before the read waits for what this round reads.
      run.urgent.clear();
      const outcome = await handleRound(run, locks);
      outages = 0;
      if (!signal.aborted) await waitAfter(outcome, run);
    } catch (error) {
      for (const member of members) member.place = null;
      if (outages === 0) logger?.warn('subscriptions wait for the database', { error });
      const delayMs = outageDelaysMs[outages] ?? outageDelaysMs.at(-1) ?? 0;
      outages += 1;
      await pause(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }
  unsubscribe();
  pool.off('remove', forgetOnLoss);
  await locks.close();
};

/** One batch for every subscription whose lock this process holds. */
const handleRound = async <E extends BatchEvent>(run: Run<E>, locks: SessionLocks): Promise<BatchOutcome> => {
  const now = elapsedMs();
  const due = run.members.filter(({ isStarted, retry }) => isStarted && (retry === null || retry.notBeforeMs <= now));
  const held = await locks.acquire(due.map(({ subscriber }) => subscriber.name));
  const active = due.filter(({ subscriber }) => held.has(subscriber.name));
  for (const member of run.members) if (!active.includes(member)) member.place = null;
  await locate(run, active);

  let outcome: BatchOutcome = 'idle';
  for (const cohort of cohortsOf(active, run.batchSize ?? defaultBatchSize)) {
    const one = await advance(run, cohort, locks);
    if (urgency.indexOf(one) < urgency.indexOf(outcome)) outcome = one;
  }
  return outcome;
};

const defaultBatchSize = 500;
const urgency: readonly BatchOutcome[] = ['full', 'moved', 'passed', 'locked', 'idle'];

/** Looks up the checkpoints of members whose position is not known. */
const locate = async <E extends BatchEvent>({ pool }: Run<E>, members: readonly Member<E>[]): Promise<void> => {
  const unknown = members.filter(({ place }) => place === null);
  if (unknown.length === 0) return;
  const names = unknown.map(({ subscriber }) => subscriber.name);
  const positions = await ensureCheckpoints(pool, names);
  for (const member of unknown) {
    const position = positions.get(member.subscriber.name) ?? 0n;
    member.place = placeAt(position);
    member.watch.moved(position);
  }
};

/** Members at most one batch behind the first are handled together, every other one alone. */
const cohortsOf = <E extends BatchEvent>(
  members: readonly Member<E>[],
  batchSize: number,
): readonly (readonly Member<E>[])[] => {
  const seen = (member: Member<E>): bigint => member.place?.seen ?? 0n;
  const furthest = members.reduce((max, one) => (seen(one) > max ? seen(one) : max), 0n);
  const isNear = (member: Member<E>): boolean => member.retry === null && furthest - seen(member) <= BigInt(batchSize);
  const near = members.filter(isNear);
  const alone = members.filter((member) => !isNear(member)).map((member) => [member]);
  return near.length === 0 ? alone : [near, ...alone];
};

const advance = async <E extends BatchEvent>(
  run: Run<E>,
  cohort: readonly Member<E>[],
  locks: SessionLocks,
): Promise<BatchOutcome> => {
  const { batchSize = defaultBatchSize } = run;
  const [first, ...others] = cohort;
  if (first === undefined) return 'idle';
  try {
    const limit = first.retry?.limit ?? batchSize;
    const outcome = await handleBatch(run, cohort, limit);
    if (first.retry !== null) {
      first.retry.failures = 0;
      first.retry.limit *= 2;
      if (first.retry.limit >= batchSize) first.retry = null;
    }
    return outcome;
  } catch (error) {
    if (isTransient(error)) throw error;
    if (others.length > 0) {
      // One of them cannot handle the batch: each is given a batch of its own to find out which.
      for (const member of cohort) await advance(run, [member], locks);
      return 'full';
    }
    const isGivenUp = await onFailure(run, first, error, batchSize);
    // Another version of the program may be able to handle what this one cannot.
    if (isGivenUp) await locks.release(first.subscriber.name);
    return 'full';
  }
};

const waitAfter = async <E extends BatchEvent>(
  outcome: BatchOutcome,
  { members, appended, urgent, pollMs = 500, restMs = 0, lockRetryMs = 500 }: Run<E>,
): Promise<void> => {
  const now = elapsedMs();
  const isStandby = members.some(({ isStarted, place }) => isStarted && place === null);
  const retryMs = Math.min(
    isStandby ? lockRetryMs : Number.POSITIVE_INFINITY,
    ...members.flatMap(({ retry }) => {
      const leftMs = (retry?.notBeforeMs ?? 0) - now;
      return leftMs > 0 ? [leftMs] : [];
    }),
  );
  switch (outcome) {
    case 'full':
      return;
    case 'moved':
      if (restMs > 0) await urgent.wait(Math.min(restMs, retryMs));
      return;
    case 'passed':
      await urgent.wait(Math.min(Math.max(restMs, passedPauseMs), retryMs));
      return;
    case 'locked':
      await urgent.wait(Math.min(pollMs, retryMs));
      return;
    case 'idle':
      if (members.every(({ place }) => place === null)) await urgent.wait(retryMs);
      else await appended.wait(Math.min(pollMs, retryMs));
  }
};

type WakeSignal = ReturnType<typeof wakeSignal>;

/** An auto-reset event: `signal` wakes one waiter, or the next one if none waits. */
const wakeSignal = () => {
  let isSignaled = false;
  let resume: (() => void) | null = null;
  return {
    signal: (): void => {
      isSignaled = true;
      resume?.();
    },
    /** Forgets a signal that nobody has waited for. */
    clear: (): void => {
      isSignaled = false;
    },
    /** Until the next signal, or so many milliseconds. */
    wait: async (ms: number): Promise<void> => {
      if (!isSignaled) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        resume = resolve;
        await promise;
        resume = null;
        clearTimeout(timer);
      }
      isSignaled = false;
    },
  };
};
