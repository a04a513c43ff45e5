import type { Transaction } from './log.ts';

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
