import type { Event } from '@event-driven-io/emmett';
import type { Pool, PoolClient } from 'pg';
import { connectionOf, inTransaction, transactionOf } from '../connection.ts';
import type {
  Append,
  AppendOptions,
  AppendOutcome,
  EventLog,
  LockedOptions,
  RecordedEvent,
} from '../event-log.ts';
import { eventColumns, rawQuery, toOutcomes, toRecorded } from '../event-rows.ts';
import { codeOf, constraintOf, orUnavailable } from '../unavailable-error.ts';
import type { Upcasting } from '../upcasting.ts';
import { groupCommit } from './group-commit.ts';
import {
  type SerializedAppend,
  type SerializedEvent,
  serializeAppends,
} from './serialize-appends.ts';

/** How often an append is tried when a concurrent append takes its event ids or deadlocks with it. */
const maxTries = 3;
const deadlockDetected = '40P01';
const eventIdKey = 'es_event_event_id_key';

type Outcomes = readonly AppendOutcome[];

/** `append` and `appendLocked` of the log on Postgres. `onOutcomes` is called with the outcomes of every append. */
export const appendEvents = (deps: {
  readonly pool: Pool;
  readonly upcasting: Upcasting;
  readonly onOutcomes: (outcomes: Outcomes) => void;
  readonly isPrepared: boolean;
}): Pick<EventLog, 'append' | 'appendLocked'> => {
  const { pool, upcasting, onOutcomes } = deps;
  const appendOn = callAppend(deps.isPrepared);
  const retried = retryOnConflictingIds(pool, onOutcomes);

  const commitGroups = groupCommit({
    alone: (appends) =>
      retried((attempted) => {
        attempted(appends);
        return onConnection(pool, (client) => appendOn(client, appends));
      }),
    together: async (appends) => {
      const outcomes = await onConnection(pool, (client) => appendOn(client, appends));
      if (outcomes.every(isAppended)) onOutcomes(outcomes);
      return outcomes;
    },
    isFaultOfOne: (error) =>
      constraintOf(error) === eventIdKey || codeOf(error) === deadlockDetected,
  });

  const append = (appends: readonly Append[], { within }: AppendOptions = {}): Promise<Outcomes> =>
    orUnavailable('appending', async () => {
      const serialized = serializeAppends(appends, upcasting);
      if (serialized.length === 0) return [];
      if (within === undefined) return commitGroups(serialized);
      return await retried((attempted) => {
        attempted(serialized);
        return inTransaction(pool, async (client) => {
          const result = await appendOn(client, serialized);
          const commit = result.every(isAppended);
          if (commit) await within(transactionOf(client));
          return { commit, result };
        });
      });
    });

  const appendLocked = <E extends Event = Event>(
    stream: string,
    from: bigint,
    decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
    { reading = async (_, tail) => tail, within }: LockedOptions<E> = {},
  ): Promise<Outcomes> =>
    orUnavailable(`appending to ${stream} under its lock`, () =>
      retried((attempted) =>
        inTransaction(pool, async (client) => {
          const transaction = transactionOf(client);
          const rows = await lockStream(client, stream, from);
          const tail = rows.map((row) => toRecorded<E>(row, upcasting));
          const serialized = serializeAppends(decide(await reading(transaction, tail)), upcasting);
          attempted(serialized);
          if (serialized.length === 0) return { commit: false, result: [] };
          const result = await appendOn(client, serialized);
          const commit = result.every(isAppended);
          if (commit) await within?.(transaction);
          return { commit, result };
        }),
      ),
    );

  return { append, appendLocked };
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

type Attempt = (attempted: (appends: readonly SerializedAppend[]) => void) => Promise<Outcomes>;

/**
 * Tries an append again after a deadlock, and when its ids were stored by another transaction in the meantime. `attempt`
 * passes what it appends to `attempted` first: if those ids exist by then, what the log says of them is the outcome.
 */
const retryOnConflictingIds =
  (pool: Pool, onOutcomes: (outcomes: Outcomes) => void) =>
  async (attempt: Attempt): Promise<Outcomes> => {
    for (let tries = 1; ; tries += 1) {
      let appends: readonly SerializedAppend[] = [];
      try {
        const outcomes = await attempt((serialized) => {
          appends = serialized;
        });
        onOutcomes(outcomes);
        return outcomes;
      } catch (error) {
        if (constraintOf(error) === eventIdKey) {
          const outcomes = await readOutcomes(pool, appends);
          if (outcomes.some(namesAnId)) return outcomes;
        } else if (codeOf(error) !== deadlockDetected) {
          throw error;
        }
        if (tries === maxTries) throw error;
      }
    }
  };

const isAppended = ({ outcome }: AppendOutcome): boolean => outcome === 'appended';

const namesAnId = (outcome: AppendOutcome): boolean =>
  outcome.outcome === 'duplicate' ||
  (outcome.outcome === 'conflict' && outcome.existingIds.length > 0);

const onConnection = async <Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await connectionOf(pool);
  try {
    return await work(client);
  } finally {
    client.release();
  }
};

/** Calls es_append: one statement, so outside a transaction block it commits by itself. */
const callAppend =
  (isPrepared: boolean) =>
  async (client: PoolClient, appends: readonly SerializedAppend[]): Promise<Outcomes> => {
    const query = rawQuery(`SELECT ${outcomeColumns} FROM es_append($1, $2, $3)`, [
      appends.map(({ stream }) => stream),
      appends.map(({ expected }) => (expected === null ? null : String(expected))),
      `[${appends.map(({ events }) => `[${events.map(toJson).join(',')}]`).join(',')}]`,
    ]);
    // With a name each connection parses and plans it once.
    const { rows } = await client.query<(string | null)[]>(
      isPrepared ? { ...query, name: 'es_append' } : query,
    );
    return toOutcomes(rows, appends);
  };

const outcomeColumns = 'outcome, version, first_position, last_position, existing_ids';

/** One JSON text of all events costs half of the processor time of arrays of texts. */
const toJson = ({ id, type, schemaVersion, data, meta }: SerializedEvent): string =>
  `{"event_id":"${id}","type":${JSON.stringify(type)},"schema_version":${schemaVersion},"data":${data},"meta":${meta}}`;

const readOutcomes = async (
  pool: Pool,
  appends: readonly SerializedAppend[],
): Promise<Outcomes> => {
  const { rows } = await pool.query<(string | null)[]>(
    rawQuery(`SELECT ${outcomeColumns} FROM es_outcomes($1, $2, $3)`, [
      appends.map(({ stream }) => stream),
      appends.map(({ events }) => String(events.length)),
      appends.flatMap(({ events }) => events.map(({ id }) => id)),
    ]),
  );
  return toOutcomes(rows, appends);
};
