import { Client } from 'pg';

/** What the service has to know of a Postgres server before it trusts it. */
export type ServerFacts = {
  /** As the server counts: 180004 is 18.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly encoding: string;
  readonly maxConnections: number;
};

const timeoutMs = 5_000;

/** Asks the server behind a connection string, within 5 s for each of connecting and answering. */
export const readServerFacts = async (url: string): Promise<ServerFacts> => {
  const client = new Client({
    connectionString: url,
    application_name: 'steno facts',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<ServerFacts>(
      `SELECT current_setting('server_version_num')::int AS "versionNumber",
              current_setting('server_version') AS version,
              getdatabaseencoding() AS encoding,
              current_setting('max_connections')::int AS "maxConnections"`,
    );
    const [facts] = rows;
    if (facts === undefined) throw new Error('the server says nothing of itself');
    return facts;
  } finally {
    await client.end().catch(() => undefined);
  }
};
