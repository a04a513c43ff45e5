import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import { elapsedMs } from '../../kernel/clock.ts';
import type { Append, AppendOutcome, RecordedEvent } from '../event-log.ts';
import {
  type CommandHandlerOptions,
  caughtUp,
  forgetOneIdle,
  forgetSnapshots,
  keep,
  load,
  newSlot,
  type Slot,
  snapshotWhenDue,
} from './aggregate-cache.ts';
import { answered, type Done, type Waiting } from './command-results.ts';
import { folded, type Held, type Plan, planned } from './decide-batch.ts';
import { flowing, type NotTaken, type Pace, smallestFlow } from './pipelined-groups.ts';

export type { CommandHandlerOptions, Done };

/*
 * One decider per key in each process: commands on one hot stream are decided one after the other on a folded
 * state that stays in memory, and those that wait together are committed in one append (group commit); where many
 * wait, one group is decided while the one before commits (`serial-flow.ts`). Between
 * processes the exact version decides; the loser asks for its turn on the stream, reads the tail and decides again,
 * for a bounded time. While others write between its turns it asks at once: turns come in the order of asking, so
 * writers in two processes go one after the other. Nobody is refused on a stale state: a refusal is checked against
 * the stream's tail first.
 */

/** Too many wait for one key, or the writers of another process would not let us through: try again later. */
export class ConcurrencyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConcurrencyError';
  }
}

export type CommandHandler<State, Command, E extends Event> = {
  run(key: string, command: Command): Promise<Done<State, E>>;
  /** The state of a key now; `fresh` reads the stream's tail, else what this process knows is enough. */
  peek(key: string, options?: { readonly fresh?: boolean }): Promise<Readonly<State>>;
};

/** So many turns without events of others until this process takes itself for the only writer: fewer are chance. */
const lonelyTurns = 4;

/** One decider per key of this process, see the head of this file. */
export const commandHandler = <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
): CommandHandler<State, Command, E> => {
  const { maxKeys = 10_000, maxWaiting = 10_000 } = options;
  const slots = new Map<string, Slot<State, Command, E>>();
  const pace: Pace = { ratio: 0 };

  const slotOf = (key: string): Slot<State, Command, E> => {
    const slot = slots.get(key) ?? newSlot<State, Command, E>();
    slots.delete(key);
    slots.set(key, slot);
    if (slots.size > maxKeys) forgetOneIdle(slots);
    return slot;
  };

  const settle = async (
    key: string,
    slot: Slot<State, Command, E>,
    group: readonly Waiting<State, Command, E>[],
    failed?: { readonly error: unknown },
  ): Promise<void> => {
    try {
      await commit(options, key, slot, group, failed);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };

  const drain = async (key: string, slot: Slot<State, Command, E>): Promise<void> => {
    slot.isRunning = true;
    while (slot.waiting.length > 0) {
      for (const { group, error } of await flowed(options, slot, pace)) {
        await settle(key, slot, group, { error });
      }
      if (slot.waiting.length > 0) await settle(key, slot, nextGroup(options, slot.waiting));
    }
    slot.isRunning = false;
  };

  return {
    run: (key, command) => {
      const slot = slotOf(key);
      if (slot.waiting.length >= maxWaiting) {
        return Promise.reject(new ConcurrencyError(`${maxWaiting} commands wait for ${key}`));
      }
      return new Promise((resolve, reject) => {
        slot.waiting.push({ command, ids: options.decider.idsOf(command), resolve, reject });
        // The commands of this turn of the event loop go together.
        if (!slot.isRunning) {
          slot.isRunning = true;
          setImmediate(() => void drain(key, slot));
        } else slot.flow?.arrived();
      });
    },
    peek: async (key, { fresh = false } = {}) => {
      const slot = slotOf(key);
      const known = slot.held;
      if (known !== null && !fresh) return known.state;
      const held = known === null ? await load(options, key, slot) : await caughtUp(options, known);
      if (options.decider.continuedIn(held.state) !== null) {
        slot.held = null;
        return (await load(options, key, slot)).state;
      }
      keep(slot, held);
      return held.state;
    },
  };
};

/** Takes those that go into one append: it has a bound of events, and a command may cause many. */
const nextGroup = <State, Command, E extends Event>(
  {
    maxGroup = 512,
    maxGroupEvents = 2_000,
  }: Pick<CommandHandlerOptions<State, Command, E>, 'maxGroup' | 'maxGroupEvents'>,
  waiting: Waiting<State, Command, E>[],
  atMost = maxGroup,
): readonly Waiting<State, Command, E>[] => {
  let events = 0;
  const rest = waiting.findIndex(({ ids }, index) => {
    events += ids.length;
    return index === Math.min(maxGroup, atMost) || (index > 0 && events > maxGroupEvents);
  });
  return waiting.splice(0, rest === -1 ? waiting.length : rest);
};

/** Lets groups overlap while enough commands wait, no other process writes, and all goes well. */
const flowed = async <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
  slot: Slot<State, Command, E>,
  pace: Pace,
): Promise<readonly NotTaken<Waiting<State, Command, E>>[]> => {
  const { waiting, held } = slot;
  if (held === null || slot.turnsLeft > 0 || waiting.length < smallestFlow) return [];
  slot.flow = flowing({
    log: options.log,
    held,
    waiting,
    take: (atMost) => nextGroup(options, waiting, atMost),
    plan: (base, group) =>
      planned(
        options.decider,
        base,
        group.map(({ command }) => command),
        nothingKnown,
        options.clock(),
      ),
    onTaken: ({ next }) => {
      slot.held = next;
      snapshotWhenDue(options, slot);
    },
    pace,
  });
  const notTaken = await slot.flow.over;
  slot.flow = null;
  // What failed may be in the log, or not.
  if (notTaken.some(({ error }) => error !== null)) slot.held = null;
  return notTaken;
};

