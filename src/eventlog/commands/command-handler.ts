import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import { LRUCache } from 'lru-cache';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import {
  type Append,
  type AppendOutcome,
  type EventLog,
  isAppended,
  type NewEvent,
  type RecordedEvent,
} from '../event-log.ts';
import { genesisHash } from '../hash-chain.ts';
import { ConcurrencyError, commandQueue, type QueuedCommand } from './command-queue.ts';
import {
  type Aggregate,
  type Decider,
  type Decision,
  decideBatch,
  type Fold,
  foldTail,
  type Plan,
} from './decide-batch.ts';

/*
 * Handles the commands of hot streams. In each process the commands of one key are decided one after the other on a
 * cached aggregate, and those that wait together are committed in one append (group commit), one group in flight per
 * key. Between processes the expected version of the append detects conflicts: the loser takes the stream's advisory
 * lock, reads the tail and decides again, for a bounded time. While another process writes to the stream as well, several
 * commands take the lock at once; Postgres grants it in the order of requests, so that both make progress. A lone command
 * reads the tail first instead, and so shares its transaction with commands of other streams. A refusal is checked against
 * the stream's version before the caller gets it, so that no command is refused on a stale state.
 */

type CommandHandlerOptions<State, Command, E extends Event> = StateLoaderDeps<State, Command, E> & {
  readonly clock: Clock;
  /** Events in one append at most, as far as the ids of its commands tell; 512. */
  readonly maxGroupEvents?: number;
  /** Commands that wait for one key at most; 10,000. */
  readonly maxWaiting?: number;
  /** Events between two snapshots; 1,000. */
  readonly snapshotEvery?: number;
  /** How long a command is tried again after conflicts with other processes; 2,000 ms. */
  readonly timeoutMs?: number;
};

/** Keys whose aggregate is cached; the one used least recently is evicted first. */
const maxKeys = 10_000;

export type CommandHandler<State, Command, E extends Event> = {
  run(key: string, command: Command): Promise<CommandResult<State, E>>;
  /**
   * The state of a key; `fresh` reads the stream's tail, otherwise the cached state is returned. With `withinMs` a state
   * that was the newest so long ago is fresh, and one reader for all of a process looks again.
   */
  peek(key: string, options?: { readonly fresh?: boolean; readonly withinMs?: number }): Promise<Readonly<State>>;
};

/** One command handler per kind of stream and process, see the head of this file. */
export const commandHandler = <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
): CommandHandler<State, Command, E> => {
  const { log, decider, maxWaiting = 10_000, maxGroupEvents = 512 } = options;
  const cache = new LRUCache<string, CachedAggregate<State>>({ max: maxKeys });
  const cachedOf = (key: string): CachedAggregate<State> => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const cached = uncached<State>();
    cache.set(key, cached);
    return cached;
  };
  const enqueue = commandQueue<IdentifiedCommand<Command>, CommandResult<State, E>>({
    maxWaiting,
    takeGroup: (waiting) => takeGroup(waiting, maxGroupEvents),
    handle: (key, group) => commitGroup(options, key, cachedOf(key), group),
  });

  return {
    run: (key, command) => enqueue(key, { command, ids: decider.idsOf(command) }),
    peek: async (key, { fresh = false, withinMs = 0 } = {}) => {
      const cached = cachedOf(key);
      const { aggregate } = cached;
      const nowMs = elapsedMs();
      if (aggregate !== null && (!fresh || nowMs - cached.askedAtMs < withinMs)) return aggregate.state;
      cached.askedAtMs = nowMs;
      const newest =
        aggregate === null ? await load(options, key, cached) : await newestOf(log, decider.fold, aggregate);
      if (decider.continuedIn(newest.state) !== null) {
        cached.aggregate = null;
        return (await load(options, key, cached)).state;
      }
      keep(cached, newest);
      return newest.state;
    },
  };
};

/** The first waiting commands, as many as fit into one append; always one. */
const takeGroup = <One extends { readonly command: Pick<IdentifiedCommand<unknown>, 'ids'> }>(
  waiting: One[],
  maxEvents: number,
): readonly One[] => {
  let events = 0;
  const rest = waiting.findIndex(({ command: { ids } }, index) => {
    events += Math.max(1, ids.length);
    return index > 0 && events > maxEvents;
  });
  return waiting.splice(0, rest === -1 ? waiting.length : rest);
};

