import type { Pool, PoolClient } from 'pg';
import { connectionOf } from '../connection.ts';
import type { AppendOutcome, Transaction } from '../event-log.ts';
import { eventColumns, type RawRow, rawQuery } from '../event-rows.ts';
import { transactionOf } from '../transaction.ts';
import type { SerializedAppend } from './serialize-appends.ts';

/*
 * Turns on a stream (`migrations/0013_turns.sql`). A writer that will go on writing stands in line again before its turn
 * ends: what ends a turn and what asks for the next one go to the server together, on one connection. So between two of
 * its turns nobody has more than those that were asked for before, however long this process, its network or a
 * connection that has to be made would take to ask.
 */

/** Streams that a process stays in line for: each keeps a connection, and half of them are for others. */
const maxAhead = 4;
const aheadOn = ({ options }: Pool): number => Math.min(maxAhead, Math.floor(options.max / 2));
/** A turn that has come and that nobody wants ends after this time: others may wait for it. */
const graceMs = 2;

/** What is done in a turn. */
export type TurnWork = {
  /** What to append, given the stream's events; nothing ends the turn. */
  readonly decide: (
    transaction: Transaction,
    rows: readonly RawRow[],
  ) => Promise<readonly SerializedAppend[]>;
  readonly append: (
    client: PoolClient,
    appends: readonly SerializedAppend[],
  ) => Promise<readonly AppendOutcome[]>;
  readonly within: ((transaction: Transaction) => Promise<void>) | undefined;
  /** Asked after `decide`: where the stream will be gone on from soon; null: it will not. */
  readonly reacquireFrom: () => bigint | null;
};

/** A transaction that stands in line, or has its turn. */
type Asked = {
  readonly client: PoolClient;
  readonly from: bigint;
  /** The stream's events from there on, once the turn has come. */
  readonly rows: Promise<readonly RawRow[]>;
};

/** Runs one transaction in its turn on a stream, with the stream's events from `from` on. */
export const streamLocks = (
  pool: Pool,
): ((stream: string, from: bigint, work: TurnWork) => Promise<readonly AppendOutcome[]>) => {
  const line = lineOf(aheadOn(pool));
  return async (stream, from, work) => {
    const { client, rows } = await begun(pool, line.taken(stream), stream, from);
    const transaction = transactionOf(client);
    let appends: readonly SerializedAppend[];
    try {
      appends = await work.decide(transaction, rows);
      if (appends.length > 0 && work.within !== undefined) {
        const outcomes = await work.append(client, appends);
        if (outcomes.every(({ outcome }) => outcome === 'appended')) {
          await work.within(transaction);
          await client.query('COMMIT');
          client.release();
        } else await givenBack(client);
        return outcomes;
      }
    } catch (error) {
      await givenBack(client);
      throw error;
    }
    if (appends.length === 0) {
      await givenBack(client);
      return [];
    }
    // Sent together: where the append is not taken whole nothing is stored, and there is nothing to commit.
    const appended = work.append(client, appends);
    const committed = client.query('COMMIT');
    const next = work.reacquireFrom();
    const isKept = next !== null && line.stays(stream, client, next);
    const [outcomes, end] = await Promise.allSettled([appended, committed]);
    if (!isKept) client.release(end.status === 'rejected' ? asError(end.reason) : undefined);
    if (outcomes.status === 'rejected') throw outcomes.reason;
    if (end.status === 'rejected') throw end.reason;
    return outcomes.value;
  };
};

/** The transactions of this process that were asked for ahead. */
const lineOf = (most: number) => {
  const ahead = new Map<string, Asked & { grace: NodeJS.Timeout | null }>();
  const leave = (stream: string, asked: Asked): void => {
    if (ahead.get(stream) !== asked) return;
    ahead.delete(stream);
    void givenBack(asked.client);
  };
  return {
    /** The one that was asked for: the caller has to end it. */
    taken: (stream: string): Asked | null => {
      const asked = ahead.get(stream);
      if (asked === undefined) return null;
      ahead.delete(stream);
      if (asked.grace !== null) clearTimeout(asked.grace);
      return asked;
    },
    /** Asks behind what this connection was sent already; false: this process stands in enough lines. */
    stays: (stream: string, client: PoolClient, from: bigint): boolean => {
      if (ahead.size >= most || ahead.has(stream)) return false;
      const rows = askedOn(client, stream, from);
      const asked = { client, from, rows, grace: null as NodeJS.Timeout | null };
      ahead.set(stream, asked);
      const leaves = () => leave(stream, asked);
      rows.then(() => {
        if (ahead.get(stream) === asked) asked.grace = setTimeout(leaves, graceMs);
      }, leaves);
      return true;
    },
  };
};

const begun = async (
  pool: Pool,
  asked: Asked | null,
  stream: string,
  from: bigint,
): Promise<{ readonly client: PoolClient; readonly rows: readonly RawRow[] }> => {
  if (asked !== null) {
    const { client } = asked;
    const rows = await asked.rows.catch(() => null);
    // It was asked for behind an append that was not taken: what came in its place is read in the turn.
    if (rows !== null && asked.from > from) {
      return { client, rows: await orGivenBack(client, eventsFrom(client, stream, from)) };
    }
    if (rows !== null) return { client, rows: rows.slice(Number(from - asked.from)) };
    // The connection was lost in line.
    await givenBack(client);
  }
  const client = await connectionOf(pool);
  return { client, rows: await orGivenBack(client, askedOn(client, stream, from)) };
};

const askedOn = async (
  client: PoolClient,
  stream: string,
  from: bigint,
): Promise<readonly RawRow[]> => {
  const [, rows] = await Promise.all([client.query('BEGIN'), eventsFrom(client, stream, from)]);
  return rows;
};

/** Waits for the turn; in it, it reads again. */
const eventsFrom = async (
  client: PoolClient,
  stream: string,
  from: bigint,
): Promise<readonly RawRow[]> => {
  const { rows } = await client.query<(string | null)[]>(
    rawQuery(`SELECT ${eventColumns} FROM es_read_locked($1, $2) AS e`, [stream, String(from)]),
  );
  return rows;
};

const orGivenBack = async <Result>(client: PoolClient, result: Promise<Result>): Promise<Result> =>
  await result.catch(async (error: unknown) => {
    await givenBack(client);
    throw error;
  });

/** Ends the transaction, and the turn. A connection that cannot do that is not given to anybody else. */
const givenBack = async (client: PoolClient): Promise<void> => {
  const broken = await client.query('ROLLBACK').then(() => undefined, asError);
  client.release(broken);
};

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
