import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool, type PoolClient } from 'pg';
import { isUnavailable } from '../eventlog/unavailable-error.ts';

const retryMs = 250;
/** `cannot_connect_now`: graphile-worker tries again what ends with it; other losses it takes for its own end. */
const laterCode = '57P03';

/**
 * The pool as graphile-worker needs it, which neither awaits nor repeats the statements that complete and fail its jobs:
 * a restart of the database left them rejected, which ends the process, or the work locked for hours. Who asks for a
 * connection here waits until there is one; a statement whose connection broke may come again. Once `signal` aborts
 * nobody waits: what a database that is away was to be told is left unsaid, and what it was asked has no rows.
 */
export const patientPool = (pool: Pool, signal: AbortSignal): Pool => {
  const connect = async (): Promise<PoolClient> => {
    for (;;) {
      try {
        return patientClient(await pool.connect(), signal);
      } catch (error) {
        if (signal.aborted && (pool.ending || isUnavailable(error))) return nobody();
        if (!isUnavailable(error)) throw error;
      }
      await pause(retryMs);
    }
  };
  // A callback is how graphile-worker asks for the connection that it listens on; there it tries again itself.
  return overriding(pool, 'connect', (given) =>
    given.length === 0 ? connect() : Reflect.apply(pool.connect, pool, given),
  );
};

const patientClient = (client: PoolClient, signal: AbortSignal): PoolClient =>
  overriding(client, 'query', (given) => {
    const asked: unknown = Reflect.apply(client.query, client, given);
    if (!(asked instanceof Promise)) return asked;
    return asked.catch((error) => (signal.aborted && isUnavailable(error) ? unsaid : later(error)));
  });

const unsaid = { rows: [], rowCount: 0 };

/** A connection to nobody, for whoever is about to end. */
const nobody = (): PoolClient =>
  overriding(Object.assign(new Client(), { release: () => {} }), 'query', async () => unsaid);

const later = (error: unknown): never => {
  if (!(error instanceof Error) || !isUnavailable(error)) throw error;
  throw Object.assign(new Error(error.message, { cause: error }), { code: laterCode });
};

/** The same object with one method replaced; all others stay its own. */
const overriding = <Target extends object>(
  target: Target,
  method: string,
  replacement: (given: readonly unknown[]) => unknown,
): Target =>
  new Proxy(target, {
    get: (of, name) => {
      if (name === method) return (...given: readonly unknown[]) => replacement(given);
      const value: unknown = Reflect.get(of, name);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
