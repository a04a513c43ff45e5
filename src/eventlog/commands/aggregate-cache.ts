import type { Event } from '@event-driven-io/emmett';
import type { Clock } from '../../kernel/clock.ts';
import type { EventLog } from '../event-log.ts';
import { genesisHash } from '../hash-chain.ts';
import type { Waiting } from './command-results.ts';
import { type Decider, folded, type Held } from './decide-batch.ts';
import type { Flow } from './pipelined-groups.ts';

export type CommandHandlerOptions<State, Command, E extends Event> = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly decider: Decider<State, Command, E>;
  /** The newest stream of a key, or null when it has none. */
  readonly locate: (key: string) => Promise<string | null>;
  /** Thrown for a key that has no stream. */
  readonly unknownKey: (key: string) => Error;
  /** Commands that one append takes at most, and events as far as the ids of its commands tell. */
  readonly maxGroup?: number;
  readonly maxGroupEvents?: number;
  /** Commands that wait for one key at most. */
  readonly maxWaiting?: number;
  /** Keys whose state is kept; the one that is idle longest is forgotten first. */
  readonly maxKeys?: number;
  readonly snapshotEvery?: number;
  /** How long a command tries against the writers of other processes. */
  readonly patienceMs?: number;
};

/** What this process knows of one key. */
export type Slot<State, Command, E extends Event> = {
  held: Held<State> | null;
  snapshotVersion: bigint;
  isRunning: boolean;
  /** Groups that are sent before the ones before them are answered. */
  flow: Flow<State, Command, E> | null;
  /** So many groups ask for their turn at once: another process has written to the stream not long ago. */
  turnsLeft: number;
  /** Ends with the snapshot that was begun last: what it writes must not come after its removal. */
  snapshotting: Promise<unknown>;
  readonly waiting: Waiting<State, Command, E>[];
};

export const newSlot = <State, Command, E extends Event>(): Slot<State, Command, E> => ({
  held: null,
  snapshotVersion: 0n,
  isRunning: false,
  flow: null,
  turnsLeft: 0,
  snapshotting: Promise.resolve(),
  waiting: [],
});

export const forgetOneIdle = <S extends { readonly isRunning: boolean }>(
  slots: Map<string, S>,
): void => {
  for (const [key, slot] of slots) {
    if (slot.isRunning) continue;
    slots.delete(key);
    return;
  }
};

/** A reader may come later than a writer that knows more. */
export const keep = <State>(slot: { held: Held<State> | null }, held: Held<State>): void => {
  const known = slot.held;
  if (known !== null && known.stream === held.stream && known.version >= held.version) return;
  slot.held = held;
};

export const load = async <State, Command, E extends Event>(
  { log, decider, locate, unknownKey }: CommandHandlerOptions<State, Command, E>,
  key: string,
  slot: Slot<State, Command, E>,
): Promise<Held<State>> => {
  const { fold } = decider;
  const stream = await locate(key);
  if (stream === null) throw unknownKey(key);
  const snapshot = await log.loadSnapshot<{ hash: string; json: unknown }>(stream, fold.version);
  const start: Held<State> =
    snapshot === null
      ? { stream, version: 0n, hash: genesisHash, state: fold.initialState() }
      : {
          stream,
          version: snapshot.version,
          hash: snapshot.state.hash,
          state: fold.fromJson(snapshot.state.json),
        };
  slot.snapshotVersion = start.version;
  const held = folded(fold, start, await log.read<E>(stream, { from: start.version + 1n }));
  keep(slot, held);
  return held;
};

export const caughtUp = async <State, Command, E extends Event>(
  { log, decider }: CommandHandlerOptions<State, Command, E>,
  held: Held<State>,
): Promise<Held<State>> =>
  folded(decider.fold, held, await log.read<E>(held.stream, { from: held.version + 1n }));

export const snapshotWhenDue = <State, Command, E extends Event>(
  { log, decider, snapshotEvery = 1_000 }: CommandHandlerOptions<State, Command, E>,
  slot: Slot<State, Command, E>,
): void => {
  const { held } = slot;
  if (held === null || held.version - slot.snapshotVersion < BigInt(snapshotEvery)) return;
  slot.snapshotVersion = held.version;
  const state = { hash: held.hash, json: decider.fold.toJson(held.state) };
  // A snapshot only saves reading: without it the next process folds a longer tail.
  slot.snapshotting = log
    .saveSnapshot(held.stream, decider.fold.version, { version: held.version, state })
    .catch(() => {});
};

/** A stream that was continued in another one is not decided on again: every process that learns of it tidies up. */
export const forgetSnapshots = <State, Command, E extends Event>(
  { log }: CommandHandlerOptions<State, Command, E>,
  slot: Slot<State, Command, E>,
  stream: string,
): void => {
  // What is left costs a row and is read by nobody.
  void slot.snapshotting.then(() => log.forgetSnapshots(stream)).catch(() => {});
};
