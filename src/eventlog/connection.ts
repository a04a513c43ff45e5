import type { ClientBase, Pool, PoolClient } from 'pg';
import type { Transaction } from './event-log.ts';

type Waiter = {
  readonly serve: (client: PoolClient) => void;
  isServed: boolean;
};

/** Callers that wait for a new connection, by pool. */
const waiting = new WeakMap<Pool, Set<Waiter>>();

/**
 * A connection of the pool. When a new one has to be opened, a connection that is released in the meantime is taken
 * instead: opening one takes a busy server a hundred times as long as an append.
 */
export const connectionOf = async (pool: Pool): Promise<PoolClient> => {
  // No idle connection is left for this caller, and the pool may open one.
  const isOpened = pool.idleCount <= pool.waitingCount && pool.totalCount < pool.options.max;
  const connecting = pool.connect();
  if (!isOpened) return await connecting;
  const waiters = waitersOf(pool);
  return await new Promise<PoolClient>((resolve, reject) => {
    const waiter: Waiter = {
      isServed: false,
      serve: (client) => {
        if (waiter.isServed) {
          client.release();
          return;
        }
        waiter.isServed = true;
        waiters.delete(waiter);
        resolve(client);
      },
    };
    waiters.add(waiter);
    connecting.then(waiter.serve, (error: unknown) => {
      waiters.delete(waiter);
      // A connection that was requested for this caller is released when it arrives.
      waiter.isServed = true;
      reject(error);
    });
  });
};

/** One listener per pool; it serves waiting callers in the order of their requests. */
const waitersOf = (pool: Pool): Set<Waiter> => {
  const known = waiting.get(pool);
  if (known !== undefined) return known;
  const waiters = new Set<Waiter>();
  waiting.set(pool, waiters);
  const offer = (): void => {
    const [first] = waiters;
    if (first === undefined || pool.idleCount <= pool.waitingCount) return;
    waiters.delete(first);
    pool.connect().then(first.serve, () => undefined);
  };
  // The pool emits this before it counts the connection as idle.
  pool.on('release', () => queueMicrotask(offer));
  return waiters;
};

const listening = new WeakMap<Pool, Set<() => void>>();

/** Calls `onChange` whenever a connection of the pool was opened or closed. One listener per pool, for any number of logs. */
export const onConnections = (pool: Pool, onChange: () => void): void => {
  const known = listening.get(pool);
  if (known !== undefined) {
    known.add(onChange);
    return;
  }
  const all = new Set([onChange]);
  listening.set(pool, all);
  const callAll = (): void => {
    for (const one of all) one();
  };
  pool.on('connect', callAll).on('remove', callAll);
};

/** The transaction of this connection, as much of it as effects need. */
export const transactionOf = (client: Pick<ClientBase, 'query'>): Transaction => ({
  query: async <Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) => {
    const { rows, rowCount } = await client.query<Row>(text, values && [...values]);
    return { rows, rowCount };
  },
});

/** What a transaction's work wants done with it. */
export type Ending<Result> = { readonly commit: boolean; readonly result: Result };

/** One connection, one transaction: ended as `work` says, rolled back when it throws. */
export const inTransaction = async <Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Ending<Result>>,
): Promise<Result> => {
  const client = await connectionOf(pool);
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const { commit, result } = await work(client);
    await client.query(commit ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: unknown) => {
      broken = new Error('rolling back', { cause });
    });
    throw error;
  } finally {
    // A connection whose transaction could not be ended is not given to anybody else.
    client.release(broken);
  }
};