/** Decides and commits one group; answers every command of it, or throws. */
const commitGroup = async <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
  key: string,
  cached: CachedAggregate<State>,
  group: readonly WaitingCommand<State, Command, E>[],
): Promise<void> => {
  const { log, decider, clock, snapshotEvery = 1_000, timeoutMs = 2_000 } = options;
  let deadline = elapsedMs() + timeoutMs;
  const known = new Set<string>();
  let open = group;
  let isLocked = isShared(cached) && group.length > 1;
  let failure: unknown = null;

  while (open.length > 0) {
    // After an append of unknown outcome its error is the answer: something of the group may be in the log.
    if (elapsedMs() > deadline) throw failure ?? new ConcurrencyError(`conflicts on ${key}`);
    const startedMs = elapsedMs();
    const wasShared = isShared(cached);
    const aggregate = await aggregateFor(options, key, cached, isLocked);
    const commands = open.map(({ command }) => command.command);
    const decide = (base: Aggregate<State>) => decideBatch(decider, base, commands, known, clock());
    const attempt = isLocked ? attemptLocked(options, aggregate, decide) : attemptOptimistic(log, aggregate, decide);
    const result = await attempt.catch((error: unknown) => {
      cached.aggregate = null;
      if (failure !== null) throw error;
      failure = error;
      return null;
    });
    if (result === null) {
      // The outcome of the append is unknown, for example after a lost connection. One more attempt finds it out by
      // the event ids, however long the first one took.
      deadline = elapsedMs() + timeoutMs;
      isLocked = true;
      continue;
    }
    const { plan, outcomes, isCurrent } = result;
    if (result.isShared) cached.sharedAtMs = startedMs;
    else if (isLocked) cached.sharedAtMs = never;
    if (!isCurrent) {
      for (const id of idsInLog(plan, outcomes)) known.add(id);
      // A lone command that had not read the tail yet does so before it takes the lock.
      isLocked ||= wasShared || open.length > 1;
      cached.aggregate = aggregate;
      continue;
    }
    cached.aggregate = plan.kind === 'moved' ? null : plan.next;
    cached.askedAtMs = startedMs;
    if (plan.kind !== 'batch') {
      cached.snapshotVersion = 0n;
      removeSnapshots(log, cached, aggregate.stream);
      continue;
    }
    snapshotWhenDue(log, decider.fold, cached, snapshotEvery);
    open = await answerCommands(log, open, { plan, outcomes, known });
  }
};

/** `isCurrent`: the state decided on was the newest, and the events of the plan are in the log. */
type Attempt<State, E extends Event> = {
  readonly plan: Plan<State, E>;
  readonly outcomes: readonly AppendOutcome[];
  readonly isCurrent: boolean;
  /** Another process has written to the stream since the cached version. */
  readonly isShared: boolean;
};

/** Decides on the cached aggregate; the append fails when its version is not the newest. */
const attemptOptimistic = async <State, E extends Event>(
  log: EventLog,
  aggregate: Aggregate<State>,
  decide: (base: Aggregate<State>) => Plan<State, E>,
): Promise<Attempt<State, E>> => {
  const plan = decide(aggregate);
  const outcomes = plan.appends.length === 0 ? [] : await log.append(plan.appends);
  // Without an append nothing has checked that the aggregate is the newest.
  const isCurrent =
    outcomes.length === 0 ? (await log.versionOf(aggregate.stream)) === aggregate.version : outcomes.every(isAppended);
  return { plan, outcomes, isCurrent, isShared: !isCurrent };
};

/** Decides on the newest events under the stream's lock. */
const attemptLocked = async <State, Command, E extends Event>(
  { log, decider }: Pick<CommandHandlerOptions<State, Command, E>, 'log' | 'decider'>,
  aggregate: Aggregate<State>,
  decide: (base: Aggregate<State>) => Plan<State, E>,
): Promise<Attempt<State, E>> => {
  const decisions: { plan: Plan<State, E>; isShared: boolean }[] = [];
  const { stream, version } = aggregate;
  const onTail = (tail: readonly RecordedEvent<E>[]): readonly Append[] => {
    const plan = decide(foldTail(decider.fold, aggregate, tail));
    decisions.push({ plan, isShared: tail.length > 0 });
    return plan.appends;
  };
  const outcomes = await log.appendLocked<E>(stream, version + 1n, onTail);
  const last = decisions.at(-1);
  assert(last !== undefined, 'the log calls decide before it appends');
  return { ...last, outcomes, isCurrent: outcomes.every(isAppended) };
};

