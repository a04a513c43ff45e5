/** How a task is run. */
export type TaskRun = {
  readonly signal: AbortSignal;
  /** When this try fails the work is given up, by tasks that can say so where somebody sees it. */
  readonly isLastTry: boolean;
};

/** One kind of work: parse the payload, call a command, let it throw. It runs twice without harm. */
export type Task = (payload: unknown, run: TaskRun) => Promise<void>;

/** Throws what work throws, so that the queue tries again; what the last try throws goes to `giveUp`. */
export const orGiveUp = async (
  { signal, isLastTry }: TaskRun,
  work: () => Promise<void>,
  giveUp: (error: unknown) => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isLastTry || signal.aborted) throw error;
    await giveUp(error);
  }
};
