import { logFirstFailure } from './log-first-failure.ts';

/**
 * Repeats `work`, one run at a time, until disposed; disposing waits for the current run. Only the first of several failures
 * in a row is reported.
 */
export const every = (
  ms: number,
  onFailure: (error: unknown) => void,
  work: () => Promise<unknown>,
): AsyncDisposable & { readonly run: () => void } => {
  const failures = logFirstFailure(onFailure);
  let current: Promise<void> | null = null;
  const run = (): void => {
    current ??= work()
      .then(failures.succeeded, failures.failed)
      .finally(() => {
        current = null;
      });
  };
  const timer = setInterval(run, ms).unref();
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await current;
    },
  };
};
