import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import type { Pool, PoolClient } from 'pg';
import { connectionOf } from '../connection.ts';
import type {
  Append,
  AppendOptions,
  AppendOutcome,
  Follows,
  LockedOptions,
  RecordedEvent,
} from '../event-log.ts';
import { rawQuery, toOutcomes, toRecorded } from '../event-rows.ts';
import { inTransaction, transactionOf } from '../transaction.ts';
import { codeOf, constraintOf, orUnavailable } from '../unavailable-error.ts';
import type { Upcasting } from '../upcasting.ts';
import { groupCommit } from './group-commit.ts';
import { pipelinedAppends } from './pipelined-append.ts';
import {
  type SerializedAppend,
  type SerializedEvent,
  serializeAppends,
} from './serialize-appends.ts';
import { streamLocks } from './stream-lock.ts';

/** How often an append is tried when another writer takes its ids or its locks in the same moment. */
const tries = 3;
const deadlockDetected = '40P01';
const idTaken = 'es_event_event_id_key';

type Deps = {
  readonly pool: Pool;
  readonly shapes: Upcasting;
  readonly wake: (outcomes: readonly AppendOutcome[]) => void;
  readonly isPrepared: boolean;
};

/** The writing half of the log on Postgres; `wake` hears every outcome that was stored. */
export const appending = (deps: Deps) => {
  const { pool, shapes, wake } = deps;
  const appendBy = appendingBy(deps.isPrepared);

  const storing = storingOn(pool, wake);

  const alone = (serialized: readonly SerializedAppend[]): Promise<Outcomes> =>
    storing((tried) => {
      tried(serialized);
      return onPool(pool, serialized, appendBy);
    });

  const gathered = groupCommit({
    alone,
    store: async (serialized) => {
      const outcomes = await onPool(pool, serialized, appendBy);
      if (outcomes.every(isAppended)) wake(outcomes);
      return outcomes;
    },
    mayDivide: (error) => constraintOf(error) === idTaken || codeOf(error) === deadlockDetected,
  });

  const inLine = linesOf(deps, appendBy);

  const append = (
    appends: readonly Append[],
    { within, follows }: AppendOptions = {},
  ): Promise<Outcomes> =>
    orUnavailable('appending', async () => {
      const serialized = serializeAppends(appends, shapes);
      const [first] = serialized;
      if (first === undefined) return [];
      if (follows !== undefined) {
        assert(within === undefined, 'an append in line has no effects of its own');
        assert(serialized.length === 1 && first.expected !== null, 'a line is of one stream');
        return [await inLine(first, follows)];
      }
      if (within === undefined) return gathered(serialized);
      return await storing((tried) => {
        tried(serialized);
        return inTransaction(pool, async (client) => {
          const result = await appendBy(client, serialized);
          const commit = result.every(isAppended);
          if (commit) await within(transactionOf(client));
          return { commit, result };
        });
      });
    });

  const inTurn = streamLocks(pool);
  const appendLocked = <E extends Event = Event>(
    stream: string,
    from: bigint,
    decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
    {
      reading = async (_, tail) => tail,
      within,
      reacquireFrom = () => null,
    }: LockedOptions<E> = {},
  ): Promise<Outcomes> =>
    orUnavailable(`appending to ${stream} under its lock`, () =>
      storing((tried) =>
        inTurn(stream, from, {
          decide: async (transaction, rows) => {
            const tail = await reading(
              transaction,
              rows.map((row) => toRecorded<E>(row, shapes)),
            );
            const serialized = serializeAppends(decide(tail), shapes);
            tried(serialized);
            return serialized;
          },
          append: appendBy,
          within,
          reacquireFrom,
        }),
      ),
    );

  return { append, appendLocked };
};

/** Appends that are sent behind those under way; the ids of one that is refused tell what is there. */
const linesOf = ({ pool, wake, isPrepared }: Deps, appendBy: ReturnType<typeof appendingBy>) => {
  const behind = appendingBehind(isPrepared);
  return pipelinedAppends(pool, async (client, one, follows) => {
    try {
      const outcome =
        follows === null ? await appendBy(client, [one]) : await behind(client, one, follows);
      wake(outcome);
      return sole(outcome);
    } catch (error) {
      if (constraintOf(error) !== idTaken) throw error;
      const outcome = await outcomesOf(client, [one]);
      if (outcome.some(namesAnId)) return sole(outcome);
      throw error;
    }
  });
};

