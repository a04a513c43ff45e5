import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import type { AbandonedWorkStore } from '../../credits/abandoned-work.ts';

const add = `
INSERT INTO attempt_tallies AS kept (bucket, tally, started_at, blocked_until)
SELECT bucket, $2, $3, 'epoch' FROM unnest($1::text[]) AS bucket ORDER BY bucket
ON CONFLICT (bucket) DO UPDATE SET tally = least(kept.tally::bigint + excluded.tally, 2000000000)`;

const read = 'SELECT bucket, tally FROM attempt_tallies WHERE bucket = ANY ($1)';

/**
 * Counters of abandoned work in Postgres, beside those of sign-ins, with which they are swept. A caller can be an address, so
 * only its HMAC is stored.
 */
export const postgresAbandonedWork = ({
  pool,
  key,
}: {
  readonly pool: Pool;
  /** 32 bytes. */
  readonly key: Uint8Array;
}): AbandonedWorkStore => {
  const bucketOf = (counter: string): string =>
    `abandoned ${createHmac('sha256', key).update(counter).digest('base64url')}`;
  return {
    add: async (counters, credits, now) => {
      await pool.query(add, [counters.map(bucketOf), credits, now]);
    },
    read: async (counters) => {
      const buckets = counters.map(bucketOf);
      const { rows } = await pool.query<{ bucket: string; tally: number }>(read, [buckets]);
      const held = new Map(rows.map(({ bucket, tally }) => [bucket, tally]));
      return buckets.map((bucket) => held.get(bucket) ?? 0);
    },
  };
};
