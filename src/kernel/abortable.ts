/** The result of `work`, unless `signal` aborts first: then its reason is thrown at once, and `work` goes on unwatched. */
export const orAborted = async <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
