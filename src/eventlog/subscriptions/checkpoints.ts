import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

/** The checkpoints of subscriptions by name; missing ones are inserted. */
export const ensureCheckpoints = async (pool: Pool, names: readonly string[]): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await pool.query<{ name: string; position: string }>(
    `WITH made AS (
       INSERT INTO es_subscription (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING
       RETURNING name, position
     )
     SELECT name, position::text AS position FROM made
     UNION ALL SELECT name, position::text FROM es_subscription WHERE name = ANY ($1)`,
    [names],
  );
  return new Map(rows.map(({ name, position }) => [name, BigInt(position)]));
};

export type LockedCheckpoint = {
  readonly position: bigint;
  /** Streams that are parked. */
  readonly parked: ReadonlySet<string>;
};

/** Locks checkpoints for this transaction; the result leaves out those that another transaction holds. */
export const lockCheckpoints = async (
  client: PoolClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, LockedCheckpoint>> => {
  const { rows } = await client.query<{ name: string; position: string; parked: string[] }>(
    `SELECT wanted.name, held.locked_at::text AS position, held.parked
     FROM unnest($1::text[]) AS wanted (name)
     CROSS JOIN LATERAL es_lock_checkpoint(wanted.name) AS held`,
    [names],
  );
  return new Map(
    rows.map(({ name, position, parked }) => [name, { position: BigInt(position), parked: new Set(parked) }]),
  );
};

/** Moves checkpoints that this transaction has locked, and clears their failures. */
export const moveCheckpoints = async (
  client: PoolClient,
  moves: readonly (readonly [name: string, to: bigint])[],
): Promise<void> => {
  await client.query(
    `UPDATE es_subscription AS s
     SET position = moved.position, updated_at = clock_timestamp(),
       failed_position = NULL, failure = NULL, failed_at = NULL
     FROM unnest($1::text[], $2::bigint[]) AS moved (name, position)
     WHERE s.name = moved.name`,
    [moves.map(([name]) => name), moves.map(([, to]) => String(to))],
  );
};

/** Moves a checkpoint from where it was read, and clears its failure; where another process has moved it, nothing happens. */
export const moveCheckpointFrom = async (pool: Pool, name: string, from: bigint, to: bigint): Promise<void> => {
  await pool.query(
    `UPDATE es_subscription SET position = $3, updated_at = clock_timestamp(),
       failed_position = NULL, failure = NULL, failed_at = NULL
     WHERE name = $1 AND position = $2`,
    [name, String(from), String(to)],
  );
};

/**
 * Stores why a subscription does not go on, until its checkpoint moves; nothing where another process has moved it from
 * `place` in the meantime, as one of a later version can. `position`: of the event that is at fault.
 */
export const recordFailure = async (
  pool: Pool,
  name: string,
  reason: string,
  { position = null, place = null }: { readonly position?: bigint | null; readonly place?: bigint | null } = {},
): Promise<void> => {
  await pool.query(
    `UPDATE es_subscription SET failed_position = $2, failure = $3, failed_at = clock_timestamp()
     WHERE name = $1 AND ($4::bigint IS NULL OR position = $4)`,
    [name, position?.toString() ?? null, reason, place?.toString() ?? null],
  );
};

/** The state of a subscription, whichever process runs it. */
export type SubscriptionReport = {
  readonly name: string;
  readonly position: bigint;
  /** Positions drawn since; some of them may hold no event. */
  readonly lagPositions: bigint;
  /** Age of the oldest event not handled, 0 when there is none. */
  readonly lagSeconds: number;
  readonly parkedStreams: number;
  /** Why it has stopped, null while it runs. */
  readonly failure: string | null;
  readonly failedPosition: bigint | null;
};

type Row = Readonly<
  Record<'name' | 'position' | 'lag' | 'seconds' | 'parked', string> & Record<'failure' | 'failed', string | null>
>;

/** All subscriptions that have ever run, or one, at most 1,000, for status pages and metrics. */
export const subscriptionReports = async (
  pool: Pool,
  name: string | null = null,
): Promise<readonly SubscriptionReport[]> => {
  const { rows } = await pool.query<Row>(
    `SELECT s.name, s.position::text AS position,
       greatest(0, head.position - s.position)::text AS lag,
       greatest(0, coalesce(extract(epoch FROM clock_timestamp() - (
         SELECT e.recorded_at FROM es_event AS e WHERE e.position > s.position ORDER BY e.position LIMIT 1
       )), 0))::text AS seconds,
       (SELECT count(*) FROM es_parked_stream AS p WHERE p.subscription = s.name)::text AS parked,
       s.failure, s.failed_position::text AS failed
     FROM es_subscription AS s
     CROSS JOIN (SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position FROM es_position) AS head
     WHERE $1::text IS NULL OR s.name = $1
     ORDER BY s.name
     LIMIT 1000`,
    [name],
  );
  return rows.map((row) => ({
    name: row.name,
    position: BigInt(row.position),
    lagPositions: BigInt(row.lag),
    lagSeconds: Number(row.seconds),
    parkedStreams: Number(row.parked),
    failure: row.failure,
    failedPosition: row.failed === null ? null : BigInt(row.failed),
  }));
};

/** Whether one of these subscriptions has stopped at an event that it cannot handle. */
export const isAnyStopped = async (pool: Pool, names: readonly string[]): Promise<boolean> => {
  const { rows } = await pool.query<{ is_stopped: boolean }>(
    `SELECT EXISTS (
       SELECT FROM es_subscription WHERE name = ANY ($1) AND failure IS NOT NULL) AS is_stopped`,
    [names],
  );
  return rows[0]?.is_stopped === true;
};

/** Polling interval for a checkpoint that another process moves, while a caller waits (ms). */
const pollEveryMs = 25;

export type CheckpointWatch = ReturnType<typeof checkpointWatch>;

type Waiter = { readonly position: bigint; readonly done: (isCaughtUp: boolean) => void };

/**
 * Waits for the checkpoint of one subscription, whichever process runs it. In the process that handles it `moved` is
 * called; elsewhere one query polls for all waiting callers.
 */
export const checkpointWatch = (pool: Pool, name: string) => {
  let known = 0n;
  const waiters = new Set<Waiter>();
  let isPolling = false;

  const moved = (position: bigint): void => {
    if (position > known) known = position;
    for (const waiter of waiters) {
      if (waiter.position > known) continue;
      waiters.delete(waiter);
      waiter.done(true);
    }
  };

  /** Polls as long as a caller waits. */
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    while (waiters.size > 0) {
      try {
        moved((await positionOf(pool, name)) ?? 0n);
      } catch {
        // The database cannot be reached: callers wait until their timeout.
      }
      if (waiters.size > 0) await pause(pollEveryMs);
    }
    isPolling = false;
  };

  return {
    /** The checkpoint is at `position`, as far as this process knows. */
    moved,
    /** Whether it is known that everything up to `position` is handled. */
    isPast: (position: bigint): boolean => position <= known,
    /** Whether the subscription has handled everything up to `position`; waits at most `timeoutMs` for it. */
    caughtUpTo: async (position: bigint, { timeoutMs }: { readonly timeoutMs: number }): Promise<boolean> => {
      if (position <= known) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiter: Waiter = { position, done: resolve };
      waiters.add(waiter);
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        resolve(false);
      }, timeoutMs);
      void poll();
      const isCaughtUp = await promise;
      clearTimeout(timer);
      return isCaughtUp;
    },
  };
};

/** The checkpoint of a subscription, null when it has never run. */
export const positionOf = async (pool: Pool, name: string): Promise<bigint | null> => {
  const { rows } = await pool.query<{ position: string }>(
    'SELECT position::text AS position FROM es_subscription WHERE name = $1',
    [name],
  );
  const [row] = rows;
  return row === undefined ? null : BigInt(row.position);
};
