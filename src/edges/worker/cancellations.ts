import { every } from '../../kernel/repeat.ts';

const pollEveryMs = 500;

/** Aborts running tasks when their job is cancelled, in any process; it polls twice a second as long as tasks run. */
export const cancellations = ({
  cancelledAmong,
  onFailure,
}: {
  readonly cancelledAmong: (jobIds: readonly string[]) => Promise<readonly string[]>;
  /** Called for the first of several failures in a row. */
  readonly onFailure: (error: unknown) => void;
}) => {
  const running = new Map<string, Set<AbortController>>();
  const polling = every(pollEveryMs, onFailure, async () => {
    if (running.size === 0) return;
    for (const jobId of await cancelledAmong([...running.keys()])) {
      for (const controller of running.get(jobId) ?? []) controller.abort();
    }
  });

  return {
    /** `signal` aborts once the job is cancelled. Dispose it when the task has ended. */
    watch: (jobId: string): Disposable & { readonly signal: AbortSignal } => {
      const controller = new AbortController();
      const here = running.get(jobId) ?? new Set();
      here.add(controller);
      running.set(jobId, here);
      return {
        signal: controller.signal,
        [Symbol.dispose]: () => {
          here.delete(controller);
          if (here.size === 0) running.delete(jobId);
        },
      };
    },
    [Symbol.dispose]: () => void polling[Symbol.asyncDispose](),
  };
};

export type Cancellations = ReturnType<typeof cancellations>;
