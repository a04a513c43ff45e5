import type { Pool } from 'pg';

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
  Record<'name' | 'position' | 'lag' | 'seconds' | 'parked', string> &
    Record<'failure' | 'failed', string | null>
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
