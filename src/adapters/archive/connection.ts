import { Client } from 'pg';

/**
 * A separate connection without a statement timeout, which the pools of the product have.
 * `url` is a direct connection.
 */
export const openConnection = async (
  url: string,
): Promise<{ readonly client: Client } & AsyncDisposable> => {
  const client = new Client({
    connectionString: url,
    application_name: 'steno archive',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A broken connection also rejects its pending query.
  client.on('error', () => {});
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
};

/** Begins a transaction with fixed output settings, so that the text of values does not depend on the server or the role. */
export const beginArchive = async (client: Client, mode = ''): Promise<void> => {
  await client.query(`
    BEGIN ${mode};
    SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL lock_timeout = '10s';
    SET LOCAL TimeZone = 'UTC';
    SET LOCAL DateStyle = 'ISO';
    SET LOCAL IntervalStyle = 'iso_8601';
    SET LOCAL extra_float_digits = 1`);
};