type Outcomes = readonly AppendOutcome[];

type Attempt = (tried: (appends: readonly SerializedAppend[]) => void) => Promise<Outcomes>;

/** `attempt` tells what it tried to append even when it throws: what is in the log of it is the answer then. */
const storingOn =
  (pool: Pool, wake: (outcomes: Outcomes) => void) =>
  async (attempt: Attempt): Promise<Outcomes> => {
    for (let turn = 1; ; turn += 1) {
      let appends: readonly SerializedAppend[] = [];
      try {
        const outcomes = await attempt((tried) => {
          appends = tried;
        });
        wake(outcomes);
        return outcomes;
      } catch (error) {
        if (constraintOf(error) === idTaken) {
          const outcomes = await outcomesOf(pool, appends);
          if (outcomes.some(namesAnId)) return outcomes;
        } else if (codeOf(error) !== deadlockDetected) {
          throw error;
        }
        if (turn === tries) throw error;
      }
    }
  };

const isAppended = ({ outcome }: AppendOutcome): boolean => outcome === 'appended';

const namesAnId = (outcome: AppendOutcome): boolean =>
  outcome.outcome === 'duplicate' ||
  (outcome.outcome === 'conflict' && outcome.existingIds.length > 0);

/** On the pool a transaction by itself. */
const onPool = async (
  pool: Pool,
  appends: readonly SerializedAppend[],
  appendBy: (client: PoolClient, appends: readonly SerializedAppend[]) => Promise<Outcomes>,
): Promise<Outcomes> => {
  const client = await connectionOf(pool);
  try {
    return await appendBy(client, appends);
  } finally {
    client.release();
  }
};

/** One statement: a transaction by itself, or a part of one. */
const appendingBy =
  (isPrepared: boolean) =>
  async (by: PoolClient, appends: readonly SerializedAppend[]): Promise<Outcomes> => {
    const query = rawQuery(`SELECT ${outcomeColumns} FROM es_append($1, $2, $3)`, [
      appends.map(({ stream }) => stream),
      appends.map(({ expected }) => (expected === null ? null : String(expected))),
      eventsOf(appends),
    ]);
    // With a name each connection parses and plans it once.
    const { rows } = await by.query<(string | null)[]>(
      isPrepared ? { ...query, name: 'es_append' } : query,
    );
    return toOutcomes(rows, appends);
  };

/** As above for one append behind the event that it names. */
const appendingBehind =
  (isPrepared: boolean) =>
  async (by: PoolClient, append: SerializedAppend, follows: Follows): Promise<Outcomes> => {
    const query = rawQuery(`SELECT ${outcomeColumns} FROM es_append_behind($1, $2, $3, $4, $5)`, [
      follows.id,
      follows.hash,
      append.stream,
      String(append.expected),
      eventsOf([append]),
    ]);
    const { rows } = await by.query<(string | null)[]>(
      isPrepared ? { ...query, name: 'es_append_behind' } : query,
    );
    return toOutcomes(rows, [{ ...append, index: 0 }]);
  };

const outcomeColumns = 'outcome, version, first_position, last_position, existing_ids';

const sole = ([outcome]: Outcomes): AppendOutcome => {
  assert(outcome !== undefined, 'one append has one outcome');
  return outcome;
};

const eventsOf = (appends: readonly SerializedAppend[]): string =>
  `[${appends.map(({ events }) => `[${events.map(toJson).join(',')}]`).join(',')}]`;

/** One JSON text of all events costs half of the processor time of arrays of texts. */
const toJson = ({ id, type, schemaVersion, data, meta }: SerializedEvent): string =>
  `{"event_id":"${id}","type":${JSON.stringify(type)},"schema_version":${schemaVersion},"data":${data},"meta":${meta}}`;

const outcomesOf = async (
  by: Pick<PoolClient, 'query'>,
  appends: readonly SerializedAppend[],
): Promise<Outcomes> => {
  const { rows } = await by.query<(string | null)[]>(
    rawQuery(`SELECT ${outcomeColumns} FROM es_outcomes($1, $2, $3)`, [
      appends.map(({ stream }) => stream),
      appends.map(({ events }) => String(events.length)),
      appends.flatMap(({ events }) => events.map(({ id }) => id)),
    ]),
  );
  return toOutcomes(rows, appends);
};
