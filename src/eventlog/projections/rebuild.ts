import type { Pool, PoolClient } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';
import { inTransaction } from '../connection.ts';
import type { Transaction } from '../event-log.ts';
import type { FoldedEvent } from '../event-rows.ts';
import type { PostgresEventLog } from '../postgres-event-log.ts';
import { positionOf } from '../subscriptions/checkpoints.ts';
import { codeOf } from '../unavailable-error.ts';
import {
  ensureProjections,
  type Live,
  liveOf,
  type Projection,
  pointViews,
  type Tables,
  type Tally,
  tablesOf,
} from './projection.ts';

type Rebuilt = {
  readonly name: string;
  readonly fromVersion: number;
  readonly toVersion: number;
  /** Events folded. */
  readonly events: number;
  readonly elapsedMs: number;
  /** Where both were compared. */
  readonly position: bigint;
  readonly proof: readonly TableProof[];
  /** Rows on one side only, of all tables. */
  readonly differences: number;
  readonly isSwitched: boolean;
  /** How long the live checkpoint was held for the comparison and the switch. */
  readonly switchMs: number;
  /** Why there are differences, or why it was not switched, null when there is nothing to say. */
  readonly message: string | null;
};

export type RebuildOptions = {
  /** Up to four of its connections are in use at a time. */
  readonly pool: Pool;
  readonly log: Pick<PostgresEventLog, 'replayFolded'>;
  readonly projection: Projection;
  /** `when_equal`: only with no difference, or one that parked streams explain; `always`: a repair; `never`: the proof alone. */
  readonly switching: 'when_equal' | 'always' | 'never';
  /** Events, or rows of a tally, in one transaction, and up to a page more; 10,000. */
  readonly batchSize?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (reached: { readonly position: bigint; readonly upTo: bigint }) => void;
};

/** The most positions that are folded while the live checkpoint is locked. */
const smallLag = 5_000n;
/** Events between two reports of progress. */
const progressEvery = 20_000;
/** The log grows while it is folded; a rebuild that does not come near its end in so many rounds never will. */
const maxRounds = 1_000;
const lockTries = 20;
/** Any number that nothing else on the database uses as the first half of an advisory lock. */
const rebuildLock = 20260121;
const lockNotAvailable = '55P03';

/** Another process is rebuilding the projection. */
export class RebuildInProgressError extends Error {}

/**
 * Folds a projection from zero beside the live one, which stays readable and up to date. Then, with the live checkpoint
 * locked and both at one position, compares all rows both ways and switches the views, in one transaction. Readers see
 * the old rows or the new ones, never fewer. A rebuild never runs ahead of the live checkpoint. There is one at a time for
 * each projection (`RebuildInProgressError`); one that was aborted leaves tables that the next one removes.
 */
export const rebuild = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { pool, projection } = options;
  const state = (await ensureProjections(pool, [projection])).get(projection.name);
  if (state === 'newer') {
    throw new Error(`${projection.name} is at a later version than this program folds`);
  }
  const holder = await pool.connect();
  try {
    const { rows } = await holder.query<{ is_ours: boolean }>(
      'SELECT pg_try_advisory_lock($1, hashtext($2)) AS is_ours',
      [rebuildLock, projection.name],
    );
    if (rows[0]?.is_ours !== true) {
      throw new RebuildInProgressError(`${projection.name} is being rebuilt already`);
    }
    return await build(options);
  } finally {
    // Closing the connection releases the lock too, but some time later.
    const unlock = 'SELECT pg_advisory_unlock($1, hashtext($2))';
    await holder.query(unlock, [rebuildLock, projection.name]).catch(() => undefined);
    holder.release(true);
  }
};

const build = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { projection } = options;
  const started = elapsedMs();
  const { live, suffix } = await begin(options);
  const shadow: Shadow = { tables: tablesOf(projection, suffix), suffix, live, position: 0n, events: 0 };

  for (let round = 0; round < maxRounds; round += 1) {
    await catchUp(options, shadow);
    options.signal?.throwIfAborted();
    const ended = await finish(options, shadow);
    if (ended === 'behind') continue;
    // Tables that differ are kept for inspection, until the next rebuild or, after a proof, until the next proof.
    if (ended.isSwitched || ended.differences === 0) await clean(options, ended.isSwitched ? suffix : live.suffix);
    return { ...ended, elapsedMs: Math.round(elapsedMs() - started) };
  }
  throw new Error(`${projection.name}: the rebuild does not catch up with the live checkpoint`);
};

