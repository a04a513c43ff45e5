import type { Socket } from 'node:net';
import { Client, type ClientBase, type Pool, type PoolClient } from 'pg';
import type { Transaction } from './event-log.ts';

/** These members of rows, each as one list: the parameters of `unnest`. */
export const columnsOf = <Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): unknown[] =>
  names.map((name) => rows.map((row) => row[name]));

/**
 * The transaction that this connection is in, as an object of its own: a pooled connection serves many transactions one after
 * the other, and projections remember by the object which of their tables are live.
 */
export const ownTransaction = (client: ClientBase): Transaction => ({ query: client.query.bind(client) });

/** These members of one row: parameters of a statement. */
export const valuesOf = <Row>(row: Row, ...names: readonly (keyof Row)[]): unknown[] => names.map((name) => row[name]);

/** What a transaction's work wants done with it. */
export type Ending<Result> = { readonly commit: boolean; readonly result: Result };

/**
 * One connection, one transaction: ended as `work` says, rolled back when it throws. `isRepeatable`: its commit is not waited
 * for to be on disk, because work that a crash of the database takes back is done again.
 */
export const inTransaction = async <Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Ending<Result>>,
  { isRepeatable = false } = {},
): Promise<Result> => {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(isRepeatable ? 'BEGIN; SET LOCAL synchronous_commit = off' : 'BEGIN');
    const { commit, result } = await work(client);
    await client.query(commit ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: unknown) => {
      broken = new Error('rolling back', { cause });
    });
    throw error;
  } finally {
    // A connection whose transaction could not be ended is not given to anybody else.
    client.release(broken);
  }
};

/**
 * A connection outside of the pools, without their timeouts: a statement may take as long as it needs, unless
 * `queryTimeoutMs` bounds it. Disposing closes it.
 */
export const openClient = async (options: {
  readonly url: string;
  readonly applicationName: string;
  readonly connectTimeoutMs?: number;
  readonly queryTimeoutMs?: number;
  readonly sockets?: (() => Socket) | undefined;
}): Promise<Client & AsyncDisposable> => {
  const { url, applicationName, connectTimeoutMs = 10_000, queryTimeoutMs, sockets } = options;
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    // Detects a server that has vanished.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }),
    ...(sockets === undefined ? {} : { stream: sockets }),
  });
  // A broken connection also rejects its pending query.
  client.on('error', () => {});
  const close = (): Promise<void> => client.end().catch(() => undefined);
  try {
    await client.connect();
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(client, { [Symbol.asyncDispose]: close });
};
