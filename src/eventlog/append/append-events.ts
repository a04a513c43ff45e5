import type { Event } from '@event-driven-io/emmett';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../connection.ts';
import {
  type Append,
  type AppendOptions,
  type AppendOutcome,
  type EventLog,
  isAppended,
  type LockedOptions,
  type RecordedEvent,
} from '../event-log.ts';
import { eventColumns, rawQuery, toOutcome, toRecorded } from '../event-rows.ts';
import type { RollbackGuard } from '../rollback-guard.ts';
import { codeOf, constraintOf, orUnavailable } from '../unavailable-error.ts';
import type { Upcasting } from '../upcasting.ts';
import { groupCommit } from './group-commit.ts';
import { type SerializedAppend, type SerializedEvent, serializeAppends } from './serialize-appends.ts';

/** How often an append is tried when a concurrent append takes its event ids or deadlocks with it. */
const maxTries = 3;
const deadlockDetected = '40P01';
const eventIdKey = 'es_event_event_id_key';

type Outcomes = readonly AppendOutcome[];
type SerializedAppends = readonly SerializedAppend[];

/** `append` and `appendLocked` of the log on Postgres. */
export const appendEvents = (deps: {
  readonly pool: Pool;
  readonly shapes: Upcasting;
  readonly guard: RollbackGuard;
  /** Called with every append and its outcomes. */
  readonly onOutcomes: (appends: SerializedAppends, outcomes: Outcomes) => void;
  readonly isPrepared: boolean;
}): Pick<EventLog, 'append' | 'appendLocked'> => {
  const { pool, shapes, guard, onOutcomes } = deps;
  const appendOn = callAppend(deps.isPrepared);
  const together = async (appends: SerializedAppends): Promise<Outcomes> => {
    const outcomes = await onConnection(pool, (client) => appendOn(client, appends));
    onOutcomes(appends, outcomes);
    return outcomes;
  };
  const commitGroups = groupCommit({
    together,
    alone: (appends) => retried(pool, () => together(appends)),
    isFaultOfOne,
  });

  /** Commits what `prepare` returns, with what `within` writes, when all of it can be appended. */
  const appendWithin = (
    prepare: (client: PoolClient) => Promise<SerializedAppends>,
    within: AppendOptions['within'],
  ): Promise<Outcomes> =>
    retried(pool, async () => {
      const { appends, outcomes } = await inTransaction(pool, async (client) => {
        const appends = await prepare(client);
        const outcomes = appends.length === 0 ? [] : await appendOn(client, appends);
        const commit = outcomes.length > 0 && outcomes.every(isAppended);
        if (commit) await within?.(client);
        return { commit, result: { appends, outcomes } };
      });
      onOutcomes(appends, outcomes);
      return outcomes;
    });

  return {
    append: (appends, { within } = {}) =>
      orUnavailable('appending', async () => {
        await guard.check();
        const serialized = serializeAppends(appends, shapes);
        if (serialized.length === 0) return [];
        return within === undefined
          ? await commitGroups(serialized)
          : await appendWithin(async () => serialized, within);
      }),

    appendLocked: <E extends Event = Event>(
      stream: string,
      from: bigint,
      decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
      { reading = async (_, tail) => tail, within }: LockedOptions<E> = {},
    ) =>
      orUnavailable(`appending to ${stream} under its lock`, async () => {
        await guard.check();
        return await appendWithin(async (client) => {
          const rows = await lockStream(client, stream, from);
          const tail = rows.map((row) => toRecorded<E>(row, shapes));
          return serializeAppends(decide(await reading(client, tail)), shapes);
        }, within);
      }),
  };
};

/**
 * Takes the stream's advisory lock to the end of the transaction and returns its events. Postgres grants the lock in
 * the order of requests; the pool's `statement_timeout` bounds the wait.
 */