/** The tables that are built, and how far. */
type Shadow = {
  readonly tables: Tables;
  readonly suffix: string;
  readonly live: Live;
  position: bigint;
  events: number;
};

/** Takes the next names, and makes their empty tables. */
const begin = ({
  pool,
  projection,
  switching,
}: RebuildOptions): Promise<{ readonly live: Live; readonly suffix: string }> =>
  inTransaction(pool, async (client) => {
    const { name, version } = projection;
    const live = await liveOf(client, name);
    if (live === null) throw new Error(`${name} has no live tables`);
    const { rows } = await client.query<{ rebuilds: number }>(
      'UPDATE es_projection SET rebuilds = rebuilds + 1 WHERE name = $1 RETURNING rebuilds',
      [name],
    );
    await client.query('INSERT INTO es_subscription (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
    const kind = switching === 'never' ? 'proof' : `v${version}`;
    const suffix = `${kind}_${rows[0]?.rebuilds ?? 0}`;
    await dropFormer(client, { projection, switching }, live.suffix);
    await client.query(projection.createSql(tablesOf(projection, suffix)));
    return { commit: true, result: { live, suffix } };
  });

/**
 * Drops the tables that earlier versions, rebuilds and proofs left, except those of `suffix`; after a proof only those of proofs,
 * because a rebuild may have kept tables that differ.
 */
const dropFormer = async (
  client: PoolClient,
  { projection: { tables }, switching }: Pick<RebuildOptions, 'projection' | 'switching'>,
  suffix: string,
): Promise<void> => {
  const former = switching === 'never' ? 'proof_[0-9]+' : '(v[0-9]+(_[0-9]+)?|proof_[0-9]+)';
  for (const table of tables) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class AS c
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
         AND c.relname ~ ('^' || $1 || '_' || $3 || '$') AND c.relname <> $1 || '_' || $2`,
      [table, suffix, former],
    );
    for (const { name } of rows) await client.query(`DROP TABLE IF EXISTS ${name}`);
  }
};

/** Runs writes in a transaction. */
type Within = (work: (transaction: Transaction) => Promise<void>) => Promise<void>;

/** Folds up to where the live checkpoint is. */
const catchUp = async (options: RebuildOptions, shadow: Shadow): Promise<void> => {
  const { pool, projection } = options;
  const upTo = (await positionOf(pool, projection.name)) ?? 0n;
  const within: Within = (work) =>
    // Nothing reads these tables yet: the commit of the switch makes them durable.
    inTransaction(pool, async (client) => ({ commit: true, result: await work(client) }), { isRepeatable: true });
  await fold(options, shadow, upTo, within);
};

/** Sums up pages of events, and writes the sums when they are many. */
const fold = async (
  { log, projection, signal, onProgress, batchSize = 10_000 }: RebuildOptions,
  shadow: Shadow,
  upTo: bigint,
  within: Within,
): Promise<void> => {
  const { types, fields, tally = () => withoutTally(projection) } = projection;
  const write = (sums: Tally): Promise<void> => within((transaction) => sums.write(transaction, shadow.tables));
  let sums = tally();
  let told = shadow.events;
  for await (const events of log.replayFolded({ after: shadow.position, upTo, types, fields })) {
    signal?.throwIfAborted();
    sums.add(events);
    if (sums.size() >= batchSize) {
      await write(sums);
      sums = tally();
    }
    shadow.events += events.length;
    if (shadow.events - told < progressEvery) continue;
    told = shadow.events;
    onProgress?.({ position: events.at(-1)?.position ?? upTo, upTo });
  }
  if (sums.size() > 0) await write(sums);
  shadow.position = upTo;
};

/** The events themselves, for a projection whose events are many rows. */
const withoutTally = ({ fold: foldEvents }: Projection): Tally => {
  const all: FoldedEvent[] = [];
  return {
    add: (events) => void all.push(...events),
    size: () => all.length,
    write: (transaction, tables) => foldEvents(transaction, all, tables),
  };
};

type Ending = Omit<Rebuilt, 'elapsedMs'>;

/** The proof and the switch, tried again when readers hold the views for too long. */
const finish = async (options: RebuildOptions, shadow: Shadow): Promise<Ending | 'behind'> => {
  for (let turn = 1; ; turn += 1) {
    try {
      return await inTransaction(options.pool, (client) => proveAndSwitch(options, shadow, client));
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable || turn === lockTries) throw error;
    }
  }
};

const proveAndSwitch = async (
  options: RebuildOptions,
  known: Shadow,
  client: PoolClient,
): Promise<{ readonly commit: boolean; readonly result: Ending | 'behind' }> => {
  const { projection, switching } = options;
  const { name, version } = projection;
  // A copy: the rows folded here are rolled back with this transaction.
  const shadow = { ...known };
  await client.query(`SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '10min'`);
  const started = elapsedMs();
  const locked = await client.query<{ position: string }>(
    'SELECT position::text AS position FROM es_subscription WHERE name = $1 FOR UPDATE',
    [name],
  );
  const position = BigInt(locked.rows[0]?.position ?? 0);
  if (position - shadow.position > smallLag) return { commit: false, result: 'behind' };

  await fold(options, shadow, position, (work) => work(client));
  const proof: TableProof[] = [];
  for (const table of projection.tables) {
    proof.push(await compare(client, table, shadow.live.suffix, shadow.suffix));
  }
  const differences = proof.reduce((sum, { onlyLive, onlyRebuilt }) => sum + onlyLive + onlyRebuilt, 0);
  const parked = await client.query('DELETE FROM es_parked_stream WHERE subscription = $1', [name]);
  const why = parked.rowCount ? `${parked.rowCount} parked streams are in the rebuilt tables` : null;
  const isSwitched = switching === 'always' || (switching === 'when_equal' && (differences === 0 || why !== null));
  if (isSwitched) {
    await pointViews(client, shadow.tables);
    await client.query(
      'UPDATE es_projection SET version = $2, suffix = $3, switched_at = clock_timestamp() WHERE name = $1',
      [name, version, shadow.suffix],
    );
  }
  const kept = `${shadow.live.suffix} and ${shadow.suffix} are kept beside each other`;
  const result: Ending = {
    name,
    fromVersion: shadow.live.version,
    toVersion: version,
    events: shadow.events,
    position,
    proof,
    differences,
    isSwitched,
    switchMs: Math.round(elapsedMs() - started),
    message: differences === 0 ? null : (why ?? (isSwitched ? 'repaired' : kept)),
  };
  return { commit: isSwitched, result };
};

/** Drops tables that are not read any more; if a reader holds one for too long, the next rebuild drops it. */
const clean = async (options: RebuildOptions, suffix: string): Promise<void> => {
  try {
    await inTransaction(options.pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '2s'`);
      await dropFormer(client, options, suffix);
      return { commit: true, result: undefined };
    });
  } catch (error) {
    if (codeOf(error) !== lockNotAvailable) throw error;
  }
};

