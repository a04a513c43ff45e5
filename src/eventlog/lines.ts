import type { Pool, PoolClient } from 'pg';
import type { SerializedAppend } from './append-rules.ts';
import { connectionOf } from './connection.ts';
import type { AppendOutcome, Follows } from './log.ts';

/** Sends one append to one stream on this connection; `follows` is the event that it goes behind, null for any. */
type Send = (
  client: PoolClient,
  append: SerializedAppend,
  follows: Follows | null,
) => Promise<AppendOutcome>;

/**
 * Appends to one stream that are sent one behind the other, each before the answer to the one before: all that are
 * under way at a time go over one connection, which does them in the order asked.
 */
export const linesOn = (
  pool: Pool,
  send: Send,
): ((append: SerializedAppend, follows: Follows | null) => Promise<AppendOutcome>) => {
  const lines = new Map<string, { readonly client: Promise<PoolClient>; underWay: number }>();
  return async (append, follows) => {
    const { stream } = append;
    const line = lines.get(stream) ?? { client: connectionOf(pool), underWay: 0 };
    lines.set(stream, line);
    line.underWay += 1;
    try {
      return await send(await line.client, append, follows);
    } finally {
      line.underWay -= 1;
      if (line.underWay === 0) {
        lines.delete(stream);
        await line.client.then(
          (client) => client.release(),
          () => undefined,
        );
      }
    }
  };
};
