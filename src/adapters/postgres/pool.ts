import { Socket } from 'node:net';
import { type CustomTypesConfig, Pool, type PoolClient, type QueryResultRow, types } from 'pg';

/** Timeout for getting a connection (ms), including time in the queue. */
const acquireTimeoutMs = 2_000;
/** Timeout of a statement (ms). Migrations and exports open separate connections without it. */
const statementTimeoutMs = 15_000;
/** `idle_in_transaction_session_timeout` (ms): releases the locks of a transaction that its process abandoned. */
const idleInTransactionTimeoutMs = 15_000;

/**
 * Connections to one Postgres, every wait bounded: 2 s for a connection unless told otherwise, 15 s for a statement, 15 s idle
 * in a transaction. A lost connection is dropped and the next caller gets a new one, so a pool survives
 * restarts of the server. `onLost` is called for each idle connection that is lost.
 */
export const postgresPool = (options: {
  readonly url: string;
  readonly applicationName: string;
  readonly max?: number;
  readonly acquireTimeoutMs?: number | undefined;
  readonly statementTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  readonly sockets?: Sockets | undefined;
  /** False: for COPY, which cannot be pipelined; true unless said otherwise. */
  readonly isPipelined?: boolean;
  readonly onLost?: (error: Error) => void;
}): Pool => {
  const statement = options.statementTimeoutMs ?? statementTimeoutMs;
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? acquireTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statement,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? idleInTransactionTimeoutMs,
    // Client-side timeout, for a server that does not answer at all; the server's own timeout comes first.
    query_timeout: statement + 2_000,
    // Pipelined statements are sent without waiting for the response of the previous one.
    pipeline: options.isPipelined ?? true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options.sockets === undefined ? {} : { stream: options.sockets }),
  });
  pool.on('error', (error) => {
    // A server that stops at the same time may close the connections first.
    if (!pool.ending) options.onLost?.(error);
  });
  // Without an error listener the loss of a connection in use would end the process; its query is rejected anyway.
  pool.on('connect', (client: PoolClient) => client.on('error', () => {}));
  return pool;
};

const timesAsText: CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const parse = types.getTypeParser(oid, format);
    return oid === types.builtins.TIMESTAMPTZ ? (text: string) => parse(text).toISOString() : parse;
  },
};

/** The rows of a query, their times in RFC 3339. */
export const rowsWithTimes = async <Row extends QueryResultRow>(
  pool: Pick<Pool, 'query'>,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> => (await pool.query<Row>({ text, values: [...values], types: timesAsText })).rows;

/** Creates the socket of a connection to Postgres. */
export type Sockets = () => Socket;

/**
 * Sockets that are destroyed when `signal` aborts: pending queries fail at once, and so does every later
 * connection attempt.
 */
export const socketsUntil =
  (signal: AbortSignal): Sockets =>
  () => {
    const socket = new Socket();
    const close = (): void => void socket.destroy();
    // Destroying it before it has connected would have no effect: the client connects it afterwards.
    if (signal.aborted) setImmediate(close);
    signal.addEventListener('abort', close, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', close));
    return socket;
  };
