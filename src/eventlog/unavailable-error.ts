/**
 * The log's database could not be reached: it is down, restarting, full or slower than the timeouts. Worth a retry.
 * Whether an append was stored is unknown; repeating it with the same event ids is safe.
 */
export class LogUnavailableError extends Error {
  constructor(doing: string, cause: unknown) {
    super(`the event log is unavailable: ${doing}`, { cause });
    this.name = 'LogUnavailableError';
  }
}

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The same errors of the client `postgres`, with which read models are queried.
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
]);

/**
 * Of SQLSTATE: query cancelled by a time-out (57014), shutdown and restart (57P01 to 57P05), a lock that was
 * not had in time (55P03), idle in a transaction for too long (25P03), a server that has become read-only
 * (25006); whole classes: connection (08), resources such as memory, disk, connections (53), I/O (58).
 */
const states = /^(08\w{3}|53\w{3}|58\w{3}|57014|57P0\d|55P03|25P03|25006)$/;

/** Messages of `pg` and `pg-pool` errors that have no code. */
const messages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|timeout expired|Client has encountered a connection error|Client was closed)/;

/** Whether an error of `pg` or `postgres` means that the database could not be reached, not that the query was wrong. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof LogUnavailableError) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === null) return messages.test(error.message);
  return socketCodes.has(code) || states.test(code) || isPanic(error);
};

/**
 * Whether the database server stopped at this statement, for whatever reason: it ends every session and starts again. `pg`
 * gives the severity in the language of the server's messages; in some languages it is another word, which is not recognized.
 */
const isPanic = (error: Error): boolean => 'severity' in error && error.severity === 'PANIC';

/** The code of an error of the database or of a socket, null when it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** The constraint that a database error names, null when it names none. */
export const constraintOf = (error: unknown): string | null =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : null;

/** Runs `work`, and converts errors of an unreachable database into `LogUnavailableError`. */
export const orUnavailable = async <Result>(doing: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogUnavailableError || !isUnavailable(error)) throw error;
    throw new LogUnavailableError(doing, error);
  }
};
