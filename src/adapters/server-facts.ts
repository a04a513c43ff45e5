import { Client } from 'pg';
import type { Clock } from '../kernel/clock.ts';

/** What the service has to know of a Postgres server before it trusts it. */
export type ServerFacts = {
  /** As the server counts: 180004 is 18.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly encoding: string;
  /** A standby, or a database that is set to it. */
  readonly isReadOnly: boolean;
  readonly maxConnections: number;
  /** How far its clock is ahead of ours (behind: negative); 0 when that is within the time the question took. */
  readonly clockAheadMs: number;
};

const timeoutMs = 5_000;

/** Asks the server behind a connection string, within 5 s for each of connecting and answering. */
export const readServerFacts = async (url: string, clock: Clock): Promise<ServerFacts> => {
  const client = new Client({
    connectionString: url,
    application_name: 'steno facts',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const askedMs = clock().getTime();
    const { rows } = await client.query<Omit<ServerFacts, 'clockAheadMs'> & { nowMs: number }>(
      `SELECT current_setting('server_version_num')::int AS "versionNumber",
              current_setting('server_version') AS version,
              getdatabaseencoding() AS encoding,
              current_setting('transaction_read_only')::boolean AS "isReadOnly",
              current_setting('max_connections')::int AS "maxConnections",
              (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`,
    );
    const answeredMs = clock().getTime();
    const [row] = rows;
    if (row === undefined) throw new Error('the server says nothing of itself');
    const { nowMs, ...facts } = row;
    const nearestMs = Math.min(Math.max(nowMs, askedMs), answeredMs);
    return { ...facts, clockAheadMs: Math.round(nowMs - nearestMs) };
  } finally {
    await client.end().catch(() => undefined);
  }
};