/** What a rebuild found in one table: rows on one side only, of both at one position of the log. */
type TableProof = {
  readonly table: string;
  readonly rows: number;
  readonly onlyLive: number;
  readonly onlyRebuilt: number;
};

/** Rows on one side only, over the columns that both sides have; a table that is new has nothing to compare. */
const compare = async (client: PoolClient, table: string, live: string, rebuilt: string): Promise<TableProof> => {
  const [old, anew] = [`${table}_${live}`, `${table}_${rebuilt}`];
  const { rows } = await client.query<{ columns: string | null }>(
    `SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
     FROM pg_attribute AS a JOIN pg_attribute AS b ON b.attname = a.attname AND b.attrelid = to_regclass($2)
     WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''`,
    [old, anew],
  );
  const columns = rows[0]?.columns ?? null;
  // One pass over both: what EXCEPT ALL of each way would leave is what is left of the one and of the other.
  const counted = await client.query<Record<'rows' | 'only_live' | 'only_rebuilt', string>>(
    columns === null
      ? `SELECT count(*)::text AS rows, '0' AS only_live, '0' AS only_rebuilt FROM ${anew}`
      : `SELECT coalesce(sum(rebuilt), 0)::text AS rows,
           coalesce(sum(live - rebuilt) FILTER (WHERE live > rebuilt), 0)::text AS only_live,
           coalesce(sum(rebuilt - live) FILTER (WHERE rebuilt > live), 0)::text AS only_rebuilt
         FROM (
           SELECT count(*) FILTER (WHERE is_live) AS live, count(*) FILTER (WHERE NOT is_live) AS rebuilt
           FROM (
             SELECT ${columns}, true AS is_live FROM ${old}
             UNION ALL SELECT ${columns}, false FROM ${anew}
           ) AS both_sides
           GROUP BY ${columns}
         ) AS compared`,
  );
  const [row] = counted.rows;
  return { table, rows: Number(row?.rows), onlyLive: Number(row?.only_live), onlyRebuilt: Number(row?.only_rebuilt) };
};
