import type { Pool, PoolClient } from 'pg';

/** The checkpoints of subscriptions by name; missing ones are inserted. */
export const ensureCheckpoints = async (
  pool: Pool,
  names: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
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
    rows.map(({ name, position, parked }) => [
      name,
      { position: BigInt(position), parked: new Set(parked) },
    ]),
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
