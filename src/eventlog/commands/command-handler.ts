import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import { type Clock, elapsedMs } from '../../kernel/clock.ts';
import type { Append, AppendOutcome, EventLog, RecordedEvent } from '../event-log.ts';
import {
  aggregateCache,
  type CacheEntry,
  keep,
  load,
  refresh,
  removeSnapshots,
  snapshotWhenDue,
} from './aggregate-cache.ts';
import {
  type Aggregate,
  answerBatch,
  type CommandResult,
  type Decider,
  decideBatch,
  foldTail,
  type Plan,
  type WaitingCommand,
} from './decide-batch.ts';

/*
 * Handles the commands of hot streams. In each process the commands of one key are decided one after the other on a
 * cached aggregate, and those that wait together are committed in one append (group commit), one group in flight per
 * key. Between processes the expected version of the append detects conflicts: the loser takes the stream's advisory
 * lock, reads the tail and decides again, for a bounded time. While another process writes to the stream as well, the
 * lock is taken at once; Postgres grants it in the order of requests, so that both make progress. A refusal is checked
 * against the stream's version before the caller gets it, so that no command is refused on a stale state.
 */

export type CommandHandlerOptions<State, Command, E extends Event> = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly decider: Decider<State, Command, E>;
  /** The newest stream of a key, or null when it has none. */
  readonly locate: (key: string) => Promise<string | null>;
  /** The error for a key that has no stream. */
  readonly unknownKey: (key: string) => Error;
  /** Commands in one append at most; 512. */
  readonly maxGroup?: number;
  /** Events in one append at most, as far as the ids of its commands tell; 2,000. */
  readonly maxGroupEvents?: number;
  /** Commands that wait for one key at most; 10,000. */
  readonly maxWaiting?: number;
  /** Keys whose aggregate is cached; the one used least recently is evicted first; 10,000. */
  readonly maxKeys?: number;
  /** Events between two snapshots; 1,000. */
  readonly snapshotEvery?: number;
  /** How long a command is tried again after conflicts with other processes; 2,000 ms. */
  readonly timeoutMs?: number;
};

/** Too many commands wait for one key, or conflicts with other processes lasted too long: try again later. */
export class ConcurrencyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConcurrencyError';
  }
}

export type CommandHandler<State, Command, E extends Event> = {
  run(key: string, command: Command): Promise<CommandResult<State, E>>;
  /** The state of a key; `fresh` reads the stream's tail, otherwise the cached state is returned. */
  peek(key: string, options?: { readonly fresh?: boolean }): Promise<Readonly<State>>;
};

