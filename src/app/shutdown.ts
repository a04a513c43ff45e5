import { setTimeout as pause } from 'node:timers/promises';
import { socketsUntil } from '../adapters/postgres/pool.ts';
import type { Config } from '../config.ts';
import { shutdownTimeoutMs } from '../edges/worker/task.ts';

/** How long answers under way may take after the listener is closed. */
export const lastAnswersMs = 15_000;
/**
 * Time for the database to store the results of the last answers and the last work. After it the sockets are closed, because
 * the database does not answer. The process ends at 25 s in any case.
 */
const databaseGraceMs = 4_000;
const databaseTimeoutMs = 22_000;
/** What a process counted is stored this often: a crash loses no more. */
const recordEveryMs = 60_000;
/** A database that has not taken the last counts of a process by then gets none. */
const lastRecordMs = 1_000;

/**
 * Sockets to the database that are closed when a shutdown takes too long. `shutdownStarted` is called when the shutdown
 * begins, `workEnded` after the last responses and tasks.
 */
export const boundedSockets = (config: Config) => {
  const timedOut = new AbortController();
  const waitNoLongerThan = (ms: number): void => {
    setTimeout(() => timedOut.abort(), ms).unref();
  };
  return {
    sockets: socketsUntil(timedOut.signal),
    shutdownStarted: () => waitNoLongerThan(shutdownTimeoutOf(config)),
    workEnded: () => waitNoLongerThan(databaseGraceMs),
  };
};

/** How long the database is waited for at most once the process is to end. */
const shutdownTimeoutOf = ({ role, shutdownDrainMs }: Config): number => {
  const underWayMs = role === 'worker' ? shutdownTimeoutMs : shutdownDrainMs + lastAnswersMs;
  return Math.min(underWayMs + databaseGraceMs, databaseTimeoutMs);
};

/** Ends all of them at the same time, and waits for each also when another one fails. */
export const endedTogether = async (...parts: readonly AsyncDisposable[]): Promise<void> => {
  const ends = await Promise.allSettled(parts.map((part) => part[Symbol.asyncDispose]()));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};

/** Calls `work`, which stores counts, once a minute and when `stack` is disposed. What could not be stored is stored with the next call. */
export const recordRegularly = (stack: AsyncDisposableStack, work: () => Promise<void>): void => {
  const attempt = (): Promise<void> => work().catch(() => {});
  const timer = setInterval(() => void attempt(), recordEveryMs);
  stack.defer(() => {
    clearInterval(timer);
    return Promise.race([attempt(), pause(lastRecordMs, undefined, { ref: false })]);
  });
};
