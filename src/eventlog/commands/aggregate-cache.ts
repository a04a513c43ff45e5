import type { Event } from '@event-driven-io/emmett';
import type { EventLog } from '../event-log.ts';
import { genesisHash } from '../hash-chain.ts';
import { type Aggregate, type Decider, type Fold, foldTail } from './decide-batch.ts';

export type Loading<State, Command, E extends Event> = {
  readonly log: EventLog;
  readonly decider: Decider<State, Command, E>;
  /** The newest stream of a key, or null when it has none. */
  readonly locate: (key: string) => Promise<string | null>;
  /** The error for a key that has no stream. */
  readonly unknownKey: (key: string) => Error;
};

/** What this process keeps of one key. */
export type CachedAggregate<State> = {
  /** Null: to be loaded. */
  aggregate: Aggregate<State> | null;
  snapshotVersion: bigint;
  /** Another process has written to the stream since this one did. */
  isShared: boolean;
  /** Settles with the snapshot write begun last, which must not come after the removal of snapshots. */
  snapshotting: Promise<unknown>;
};

export const uncached = <State>(): CachedAggregate<State> => ({
  aggregate: null,
  snapshotVersion: 0n,
  isShared: false,
  snapshotting: Promise.resolve(),
});

/** Keeps an aggregate unless a newer one is there: a reader may come later than a writer. */
export const keep = <State>(cached: CachedAggregate<State>, aggregate: Aggregate<State>): void => {
  const { aggregate: kept } = cached;
  if (kept?.stream === aggregate.stream && kept.version >= aggregate.version) return;
  cached.aggregate = aggregate;
};

/** Loads the aggregate of a key from its newest snapshot and the events after it. */
export const load = async <State, Command, E extends Event>(
  { log, decider: { fold }, locate, unknownKey }: Loading<State, Command, E>,
  key: string,
  cached: CachedAggregate<State>,
): Promise<Aggregate<State>> => {
  const stream = await locate(key);
  if (stream === null) throw unknownKey(key);
  const snapshot = await log.loadSnapshot<{ hash: string; json: unknown }>(stream, fold.version);
  const start: Aggregate<State> =
    snapshot === null
      ? { stream, version: 0n, hash: genesisHash, state: fold.initialState() }
      : {
          stream,
          version: snapshot.version,
          hash: snapshot.state.hash,
          state: fold.fromJson(snapshot.state.json),
        };
  cached.snapshotVersion = start.version;
  const aggregate = await readTail(log, fold, start);
  keep(cached, aggregate);
  return aggregate;
};

/** Reads the events after an aggregate and folds them onto it. */
export const readTail = async <State, E extends Event>(
  log: Pick<EventLog, 'read'>,
  fold: Fold<State, E>,
  aggregate: Aggregate<State>,
): Promise<Aggregate<State>> => {
  const tail = await log.read<E>(aggregate.stream, { from: aggregate.version + 1n });
  return foldTail(fold, aggregate, tail);
};

export const snapshotWhenDue = <State, E extends Event>(
  log: Pick<EventLog, 'saveSnapshot'>,
  fold: Fold<State, E>,
  cached: CachedAggregate<State>,
  snapshotEvery: number,
): void => {
  const { aggregate } = cached;
  if (aggregate === null) return;
  const { stream, version, hash, state } = aggregate;
  if (version - cached.snapshotVersion < BigInt(snapshotEvery)) return;
  cached.snapshotVersion = version;
  const snapshot = { version, state: { hash, json: fold.toJson(state) } };
  // A failure only costs reading: without the snapshot a process that starts folds a longer tail.
  cached.snapshotting = log.saveSnapshot(stream, fold.version, snapshot).catch(() => {});
};

/** Removes the snapshots of a stream that was continued in another one. Every process that learns of it does so. */
export const removeSnapshots = <State>(
  log: Pick<EventLog, 'forgetSnapshots'>,
  cached: CachedAggregate<State>,
  stream: string,
): void => {
  // A failure leaves a row that nobody reads.
  void cached.snapshotting.then(() => log.forgetSnapshots(stream)).catch(() => {});
};
