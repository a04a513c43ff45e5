import type { Event } from '@event-driven-io/emmett';
import type { EventLog } from '../event-log.ts';
import { genesisHash } from '../hash-chain.ts';
import { type Aggregate, type Decider, foldTail, type WaitingCommand } from './decide-batch.ts';

type Loading<State, Command, E extends Event> = {
  readonly log: EventLog;
  readonly decider: Decider<State, Command, E>;
  /** The newest stream of a key, or null when it has none. */
  readonly locate: (key: string) => Promise<string | null>;
  /** The error for a key that has no stream. */
  readonly unknownKey: (key: string) => Error;
};

/** What this process keeps of one key. */
export type CacheEntry<State, Command, E extends Event> = {
  /** Null: to be loaded. */
  aggregate: Aggregate<State> | null;
  snapshotVersion: bigint;
  isRunning: boolean;
  /** Another process has written to the stream since this one did. */
  isShared: boolean;
  /** Settles with the snapshot write begun last, which must not come after the removal of snapshots. */
  snapshotting: Promise<unknown>;
  readonly waiting: WaitingCommand<State, Command, E>[];
};

/** The entries of the keys used last; an entry with commands under way stays beyond the bound. */
export const aggregateCache = <State, Command, E extends Event>(maxKeys: number) => {
  const entries = new Map<string, CacheEntry<State, Command, E>>();
  return {
    entryOf: (key: string): CacheEntry<State, Command, E> => {
      const entry = entries.get(key) ?? {
        aggregate: null,
        snapshotVersion: 0n,
        isRunning: false,
        isShared: false,
        snapshotting: Promise.resolve(),
        waiting: [],
      };
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > maxKeys) evictOldest(entries);
      return entry;
    },
  };
};

export const evictOldest = <Entry extends { readonly isRunning: boolean }>(
  entries: Map<string, Entry>,
): void => {
  for (const [key, entry] of entries) {
    if (entry.isRunning) continue;
    entries.delete(key);
    return;
  }
};

/** Keeps an aggregate unless a newer one is there: a reader may come later than a writer. */
export const keep = <State>(
  entry: { aggregate: Aggregate<State> | null },
  aggregate: Aggregate<State>,
): void => {
  const { aggregate: kept } = entry;
  if (kept?.stream === aggregate.stream && kept.version >= aggregate.version) return;
  entry.aggregate = aggregate;
};

/** Loads the aggregate of a key from its newest snapshot and the events after it. */
export const load = async <State, Command, E extends Event>(
  { log, decider: { fold }, locate, unknownKey }: Loading<State, Command, E>,
  key: string,
  entry: CacheEntry<State, Command, E>,
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
  entry.snapshotVersion = start.version;
  const aggregate = await refresh({ log, decider: { fold } }, start);
  keep(entry, aggregate);
  return aggregate;
};

/** Reads the events after an aggregate and folds them onto it. */
export const refresh = async <State, Command, E extends Event>(
  {
    log,
    decider,
  }: {
    readonly log: Pick<EventLog, 'read'>;
    readonly decider: Pick<Decider<State, Command, E>, 'fold'>;
  },
  aggregate: Aggregate<State>,
): Promise<Aggregate<State>> => {
  const tail = await log.read<E>(aggregate.stream, { from: aggregate.version + 1n });
  return foldTail(decider.fold, aggregate, tail);
};

export const snapshotWhenDue = <State, Command, E extends Event>(
  { log, decider }: Pick<Loading<State, Command, E>, 'log' | 'decider'>,
  entry: CacheEntry<State, Command, E>,
  snapshotEvery: number,
): void => {
  const { aggregate } = entry;
  if (aggregate === null) return;
  const { stream, version, hash, state } = aggregate;
  if (version - entry.snapshotVersion < BigInt(snapshotEvery)) return;
  entry.snapshotVersion = version;
  const stored = { version, state: { hash, json: decider.fold.toJson(state) } };
  // A failure only costs reading: without the snapshot a process that starts folds a longer tail.
  entry.snapshotting = log.saveSnapshot(stream, decider.fold.version, stored).catch(() => {});
};

/** Removes the snapshots of a stream that was continued in another one. Every process that learns of it does so. */
export const removeSnapshots = <State, Command, E extends Event>(
  log: Pick<EventLog, 'forgetSnapshots'>,
  entry: CacheEntry<State, Command, E>,
  stream: string,
): void => {
  // A failure leaves a row that nobody reads.
  void entry.snapshotting.then(() => log.forgetSnapshots(stream)).catch(() => {});
};
