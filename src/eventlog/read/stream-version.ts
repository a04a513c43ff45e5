import type { Transaction } from '../event-log.ts';

/** The version of a stream as a transaction sees it, 0n when it does not exist. */
export const streamVersionIn = async (
  transaction: Transaction,
  stream: string,
): Promise<bigint> => {
  const { rows } = await transaction.query<{ version: string }>(
    'SELECT version::text FROM es_stream WHERE stream = $1',
    [stream],
  );
  return BigInt(rows[0]?.version ?? 0);
};

/** Whether events of these types were stored for an account after a position. Cheap where that is a recent one. */
export const hasHappenedIn = async (
  transaction: Transaction,
  wanted: {
    readonly accountId: string;
    readonly types: readonly string[];
    readonly after: bigint;
  },
): Promise<boolean> => {
  const { rows } = await transaction.query(
    `SELECT FROM es_event
     WHERE position > $1 AND type = ANY ($2) AND meta ->> 'account_id' = $3
     LIMIT 1`,
    [String(wanted.after), wanted.types, wanted.accountId],
  );
  return rows.length > 0;
};
