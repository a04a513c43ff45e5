const isConnectTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Connection terminated due to connection timeout';

/** Starts once more where a connection took longer than the program waits, as beside many other test processes. */
export const startAgain = async <Started>(start: () => Promise<Started>): Promise<Started> => {
  try {
    return await start();
  } catch (error) {
    if (!isConnectTimeout(error)) throw error;
    return start();
  }
};
