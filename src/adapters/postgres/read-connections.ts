import postgres, { type Sql } from 'postgres';
import { socketsWithReadTimeout } from './read-connections/read-timeout.ts';
import { tlsOf } from './read-connections/tls.ts';

/** Number of connections of a process for queries, besides the pool of the log. */
export const readingConnections = 4;
/** Statement timeout (ms) of queries for callers. The database enforces it, even after the caller has gone. */
const queryTimeoutMs = 15_000;
/** Added to the statement timeout to get the read timeout of the socket, so that the server's own error comes first. */
const graceMs = 2_000;

/**
 * How rows are read: columns under the names of the members that they become, times in RFC 3339. Numbers that may exceed 32
 * bits are cast by each query: to `float8`, exact for credits, or to text.
 */
export const rowForm = {
  transform: { column: { from: postgres.toCamel } },
  types: {
    time: {
      to: 1184,
      from: [1184],
      serialize: (time: Date | string) => new Date(time).toISOString(),
      parse: (text: string) => new Date(text).toISOString(),
    },
  },
};

/**
 * Connections for queries on read models. `timeoutMs`: statement timeout; a connection without data for longer is
 * closed, and its queries fail. Null (no timeout) for an export of a whole ledger; `queryTimeoutMs` if undefined.
 */
export const readConnections = async (options: {
  readonly url: string;
  readonly timeoutMs?: number | null | undefined;
  readonly connectTimeoutMs?: number | undefined;
}): Promise<Sql> => {
  const { timeoutMs = queryTimeoutMs, connectTimeoutMs = 2_000 } = options;
  const { ssl, plainUrl } = tlsOf(options.url);
  const sql = postgres(plainUrl, {
    ...rowForm,
    ssl,
    max: readingConnections,
    connect_timeout: connectTimeoutMs / 1_000,
    // Detects a server that vanished during a statement within half a minute.
    keep_alive: 10,
    // Transaction poolers do not support prepared statements.
    prepare: false,
    // The driver would query array types on each new connection, and a failure of that query is an unhandled
    // rejection, which ends the process. So arrays are sent as text and received as JSON.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'steno', ...(timeoutMs === null ? {} : { statement_timeout: timeoutMs }) },
    ...(timeoutMs === null ? {} : { socket: socketsWithReadTimeout(timeoutMs + graceMs) }),
  });
  try {
    // Once more: on a machine that starts everything at once, the first connection may take longer than its limit.
    await sql`SELECT 1`.catch(() => sql`SELECT 1`);
    return sql;
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
};