const lockStream = async (client: PoolClient, stream: string, from: bigint) => {
  const { rows } = await client.query<(string | null)[]>(
    rawQuery(`SELECT ${eventColumns} FROM es_read_locked($1, $2) AS e`, [stream, String(from)]),
  );
  return rows;
};

/**
 * As `pool.query`, but keeps the connection after a failure that is tried again: a repeated append is recognized by its
 * failure, and after the loss of a connection the checkpoints and the high-water mark are read anew.
 */
const onConnection = async (pool: Pool, work: (client: PoolClient) => Promise<Outcomes>): Promise<Outcomes> => {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    isBroken = !isFaultOfOne(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
};

/** Another transaction has stored an event with an id of these appends. */
class EventIdTakenError extends Error {
  readonly appends: SerializedAppends;

  constructor(appends: SerializedAppends, cause: unknown) {
    super('an event id is taken', { cause });
    this.appends = appends;
  }
}

/** Whether one append of a group is the reason of this error: the others can be stored. */
const isFaultOfOne = (error: unknown): boolean =>
  error instanceof EventIdTakenError || codeOf(error) === deadlockDetected;

/**
 * Tries an append again after a deadlock, and when its ids were stored by another transaction in the meantime: if they
 * exist by then, what the log says of them is the outcome.
 */
const retried = async (pool: Pool, attempt: () => Promise<Outcomes>): Promise<Outcomes> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof EventIdTakenError) {
        const outcomes = await readOutcomes(pool, error.appends);
        if (outcomes.some(namesAnId)) return outcomes;
      } else if (codeOf(error) !== deadlockDetected) {
        throw error;
      }
      if (tries === maxTries) throw error;
    }
  }
};

const namesAnId = (outcome: AppendOutcome): boolean =>
  outcome.outcome === 'duplicate' || (outcome.outcome === 'conflict' && outcome.existingIds.length > 0);

/** Calls es_append: one statement, so outside a transaction block it commits by itself. */
const callAppend =
  (isPrepared: boolean) =>
  async (client: PoolClient, appends: SerializedAppends): Promise<Outcomes> => {
    // All writers lock streams in one order, against deadlocks.
    const inLockOrder = [...appends.entries()].sort(([, a], [, b]) => (a.stream < b.stream ? -1 : 1));
    const query = rawQuery(`SELECT ${outcomeColumns} FROM es_append($1, $2, $3)`, [
      inLockOrder.map(([, { stream }]) => stream),
      inLockOrder.map(([, { expected }]) => (expected === null ? null : String(expected))),
      `[${inLockOrder.map(([, { events }]) => `[${events.map(toJson).join(',')}]`).join(',')}]`,
    ]);
    try {
      // With a name each connection parses and plans it once.
      const { rows } = await client.query<(string | null)[]>(isPrepared ? { ...query, name: 'es_append' } : query);
      const outcomes: AppendOutcome[] = [];
      for (const [row, [at]] of inLockOrder.entries()) outcomes[at] = toOutcome(rows[row] ?? []);
      return outcomes;
    } catch (error) {
      throw constraintOf(error) === eventIdKey ? new EventIdTakenError(appends, error) : error;
    }
  };

const outcomeColumns = 'outcome, version, first_position, last_position, existing_ids';

/** One JSON text of all events costs half of the processor time of arrays of texts. */
const toJson = ({ id, type, schemaVersion, data, meta }: SerializedEvent): string =>
  `{"event_id":"${id}","type":${JSON.stringify(type)},"schema_version":${schemaVersion},"data":${data},"meta":${meta}}`;

const readOutcomes = async (pool: Pool, appends: SerializedAppends): Promise<Outcomes> => {
  const { rows } = await pool.query<(string | null)[]>(
    rawQuery(`SELECT ${outcomeColumns} FROM es_outcomes($1, $2, $3)`, [
      appends.map(({ stream }) => stream),
      appends.map(({ events }) => String(events.length)),
      appends.flatMap(({ events }) => events.map(({ id }) => id)),
    ]),
  );
  return rows.map(toOutcome);
};
