import type { Pool, PoolClient } from 'pg';

/** The checkpoint of a subscription, made when it is new. */
export const ensureCheckpoint = async (pool: Pool, name: string): Promise<bigint> => {
  const { rows } = await pool.query<{ position: string }>(
    `WITH made AS (INSERT INTO es_subscription (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING position)
     SELECT position::text AS position FROM made
     UNION ALL SELECT position::text FROM es_subscription WHERE name = $1`,
    [name],
  );
  return BigInt(rows[0]?.position ?? 0);
};

/** Locks the checkpoint for this transaction. Position null: another process holds it. */
export const lockCheckpoint = async (
  client: PoolClient,
  name: string,
): Promise<{ readonly position: bigint | null; readonly parked: ReadonlySet<string> }> => {
  const { rows } = await client.query<{ position: string; parked: string[] }>(
    'SELECT locked_at::text AS position, parked FROM es_lock_checkpoint($1)',
    [name],
  );
  const [row] = rows;
  return {
    position: row === undefined ? null : BigInt(row.position),
    parked: new Set(row?.parked ?? []),
  };
};

/** Moves the checkpoint that this transaction has locked; what stood still goes on with it. */
export const moveCheckpoint = async (
  client: PoolClient,
  name: string,
  to: bigint,
): Promise<void> => {
  await client.query(
    `UPDATE es_subscription
     SET position = $2, updated_at = clock_timestamp(), failed_position = NULL, failure = NULL, failed_at = NULL
     WHERE name = $1`,
    [name, String(to)],
  );
};
