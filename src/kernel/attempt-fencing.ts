/** The attempt that a task follows: 0 before the first; null: any. A fencing token against late duplicates of a task. */
export type ExpectedAttempt = number | null;

/** Whether a later task has taken over: `postponed` is the newest attempt that is followed by another one. */
export const isSuperseded = (postponed: number, expectedAttempt: ExpectedAttempt): boolean =>
  expectedAttempt !== null && postponed > expectedAttempt;
