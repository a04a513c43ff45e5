import type { Pool, PoolClient } from 'pg';
import { SingleFlightPool } from './postgres/single-flight-pool.ts';
import type { Sockets } from './postgres/sockets.ts';

/** How long a caller waits for a connection, queue and connecting together (ms), before it is told so. */
const acquireTimeoutMs = 2_000;
/** No statement of the product takes longer; a migration or an export opens connections of its own. */
const statementTimeoutMs = 15_000;
/** A transaction that its process forgot, or a stopped process, lets go of its locks after this time. */
const idleInTransactionTimeoutMs = 15_000;

/**
 * Connections to one Postgres, every wait bounded: 2 s for a connection, 15 s for a statement, 15 s idle
 * in a transaction. A lost connection is dropped and the next caller gets a new one, so a pool outlives
 * restarts of the server. `onLost` hears of each connection lost while nobody used it.
 */
export const postgresPool = (options: {
  readonly url: string;
  readonly applicationName: string;
  readonly max?: number;
  readonly statementTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  readonly sockets?: Sockets | undefined;
  readonly onLost?: (error: Error) => void;
}): Pool => {
  const statement = options.statementTimeoutMs ?? statementTimeoutMs;
  const pool = new SingleFlightPool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: acquireTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statement,
    idle_in_transaction_session_timeout:
      options.idleInTransactionTimeoutMs ?? idleInTransactionTimeoutMs,
    // The server does not answer at all: its own time-out did not reach us.
    query_timeout: statement + 2_000,
    // Statements that are sent together are not answered one by one before the next one leaves.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options.sockets === undefined ? {} : { stream: options.sockets }),
  });
  pool.on('error', (error) => {
    // A server that is stopped right after us may close what we are closing.
    if (!pool.ending) options.onLost?.(error);
  });
  // Without a listener the loss of a connection in use would end the process; its query is rejected anyway.
  pool.on('connect', (client: PoolClient) => client.on('error', () => {}));
  return pool;
};
