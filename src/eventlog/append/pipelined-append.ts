import type { Pool, PoolClient } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';
import { connectionOf } from '../connection.ts';
import type { AppendOutcome, Follows } from '../event-log.ts';
import type { SerializedAppend } from './serialize-appends.ts';

/** Sends one append to one stream on this connection; `follows` is the event that it goes behind, null for any. */
type Send = (
  client: PoolClient,
  append: SerializedAppend,
  follows: Follows | null,
) => Promise<AppendOutcome>;

/** A stream that is never idle gives its connection back after this time, where others wait for one. */
const keptMs = 50;

type Line = {
  readonly client: Promise<PoolClient>;
  /** Since when it has its connection; null: it waits for it. */
  since: number | null;
  underWay: number;
  /** When its connection was given back. */
  readonly over: PromiseWithResolvers<void>;
};

/**
 * Appends to one stream that are sent one behind the other, each before the answer to the one before: all that are
 * under way at a time go over one connection, which does them in the order asked.
 */
export const pipelinedAppends = (
  pool: Pool,
  send: Send,
): ((append: SerializedAppend, follows: Follows | null) => Promise<AppendOutcome>) => {
  const lines = new Map<string, Line>();
  const begun = (stream: string, client: Promise<PoolClient>): Line => {
    const line: Line = { client, since: null, underWay: 0, over: Promise.withResolvers() };
    lines.set(stream, line);
    client.then(
      () => {
        line.since = elapsedMs();
      },
      () => undefined,
    );
    return line;
  };
  const lineOf = (stream: string): Line => {
    const known = lines.get(stream);
    if (known === undefined) return begun(stream, connectionOf(pool));
    const isLong = known.since !== null && elapsedMs() - known.since > keptMs;
    if (!isLong || pool.waitingCount === 0) return known;
    // Its next connection is asked for behind those who wait, when what is under way on this one has ended.
    return begun(
      stream,
      known.over.promise.then(() => connectionOf(pool)),
    );
  };
  const left = async (stream: string, line: Line): Promise<void> => {
    line.underWay -= 1;
    if (line.underWay > 0) return;
    if (lines.get(stream) === line) lines.delete(stream);
    await line.client.then(
      (client) => client.release(),
      () => undefined,
    );
    line.over.resolve();
  };
  return async (append, follows) => {
    const { stream } = append;
    const line = lineOf(stream);
    line.underWay += 1;
    try {
      return await send(await line.client, append, follows);
    } finally {
      await left(stream, line);
    }
  };
};
