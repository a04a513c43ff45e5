import postgres, { type Sql } from 'postgres';
import { socketsWithReadTimeout } from './read-connections/read-timeout.ts';
import { tlsOf } from './read-connections/tls.ts';

/** Connections of a process that read beside the pool of the log. */
export const readingConnections = 4;
/** No reading that a caller waits for takes longer: the database ends it, also when nobody waits any more. */
export const readWithinMs = 15_000;
/** So much longer than a statement may take a server may be silent: its own word about the time-out comes first. */
const graceMs = 2_000;

/**
 * Connections for queries on read models. `withinMs`: how long one statement may take; the connection to a server that
 * says nothing for longer is given up, and its readings fail. Null where an export walks through a whole ledger.
 */
export const readConnections = async (options: {
  readonly url: string;
  readonly withinMs: number | null;
}): Promise<Sql> => {
  const { withinMs } = options;
  const { ssl, plainUrl } = tlsOf(options.url);
  const sql = postgres(plainUrl, {
    ssl,
    max: readingConnections,
    connect_timeout: 2,
    // A server that has vanished while it works at a statement is missed within half a minute.
    keep_alive: 10,
    // A transaction pooler in between knows no prepared statements.
    prepare: false,
    // The driver would ask each new connection how arrays are written, and nobody would hear that this failed: a
    // rejection that ends the process. So arrays go as text, and come as JSON.
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: 'steno',
      ...(withinMs === null ? {} : { statement_timeout: withinMs }),
    },
    ...(withinMs === null ? {} : { socket: socketsWithReadTimeout(withinMs + graceMs) }),
  });
  try {
    await sql`SELECT 1`;
    return sql;
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
};
