import { openClient } from '../../eventlog/connection.ts';
import type { Clock } from '../../kernel/clock.ts';

/** What is checked of a Postgres server at the start. */
export type ServerInfo = {
  /** As the server counts: 180004 is 18.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly encoding: string;
  /** A standby, or a database that is set to it. */
  readonly isReadOnly: boolean;
  readonly maxConnections: number;
  /** Clock of the server minus clock of this process; 0 within the round-trip time of the query. */
  readonly clockAheadMs: number;
};

const timeoutMs = 5_000;

/** Asks the server behind a connection string, within 5 s for each of connecting and answering. */
export const readServerInfo = async (url: string, clock: Clock): Promise<ServerInfo> => {
  await using client = await openClient({
    ...{ url, applicationName: 'steno server info' },
    ...{ connectTimeoutMs: timeoutMs, queryTimeoutMs: timeoutMs },
  });
  const askedMs = clock().getTime();
  const { rows } = await client.query<Omit<ServerInfo, 'clockAheadMs'> & { nowMs: number }>(
    `SELECT current_setting('server_version_num')::int AS "versionNumber",
            current_setting('server_version') AS version,
            getdatabaseencoding() AS encoding,
            current_setting('transaction_read_only')::boolean AS "isReadOnly",
            current_setting('max_connections')::int AS "maxConnections",
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`,
  );
  const answeredMs = clock().getTime();
  const [row] = rows;
  if (row === undefined) throw new Error('the server returned no row');
  const { nowMs, ...facts } = row;
  const nearestMs = Math.min(Math.max(nowMs, askedMs), answeredMs);
  return { ...facts, clockAheadMs: Math.round(nowMs - nearestMs) };
};
