import { toldOnce } from '../../kernel/told-once.ts';

/** Ends work under way when its job is cancelled, in whichever process that was asked. */
export type Cancellations = Disposable & {
  /** Aborts once the job is cancelled; dispose when the work has ended. */
  watch(jobId: string): Disposable & { readonly signal: AbortSignal };
};

const lookEveryMs = 500;

/** Looks twice a second, as long as anything is under way, whether one of its jobs was cancelled. */
export const cancellations = ({
  cancelledAmong,
  onFailure,
}: {
  readonly cancelledAmong: (jobIds: readonly string[]) => Promise<readonly string[]>;
  /** Of failures in a row the first. */
  readonly onFailure: (error: unknown) => void;
}): Cancellations => {
  const running = new Map<string, Set<AbortController>>();
  let isLooking = false;
  const told = toldOnce(onFailure);

  const look = async (): Promise<void> => {
    if (running.size === 0 || isLooking) return;
    isLooking = true;
    try {
      for (const jobId of await cancelledAmong([...running.keys()])) {
        for (const controller of running.get(jobId) ?? []) controller.abort();
      }
      told.succeeded();
    } catch (error) {
      told.failed(error);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();

  return {
    watch: (jobId) => {
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
    [Symbol.dispose]: () => clearInterval(timer),
  };
};