/** The ids of a plan that the log had before. */
const idsInLog = <State, E extends Event>(
  { appends }: Plan<State, E>,
  outcomes: readonly AppendOutcome[],
): readonly string[] =>
  outcomes.flatMap((outcome, index) => {
    if (outcome.outcome === 'conflict') return outcome.existingIds;
    return (appends[index]?.events ?? []).map(({ id }) => id);
  });

type StateLoaderDeps<State, Command, E extends Event> = {
  readonly log: EventLog;
  readonly decider: Decider<State, Command, E>;
  /** The newest stream of a key, or null when it has none. */
  readonly locate: (key: string) => Promise<string | null>;
  /** The error for a key that has no stream. */
  readonly unknownKey: (key: string) => Error;
};

/** What this process keeps of one key. */
type CachedAggregate<State> = {
  /** Null: to be loaded. */
  aggregate: Aggregate<State> | null;
  snapshotVersion: bigint;
  /** When this process last saw that another one had written to the stream. */
  sharedAtMs: number;
  /** When the newest version was last asked for. */
  askedAtMs: number;
  /** Settles with the snapshot write begun last, which must not come after the removal of snapshots. */
  snapshotting: Promise<unknown>;
};

const uncached = <State>(): CachedAggregate<State> => ({
  aggregate: null,
  snapshotVersion: 0n,
  sharedAtMs: never,
  askedAtMs: never,
  snapshotting: Promise.resolve(),
});

const never = Number.NEGATIVE_INFINITY;
/** So long after an event of another process its next one is expected (ms). */
const sharedForMs = 10_000;

const isShared = ({ sharedAtMs }: Pick<CachedAggregate<unknown>, 'sharedAtMs'>): boolean =>
  elapsedMs() - sharedAtMs < sharedForMs;

/** What to decide on: the cached aggregate, brought up to date where another process writes to the stream and no lock is taken. */
const aggregateFor = async <State, Command, E extends Event>(
  options: StateLoaderDeps<State, Command, E>,
  key: string,
  cached: CachedAggregate<State>,
  isLocked: boolean,
): Promise<Aggregate<State>> => {
  const { aggregate } = cached;
  if (aggregate === null) return await load(options, key, cached);
  if (isLocked || !isShared(cached)) return aggregate;
  const newest = await readTail(options.log, options.decider.fold, aggregate).catch((error: unknown) => {
    // An event that this program cannot read: nothing is answered from a state before it.
    cached.aggregate = null;
    throw error;
  });
  if (newest.version > aggregate.version) cached.sharedAtMs = elapsedMs();
  return newest;
};

/** Keeps an aggregate unless a newer one is there: a reader may come later than a writer. */
const keep = <State>(cached: CachedAggregate<State>, aggregate: Aggregate<State>): void => {
  const { aggregate: kept } = cached;
  if (kept?.stream === aggregate.stream && kept.version >= aggregate.version) return;
  cached.aggregate = aggregate;
};

/** Loads the aggregate of a key from its newest snapshot and the events after it. */
const load = async <State, Command, E extends Event>(
  { log, decider: { fold }, locate, unknownKey }: StateLoaderDeps<State, Command, E>,
  key: string,
  cached: CachedAggregate<State>,
): Promise<Aggregate<State>> => {
  const stream = await locate(key);
  if (stream === null) throw unknownKey(key);
  const snapshot = await log.loadSnapshot<{ hash: string; json: unknown }>(stream, fold.version);
  const start: Aggregate<State> =
    snapshot === null
      ? { stream, version: 0n, hash: genesisHash, state: fold.initialState() }
      : { stream, version: snapshot.version, hash: snapshot.state.hash, state: fold.fromJson(snapshot.state.json) };
  cached.snapshotVersion = start.version;
  const aggregate = await readTail(log, fold, start);
  keep(cached, aggregate);
  return aggregate;
};