/** One command handler per kind of stream and process, see the head of this file. */
export const commandHandler = <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
): CommandHandler<State, Command, E> => {
  const { decider, maxKeys = 10_000, maxWaiting = 10_000 } = options;
  const { entryOf } = aggregateCache<State, Command, E>(maxKeys);

  const drain = async (key: string, entry: CacheEntry<State, Command, E>): Promise<void> => {
    while (entry.waiting.length > 0) {
      const group = takeGroup(options, entry.waiting);
      try {
        await commitGroup(options, key, entry, group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    entry.isRunning = false;
  };

  return {
    run: (key, command) => {
      const entry = entryOf(key);
      if (entry.waiting.length >= maxWaiting) {
        return Promise.reject(new ConcurrencyError(`${maxWaiting} commands wait for ${key}`));
      }
      return new Promise((resolve, reject) => {
        entry.waiting.push({ command, ids: decider.idsOf(command), resolve, reject });
        if (entry.isRunning) return;
        entry.isRunning = true;
        // The commands of one event loop turn form one group.
        setImmediate(() => void drain(key, entry));
      });
    },
    peek: async (key, { fresh = false } = {}) => {
      const entry = entryOf(key);
      const cached = entry.aggregate;
      if (cached !== null && !fresh) return cached.state;
      const aggregate =
        cached === null ? await load(options, key, entry) : await refresh(options, cached);
      if (decider.continuedIn(aggregate.state) !== null) {
        entry.aggregate = null;
        return (await load(options, key, entry)).state;
      }
      keep(entry, aggregate);
      return aggregate.state;
    },
  };
};

const takeGroup = <State, Command, E extends Event>(
  {
    maxGroup = 512,
    maxGroupEvents = 2_000,
  }: Pick<CommandHandlerOptions<State, Command, E>, 'maxGroup' | 'maxGroupEvents'>,
  waiting: WaitingCommand<State, Command, E>[],
): readonly WaitingCommand<State, Command, E>[] => {
  let events = 0;
  const rest = waiting.findIndex(({ ids }, index) => {
    events += ids.length;
    return index === maxGroup || (index > 0 && events > maxGroupEvents);
  });
  return waiting.splice(0, rest === -1 ? waiting.length : rest);
};

/** Decides and commits one group; answers every command of it, or throws. */
const commitGroup = async <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
  key: string,
  entry: CacheEntry<State, Command, E>,
  group: readonly WaitingCommand<State, Command, E>[],
): Promise<void> => {
  const { log, decider, clock, snapshotEvery = 1_000, timeoutMs = 2_000 } = options;
  let deadline = elapsedMs() + timeoutMs;
  const known = new Set<string>();
  let open = group;
  let isLocked = entry.isShared;
  let failure: unknown = null;

  while (open.length > 0) {
    // After an append of unknown outcome its error is the answer: something of the group may be in the log.
    if (elapsedMs() > deadline) throw failure ?? new ConcurrencyError(`conflicts on ${key}`);
    const aggregate = entry.aggregate ?? (await load(options, key, entry));
    const commands = open.map(({ command }) => command);
    const decide = (base: Aggregate<State>) => decideBatch(decider, base, commands, known, clock());
    const attempt = isLocked
      ? attemptLocked(options, aggregate, decide)
      : attemptOptimistic(options, aggregate, decide);
    const result = await attempt.catch((error: unknown) => {
      entry.aggregate = null;
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
    for (const id of result.existingIds) known.add(id);
    entry.isShared = result.isShared;
    if (!result.isCurrent) {
      isLocked = true;
      entry.aggregate = aggregate;
      continue;
    }
    const { kind, next } = result.plan;
    entry.aggregate = kind === 'moved' ? null : next;
    if (kind === 'roll_over') entry.snapshotVersion = 0n;
    if (kind !== 'batch') {
      removeSnapshots(log, entry, aggregate.stream);
      continue;
    }
    snapshotWhenDue(options, entry, snapshotEvery);
    open = await answerBatch(log, open, result, known);
  }
};

type Attempt<State, Command, E extends Event> = {
  readonly plan: Plan<State, Command, E>;
  /** The state decided on was the newest, and the events of the plan are in the log. */
  readonly isCurrent: boolean;
  /** Another process has written to the stream since the cached version. */
  readonly isShared: boolean;
  readonly existingIds: readonly string[];
  readonly lastPosition: bigint;
};

/** Decides on the cached aggregate; the append fails when its version is not the newest. */
const attemptOptimistic = async <State, Command, E extends Event>(
  { log }: Pick<CommandHandlerOptions<State, Command, E>, 'log'>,
  aggregate: Aggregate<State>,
  decide: (base: Aggregate<State>) => Plan<State, Command, E>,
): Promise<Attempt<State, Command, E>> => {
  const plan = decide(aggregate);
  if (plan.appends.length > 0) {
    const outcome = resultOf(plan, await log.append(plan.appends));
    return { ...outcome, isShared: !outcome.isCurrent };
  }
  // Without an append nothing has checked that the aggregate is the newest.
  const isCurrent = (await log.versionOf(aggregate.stream)) === aggregate.version;
  return { plan, isCurrent, isShared: !isCurrent, existingIds: [], lastPosition: 0n };
};

/** Decides on the newest events under the stream's lock. */
const attemptLocked = async <State, Command, E extends Event>(
  { log, decider }: Pick<CommandHandlerOptions<State, Command, E>, 'log' | 'decider'>,
  aggregate: Aggregate<State>,
  decide: (base: Aggregate<State>) => Plan<State, Command, E>,
): Promise<Attempt<State, Command, E>> => {
  const decisions: { plan: Plan<State, Command, E>; isShared: boolean }[] = [];
  const { stream, version } = aggregate;
  const onTail = (tail: readonly RecordedEvent<E>[]): readonly Append[] => {
    const plan = decide(foldTail(decider.fold, aggregate, tail));
    decisions.push({ plan, isShared: tail.length > 0 });
    return plan.appends;
  };
  const outcomes = await log.appendLocked<E>(stream, version + 1n, onTail);
  const last = decisions.at(-1);
  assert(last !== undefined, 'the log calls decide before it appends');
  return { ...resultOf(last.plan, outcomes), isShared: last.isShared };
};

const resultOf = <State, Command, E extends Event>(
  plan: Plan<State, Command, E>,
  outcomes: readonly AppendOutcome[],
): Omit<Attempt<State, Command, E>, 'isShared'> => {
  const isCurrent = outcomes.every(({ outcome }) => outcome === 'appended');
  const isDuplicate = outcomes.every(({ outcome }) => outcome === 'duplicate');
  const existingIds = outcomes.flatMap((outcome, index) => {
    if (outcome.outcome === 'conflict') return outcome.existingIds;
    return isDuplicate ? (plan.appends[index]?.events ?? []).map(({ id }) => id) : [];
  });
  const lastPosition = outcomes.reduce(
    (last, outcome) =>
      outcome.outcome === 'appended' && outcome.lastPosition > last ? outcome.lastPosition : last,
    0n,
  );
  return { plan, isCurrent, existingIds, lastPosition };
};
