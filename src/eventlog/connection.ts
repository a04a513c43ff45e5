import type { ClientBase, Pool, PoolClient } from 'pg';
import type { Transaction } from './event-log.ts';

/** The transaction of this connection, as much of it as effects need. */
export const transactionOf = (client: Pick<ClientBase, 'query'>): Transaction => ({
  query: async <Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) => {
    const { rows, rowCount } = await client.query<Row>(text, values && [...values]);
    return { rows, rowCount };
  },
});

/** What a transaction's work wants done with it. */
export type Ending<Result> = { readonly commit: boolean; readonly result: Result };

/** One connection, one transaction: ended as `work` says, rolled back when it throws. */
export const inTransaction = async <Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Ending<Result>>,
): Promise<Result> => {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
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