const nothingKnown: ReadonlySet<string> = new Set();

/** Decides and commits one group; every command of it is answered, or this throws. */
const commit = async <State, Command, E extends Event>(
  options: CommandHandlerOptions<State, Command, E>,
  key: string,
  slot: Slot<State, Command, E>,
  group: readonly Waiting<State, Command, E>[],
  failed?: { readonly error: unknown },
): Promise<void> => {
  const { log, decider, clock, patienceMs = 2_000 } = options;
  let givesUpAt = elapsedMs() + patienceMs;
  const known = new Set<string>();
  let open = group;
  let hasLost = slot.turnsLeft > 0 || failed !== undefined;
  let failure: unknown = failed?.error ?? null;

  while (open.length > 0) {
    // After a failure that was not found out about, it is not known that nothing was written.
    if (elapsedMs() > givesUpAt) throw failure ?? new ConcurrencyError(`other writers hold ${key}`);
    const held = slot.held ?? (await load(options, key, slot));
    const commands = open.map(({ command }) => command);
    const turns = { isLocked: hasLost, isLast: slot.turnsLeft <= 1 };
    const attempt: Promise<Tried<State, Command, E>> = attempted(options, held, turns, (base) =>
      planned(decider, base, commands, known, clock()),
    );
    const result = await attempt.catch((error: unknown) => {
      slot.held = null;
      if (failure !== null) throw error;
      failure = error;
      return null;
    });
    if (result === null) {
      // A connection broke and what the log did is unknown. The ids tell: one more try finds out, however
      // long the first one took.
      givesUpAt = elapsedMs() + patienceMs;
      hasLost = true;
      continue;
    }
    for (const id of result.existingIds) known.add(id);
    slot.turnsLeft = result.isShared ? lonelyTurns : Math.max(0, slot.turnsLeft - 1);
    if (!result.isCurrent) {
      hasLost = true;
      slot.held = held;
      continue;
    }
    slot.held = result.plan.kind === 'moved' ? null : result.plan.next;
    if (result.plan.kind === 'turn') slot.snapshotVersion = 0n;
    if (result.plan.kind !== 'group') {
      forgetSnapshots(options, slot, held.stream);
      continue;
    }
    snapshotWhenDue(options, slot);
    open = await answered(log, open, result, known);
  }
};

type Tried<State, Command, E extends Event> = {
  readonly plan: Plan<State, Command, E>;
  /** The state decided on was the newest, and what was decided is in the log. */
  readonly isCurrent: boolean;
  /** Others have written since the state that was held. */
  readonly isShared: boolean;
  readonly existingIds: readonly string[];
  readonly lastPosition: bigint;
};

/** One try: on the state this process holds, or, after a lost try, under the stream's lock. */
const attempted = async <State, Command, E extends Event>(
  { log, decider }: CommandHandlerOptions<State, Command, E>,
  held: Held<State>,
  { isLocked, isLast }: { readonly isLocked: boolean; readonly isLast: boolean },
  decide: (base: Held<State>) => Plan<State, Command, E>,
): Promise<Tried<State, Command, E>> => {
  if (isLocked) {
    const looks: { readonly plan: Plan<State, Command, E>; readonly isShared: boolean }[] = [];
    const deciding = (tail: readonly RecordedEvent<E>[]): readonly Append[] => {
      const plan = decide(folded(decider.fold, held, tail));
      looks.push({ plan, isShared: tail.length > 0 });
      return plan.appends;
    };
    const outcomes = await log.appendLocked<E>(held.stream, held.version + 1n, deciding, {
      // Who writes beside others stays in line: its callers come back sooner than its next turn.
      reacquireFrom: () => {
        const look = looks.at(-1);
        if (look === undefined || look.plan.kind !== 'group') return null;
        return look.isShared || !isLast ? look.plan.next.version + 1n : null;
      },
    });
    const look = looks.at(-1);
    assert(look !== undefined, 'the log asks once what to append');
    return { ...outcomeOf(look.plan, outcomes), isShared: look.isShared };
  }
  const plan = decide(held);
  if (plan.appends.length > 0) return outcomeOf(plan, await log.append(plan.appends));
  // Nothing to write, so nothing told whether the state is the newest: ask. Where it is not, the lock decides:
  // a refusal that only looked would never end while others write.
  const isCurrent = (await log.versionOf(held.stream)) === held.version;
  return { plan, isCurrent, isShared: !isCurrent, existingIds: [], lastPosition: 0n };
};

const outcomeOf = <State, Command, E extends Event>(
  plan: Plan<State, Command, E>,
  outcomes: readonly AppendOutcome[],
): Tried<State, Command, E> => {
  const isCurrent = outcomes.every(({ outcome }) => outcome === 'appended');
  const repeats = outcomes.every(({ outcome }) => outcome === 'duplicate');
  const existingIds = outcomes.flatMap((outcome, index) => {
    if (outcome.outcome === 'conflict') return outcome.existingIds;
    return repeats ? (plan.appends[index]?.events ?? []).map(({ id }) => id) : [];
  });
  const lastPosition = outcomes.reduce(
    (last, outcome) =>
      outcome.outcome === 'appended' && outcome.lastPosition > last ? outcome.lastPosition : last,
    0n,
  );
  return { plan, isCurrent, isShared: !isCurrent, existingIds, lastPosition };
};
