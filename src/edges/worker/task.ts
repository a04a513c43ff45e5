/** A task for the queue. `key`: what is queued twice under one key is run once, while it waits. */
export type Task = {
  readonly task: string;
  readonly key: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** RFC 3339; null or unset: now. */
  readonly runAt?: string | null;
  /** Smaller runs first; unset: 0. */
  readonly priority?: number;
  /** Names, without spaces, of what the task shares with others: a worker limits how many of one name it runs at once. */
  readonly concurrencyKeys?: readonly string[];
  /** All attempts when unset. A task that comes back into the queue does not begin anew. */
  readonly attemptsLeft?: number;
  /** Tasks of one named queue run one at a time, in all processes together; unset: without a queue. */
  readonly queueName?: string;
};

/** How long running tasks may go on once their worker is to stop; then their signal aborts. */
export const shutdownTimeoutMs = 8_000;

/** Attempts of one task; each later one waits longer, up to some six hours. */
export const attemptsOfTask = 25;

/** From this crash on a task waits in the serial queue `quarantine`. Its payload counts crashes in `deaths`. */
export const crashesUntilQuarantine = 2;
/** From this crash on a task is not run any more; its owner sees that it failed. */
export const crashesUntilDeadLetter = 5;
/** The name of that queue, and of the flag by which a process that has just started leaves its tasks. */
export const quarantine = 'quarantine';
