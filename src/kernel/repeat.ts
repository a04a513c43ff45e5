import { logFirstFailure } from './log-first-failure.ts';

/**
 * Repeats `work`, one run at a time, until disposed; disposing aborts the signal and waits for the current run. Only the first of
 * several failures in a row is reported.
 */
export const every = (
  ms: number,
  onFailure: (error: unknown, signal: AbortSignal) => void,
  work: (signal: AbortSignal) => Promise<unknown>,
): AsyncDisposable & { readonly run: () => void } => {
  const closing = new AbortController();
  const { signal } = closing;
  const failures = logFirstFailure((error) => onFailure(error, signal));
  let current: Promise<void> | null = null;
  const run = (): void => {
    current ??= work(signal)
      .then(failures.succeeded, failures.failed)
      .finally(() => {
        current = null;
      });
  };
  const timer = setInterval(run, ms).unref();
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      clearInterval(timer);
      await current;
    },
  };
};
