import type { Pool, PoolClient } from 'pg';

type Waiter = {
  readonly serve: (client: PoolClient) => void;
  isServed: boolean;
};

/** Who waits for a connection that is being made, by pool. */
const waiting = new WeakMap<Pool, Set<Waiter>>();

/**
 * A connection of the pool. Where one has to be made, one that becomes free meanwhile is taken instead: making it takes
 * a busy server a hundred times as long as an append, and a writer that waits for it is passed by those of other
 * processes.
 */
export const connectionOf = async (pool: Pool): Promise<PoolClient> => {
  // Those that are idle and promised to nobody.
  const isMade = pool.idleCount <= pool.waitingCount && pool.totalCount < pool.options.max;
  const connecting = pool.connect();
  if (!isMade) return await connecting;
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
      // A connection that was asked for on its behalf goes back when it comes.
      waiter.isServed = true;
      reject(error);
    });
  });
};

/** One listener a pool: it serves those who wait in the order they came. */
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
  // The pool says so before it counts the connection as free.
  pool.on('release', () => queueMicrotask(offer));
  return waiters;
};

const listening = new WeakMap<Pool, Set<() => void>>();

/** `hear` is called whenever a connection of the pool was made or is gone. One listener a pool, for any number of logs. */
export const onConnections = (pool: Pool, hear: () => void): void => {
  const known = listening.get(pool);
  if (known !== undefined) {
    known.add(hear);
    return;
  }
  const all = new Set([hear]);
  listening.set(pool, all);
  const tell = (): void => {
    for (const one of all) one();
  };
  pool.on('connect', tell).on('remove', tell);
};
