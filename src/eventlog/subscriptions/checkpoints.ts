import type { Pool, PoolClient } from 'pg';

/** The checkpoints of subscriptions by name, made where they are new. */
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
  /** The streams that lie aside. */
  readonly parked: ReadonlySet<string>;
};

/** Locks checkpoints for this transaction; those that another process holds are not in the answer. */
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

/** Moves checkpoints that this transaction has locked; what stood still goes on with them. */
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

/** Where subscriptions stand, and the newest position that was drawn. */
export const lookAtCheckpoints = async (
  pool: Pool,
  names: readonly string[],
): Promise<{ readonly head: bigint; readonly positions: ReadonlyMap<string, bigint> }> => {
  const { rows } = await pool.query<{ head: string; name: string | null; position: string | null }>(
    `SELECT (CASE WHEN p.is_called THEN p.last_value ELSE 0 END)::text AS head, s.name, s.position::text AS position
     FROM es_position AS p LEFT JOIN es_subscription AS s ON s.name = ANY ($1)`,
    [names],
  );
  return {
    head: BigInt(rows[0]?.head ?? 0),
    positions: new Map(rows.map(({ name, position }) => [name ?? '', BigInt(position ?? 0)])),
  };
};
