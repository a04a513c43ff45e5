/** An auto-reset event: `signal` wakes one waiter, or the next one if none waits. */
export type WakeSignal = ReturnType<typeof wakeSignal>;

export const wakeSignal = () => {
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
    /** Until the next signal, or so many milliseconds; whether it was signaled. */
    wait: async (ms: number): Promise<boolean> => {
      if (!isSignaled) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        resume = resolve;
        await promise;
        resume = null;
        clearTimeout(timer);
      }
      const wasSignaled = isSignaled;
      isSignaled = false;
      return wasSignaled;
    },
  };
};
