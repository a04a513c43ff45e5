import type { Event } from '@event-driven-io/emmett';
import type { Pool, PoolClient } from 'pg';
import { memoizeByObject } from '../../kernel/memoize.ts';
import { inTransaction } from '../connection.ts';
import type { Transaction } from '../event-log.ts';
import type { FoldedEvent } from '../event-rows.ts';
import type { PostgresEventLog } from '../postgres-event-log.ts';
import type { EventWithoutMeta } from '../read/read-events.ts';
import type { Fields } from '../read/replay.ts';
import { type RunnerSettings, type Subscriber, VersionMismatchError } from '../subscriptions/handle-batch.ts';
import { subscriptionRunner } from '../subscriptions/subscription-runner.ts';
import { codeOf } from '../unavailable-error.ts';

/** The name in the database of each table of a projection: `usage` → `usage_v2`. */
export type Tables = Readonly<Record<string, string>>;

/**
 * A read model: tables that are folded from events alone, so that folding again yields the same rows. Each table is read
 * through a view with its plain name, so that a rebuild can switch all readers at once.
 */
export type Projection<E extends Event = Event> = {
  readonly name: string;
  /** Raised when the fold or the tables change: the new version is then built beside the old one. */
  readonly version: number;
  readonly types: readonly E['type'][];
  /** Plain names: the views that queries read. */
  readonly tables: readonly string[];
  /** Creates the empty tables under the names given, and their indexes; the indexes get no names of their own. */
  createSql(tables: Tables): string;
  /** Folds events, in order, each once, with few statements: one upsert per key and batch. */
  fold(transaction: Transaction, events: readonly FoldedEvent<E>[], tables: Tables): Promise<void>;
  /** The fold in two steps, where many events become few rows: a rebuild then writes each row only a few times. */
  readonly tally?: () => Tally<E>;
  /** The fields of the data that the fold reads; a rebuild then reads only these. */
  readonly fields?: Fields<E>;
  /** See `Subscriber`; `stop` by default. */
  readonly onError?: 'park' | 'stop';
};

/** Events summed up in memory, to be written at once. */
export type Tally<E extends Event = Event> = {
  add(events: readonly FoldedEvent<E>[]): void;
  /** Rows that `write` would write. */
  size(): number;
  write(transaction: Transaction, tables: Tables): Promise<void>;
};

/** The fold of a projection that has a tally. */
export const foldBy =
  <E extends Event>(tally: () => Tally<E>): Projection<E>['fold'] =>
  async (transaction, events, tables) => {
    const sums = tally();
    sums.add(events);
    if (sums.size() > 0) await sums.write(transaction, tables);
  };

/** Which tables of a projection are read now. */
export type Live = { readonly version: number; readonly suffix: string };

/** `live`: this program folds it. `older`: a rebuild is due. `newer`: a later program has taken over. */
export type ProjectionState = 'live' | 'older' | 'newer';

/** Any number that nothing else on the database uses as the first half of an advisory lock. */
const projectionLock = 20260120;

/** Creates missing tables and views of projections, and returns whether this program folds each of them. */
export const ensureProjections = async (
  pool: Pool,
  projections: readonly Projection[],
): Promise<ReadonlyMap<string, ProjectionState>> => {
  const states = new Map<string, ProjectionState>();
  for (const projection of projections) states.set(projection.name, await ensure(pool, projection));
  return states;
};

const ensure = (pool: Pool, projection: Projection): Promise<ProjectionState> =>
  inTransaction(pool, async (client) => {
    const { name, version } = projection;
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [projectionLock, name]);
    const live = await liveOf(client, name);
    if (live === null) {
      const suffix = `v${version}`;
      const tables = tablesOf(projection, suffix);
      await client.query(projection.createSql(tables));
      await pointViews(client, tables);
      await client.query('INSERT INTO es_projection (name, version, suffix) VALUES ($1, $2, $3)', [
        name,
        version,
        suffix,
      ]);
      return { commit: true, result: 'live' };
    }
    return { commit: false, result: stateOf(projection, live) };
  });