/** The aggregate as it is now. Its version is asked for first, in one query for all who ask at the time: it seldom changed. */
const newestOf = async <State, E extends Event>(
  log: Pick<EventLog, 'read' | 'versionOf'>,
  fold: Fold<State, E>,
  aggregate: Aggregate<State>,
): Promise<Aggregate<State>> =>
  (await log.versionOf(aggregate.stream)) === aggregate.version ? aggregate : await readTail(log, fold, aggregate);

/** Reads the events after an aggregate and folds them onto it. */
const readTail = async <State, E extends Event>(
  log: Pick<EventLog, 'read'>,
  fold: Fold<State, E>,
  aggregate: Aggregate<State>,
): Promise<Aggregate<State>> => {
  const tail = await log.read<E>(aggregate.stream, { from: aggregate.version + 1n });
  return foldTail(fold, aggregate, tail);
};

const snapshotWhenDue = <State, E extends Event>(
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
const removeSnapshots = <State>(
  log: Pick<EventLog, 'forgetSnapshots'>,
  cached: CachedAggregate<State>,
  stream: string,
): void => {
  // A failure leaves a row that nobody reads.
  void cached.snapshotting.then(() => log.forgetSnapshots(stream)).catch(() => {});
};

/** The result of a command. */
export type CommandResult<State, E extends Event> = {
  /** The command's events as they are in the log; those of the first time where it is a repeat. */
  readonly events: readonly NewEvent<E>[];
  readonly isRepeat: boolean;
  readonly lastPosition: bigint;
  /** The state after the whole batch: for reading, not for deciding. */
  readonly state: Readonly<State>;
};

/** A command with the ids of the events it causes, by which a repeat of it is recognized. */
type IdentifiedCommand<Command> = { readonly command: Command; readonly ids: readonly string[] };

type WaitingCommand<State, Command, E extends Event> = QueuedCommand<
  IdentifiedCommand<Command>,
  CommandResult<State, E>
>;

/**
 * Answers the commands of a batch whose plan is in the log, and returns those that must be decided again with more
 * `known` ids. Commands whose events were written now are answered before any repeat is looked up.
 */
const answerCommands = async <State, Command, E extends Event>(
  log: Pick<EventLog, 'readById'>,
  batch: readonly WaitingCommand<State, Command, E>[],
  {
    plan: { decisions, next },
    outcomes: [outcome],
    known,
  }: { readonly plan: Plan<State, E>; readonly outcomes: readonly AppendOutcome[]; readonly known: Set<string> },
): Promise<readonly WaitingCommand<State, Command, E>[]> => {
  const { state } = next;
  const lastPosition = outcome?.outcome === 'appended' ? outcome.lastPosition : 0n;
  const written = new Map<string, NewEvent<E>>();
  const toLookUp: (readonly [WaitingCommand<State, Command, E>, Decision<E>])[] = [];
  for (const [at, decision] of decisions.entries()) {
    const waiting = batch[at];
    if (waiting === undefined) continue;
    const events = decision.isRefused ? [] : decision.events;
    for (const event of events) written.set(event.id, event);
    if (decision.isRefused || events.length < waiting.command.ids.length) {
      toLookUp.push([waiting, decision]);
    } else {
      waiting.resolve({ events, isRepeat: events.length === 0, lastPosition, state });
    }
  }

  const again: WaitingCommand<State, Command, E>[] = [];
  // Added to `known` at the end: every one of several repeats of a command has to find its ids new in this round.
  const found = new Set<string>();
  for (const [waiting, decision] of toLookUp) {
    const events = await readEvents(log, waiting.command.ids, written);
    if (!decision.isRefused) {
      waiting.resolve({ events, isRepeat: decision.events.length === 0, lastPosition, state });
    } else if (events.some(({ id }) => !known.has(id))) {
      for (const { id } of events) found.add(id);
      again.push(waiting);
    } else waiting.reject(decision.error);
  }
  for (const id of found) known.add(id);
  return again;
};

const readEvents = async <E extends Event>(
  log: Pick<EventLog, 'readById'>,
  ids: readonly string[],
  written: ReadonlyMap<string, NewEvent<E>>,
): Promise<readonly NewEvent<E>[]> => {
  const found: (NewEvent<E> | null)[] = [];
  for (const id of ids) found.push(written.get(id) ?? (await log.readById<E>(id)));
  return found.filter((event) => event !== null);
};
