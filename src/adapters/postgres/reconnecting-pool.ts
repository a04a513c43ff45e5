import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool, type PoolClient } from 'pg';
import { isUnavailable } from '../../eventlog/unavailable-error.ts';

const retryMs = 250;
/** `cannot_connect_now`: graphile-worker retries after it; after other connection errors it stops. */
const laterCode = '57P03';

/**
 * The pool for graphile-worker, which does not repeat the statements that complete and fail its jobs: when they are
 * rejected while the database restarts, the process ends or the job stays locked for hours. `connect` waits until
 * there is a connection, and a statement whose connection broke is rejected with a code that is retried. After
 * `signal` aborts nothing waits: statements to a database that is away do nothing and return no rows.
 */
export const reconnectingPool = (pool: Pool, signal: AbortSignal): Pool => {
  const connect = async (): Promise<PoolClient> => {
    for (;;) {
      try {
        return reconnectingClient(await pool.connect(), signal);
      } catch (error) {
        if (signal.aborted && (pool.ending || isUnavailable(error))) return disconnectedClient();
        if (!isUnavailable(error)) throw error;
      }
      await pause(retryMs);
    }
  };
  // graphile-worker passes a callback for its LISTEN connection only, which it reconnects itself.
  return overriding(pool, 'connect', (args) =>
    args.length === 0 ? connect() : Reflect.apply(pool.connect, pool, args),
  );
};

const reconnectingClient = (client: PoolClient, signal: AbortSignal): PoolClient =>
  overriding(client, 'query', (args) => {
    const result: unknown = Reflect.apply(client.query, client, args);
    if (!(result instanceof Promise)) return result;
    return result.catch((error) => (signal.aborted && isUnavailable(error) ? emptyResult : retriable(error)));
  });

const emptyResult = { rows: [], rowCount: 0 };

/** A client without a connection, for a process that is about to end. */
const disconnectedClient = (): PoolClient =>
  overriding(Object.assign(new Client(), { release: () => {} }), 'query', async () => emptyResult);

const retriable = (error: unknown): never => {
  if (!(error instanceof Error) || !isUnavailable(error)) throw error;
  throw Object.assign(new Error(error.message, { cause: error }), { code: laterCode });
};

/** The same object with one method replaced; all others stay its own. */
const overriding = <Target extends object>(
  target: Target,
  method: string,
  replacement: (args: readonly unknown[]) => unknown,
): Target =>
  new Proxy(target, {
    get: (of, name) => {
      if (name === method) return (...args: readonly unknown[]) => replacement(args);
      const value: unknown = Reflect.get(of, name);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