const stateOf = ({ version }: Pick<Projection, 'version'>, live: Live): ProjectionState => {
  if (live.version === version) return 'live';
  return live.version < version ? 'older' : 'newer';
};

/** How each projection stands to this program, without a change; one that was never folded is missing. */
export const projectionStates = async (
  pool: Pool,
  projections: readonly Projection[],
): Promise<ReadonlyMap<string, ProjectionState>> => {
  const names = projections.map(({ name }) => name);
  const live = await liveAmong(pool, names);
  const states = projections.flatMap((projection) => {
    const found = live.get(projection.name);
    return found === undefined ? [] : [[projection.name, stateOf(projection, found)] as const];
  });
  return new Map(states);
};

/** The runner of the subscriptions that keep the live tables up to date; each has the name of its projection. */
export const projectionRunner = ({
  projections,
  log,
  ...settings
}: RunnerSettings & {
  readonly projections: readonly Projection[];
  readonly log: Pick<PostgresEventLog, 'read' | 'readBatch' | 'onAppended'>;
}): ReturnType<typeof subscriptionRunner> => {
  const readLive = liveOncePerTransaction(projections.map(({ name }) => name));
  return subscriptionRunner<EventWithoutMeta>({
    batchSize: 2_000,
    restMs: 250,
    ...settings,
    log,
    subscribers: projections.map((projection) => subscriberOf(projection, readLive)),
    readBatch: log.readBatch,
    readStream: log.read,
  });
};

type ReadLive = (transaction: Transaction) => Promise<ReadonlyMap<string, Live>>;

/** Read once in a transaction, for all of the projections that fold in it. */
const liveOncePerTransaction = (names: readonly string[]): ReadLive =>
  memoizeByObject((transaction) => liveAmong(transaction, names));

const subscriberOf = (projection: Projection, readLive: ReadLive): Subscriber<EventWithoutMeta> => {
  const { name, version, types } = projection;
  return {
    name,
    types,
    onError: projection.onError ?? 'stop',
    handle: async (transaction, events) => {
      // Read under the lock of the checkpoint, which the switch of a rebuild takes too.
      const live = (await readLive(transaction)).get(name);
      if (live?.version !== version) {
        throw new VersionMismatchError(
          `projection ${name} is at version ${live?.version ?? 'none'} and this program folds ${version}: not folded here`,
        );
      }
      // Checked without events too: another version may fold types that this one passes.
      if (events.length === 0) return;
      await projection.fold(transaction, events, tablesOf(projection, live.suffix));
    },
  };
};

/** The live tables of a projection, null before its first `ensureProjections`. */
export const liveOf = async (by: Transaction, name: string): Promise<Live | null> =>
  (await liveAmong(by, [name])).get(name) ?? null;

const liveAmong = async (by: Transaction, names: readonly string[]): Promise<ReadonlyMap<string, Live>> => {
  const { rows } = await by.query<Live & { readonly name: string }>(
    'SELECT name, version, suffix FROM es_projection WHERE name = ANY ($1)',
    [names],
  );
  return new Map(rows.map(({ name, version, suffix }) => [name, { version, suffix }]));
};

/** The names of the tables of one generation of a projection, by their names without suffix. */
export const tablesOf = ({ tables }: Pick<Projection, 'tables'>, suffix: string): Tables =>
  Object.fromEntries(tables.map((table) => [table, `${table}_${suffix}`]));

/** Points the views at these tables. A view whose columns differ is created again. */
export const pointViews = async (client: PoolClient, tables: Tables): Promise<void> => {
  for (const [view, table] of Object.entries(tables)) {
    await client.query('SAVEPOINT before_view');
    try {
      await client.query(`CREATE OR REPLACE VIEW ${view} AS SELECT * FROM ${table}`);
    } catch (error) {
      if (codeOf(error) !== invalidTableDefinition) throw error;
      await client.query('ROLLBACK TO SAVEPOINT before_view');
      await client.query(`DROP VIEW ${view}; CREATE VIEW ${view} AS SELECT * FROM ${table}`);
    }
  }
};

/** A view that is replaced cannot lose or rename a column. */
const invalidTableDefinition = '42P16';
