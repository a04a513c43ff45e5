import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import { LRUCache } from 'lru-cache';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import type { Append, AppendOutcome, EventLog, RecordedEvent } from '../event-log.ts';
import {
  type CachedAggregate,
  keep,
  type Loading,
  load,
  readTail,
  removeSnapshots,
  snapshotWhenDue,
  uncached,
} from './aggregate-cache.ts';
import {
  answerCommands,
  type CommandResult,
  type IdentifiedCommand,
  type WaitingCommand,
} from './answer-commands.ts';
import { ConcurrencyError, commandQueue } from './command-queue.ts';
import { type Aggregate, decideBatch, foldTail, type Plan } from './decide-batch.ts';

/*
 * Handles the commands of hot streams. In each process the commands of one key are decided one after the other on a
 * cached aggregate, and those that wait together are committed in one append (group commit), one group in flight per
 * key. Between processes the expected version of the append detects conflicts: the loser takes the stream's advisory
 * lock, reads the tail and decides again, for a bounded time. While another process writes to the stream as well, the
 * lock is taken at once; Postgres grants it in the order of requests, so that both make progress. A refusal is checked
 * against the stream's version before the caller gets it, so that no command is refused on a stale state.
 */

export type CommandHandlerOptions<State, Command, E extends Event> = Loading<State, Command, E> & {
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
  /** The state of a key; `fresh` reads the stream's tail, otherwise the cached state is returned. */
  peek(key: string, options?: { readonly fresh?: boolean }): Promise<Readonly<State>>;
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
    peek: async (key, { fresh = false } = {}) => {
      const cached = cachedOf(key);
      const { aggregate } = cached;
      if (aggregate !== null && !fresh) return aggregate.state;
      const newest =
        aggregate === null
          ? await load(options, key, cached)
          : await readTail(log, decider.fold, aggregate);
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
  let isLocked = cached.isShared;
  let failure: unknown = null;

  while (open.length > 0) {
    // After an append of unknown outcome its error is the answer: something of the group may be in the log.
    if (elapsedMs() > deadline) throw failure ?? new ConcurrencyError(`conflicts on ${key}`);
    const aggregate = cached.aggregate ?? (await load(options, key, cached));
    const commands = open.map(({ command }) => command.command);
    const decide = (base: Aggregate<State>) => decideBatch(decider, base, commands, known, clock());
    const attempt = isLocked
      ? attemptLocked(options, aggregate, decide)
      : attemptOptimistic(log, aggregate, decide);
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
    cached.isShared = result.isShared;
    if (!isCurrent) {
      for (const id of idsInLog(plan, outcomes)) known.add(id);
      isLocked = true;
      cached.aggregate = aggregate;
      continue;
    }
    cached.aggregate = plan.kind === 'moved' ? null : plan.next;
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
    outcomes.length === 0
      ? (await log.versionOf(aggregate.stream)) === aggregate.version
      : outcomes.every(isAppended);
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

const isAppended = ({ outcome }: AppendOutcome): boolean => outcome === 'appended';

/** The ids of a plan that the log had before. */
const idsInLog = <State, E extends Event>(
  { appends }: Plan<State, E>,
  outcomes: readonly AppendOutcome[],
): readonly string[] =>
  outcomes.flatMap((outcome, index) => {
    if (outcome.outcome === 'conflict') return outcome.existingIds;
    return (appends[index]?.events ?? []).map(({ id }) => id);
  });
