/** The number of the task that is cancelled, shared between the thread that asks and the thread that works. */
export type CancelledTask = Int32Array<SharedArrayBuffer>;

let current: { readonly task: number; readonly cancelled: CancelledTask } | null = null;

/** Runs a task that `checkCancelled` ends once `cancelled` names it. */
export const runCancellable = <Result>(task: number, cancelled: CancelledTask, work: () => Result): Result => {
  current = { task, cancelled };
  try {
    return work();
  } finally {
    current = null;
  }
};

/**
 * Throws when the running task is cancelled. Every loop over a transcript calls it, so that an extract whose caller has left
 * ends within milliseconds. It costs one atomic read.
 */
export const checkCancelled = (): void => {
  if (current !== null && Atomics.load(current.cancelled, 0) === current.task) {
    throw new Error('the extract was cancelled');
  }
};
