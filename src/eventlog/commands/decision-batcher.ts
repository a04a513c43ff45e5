import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import type { Append, AppendOutcome, EventLog, EventMeta, NewEvent } from '../event-log.ts';
import { type Folded, foldedFrom, readState } from '../read/read-state.ts';
import { LogUnavailableError } from '../unavailable-error.ts';
import { currentSchemaVersion } from '../upcasting.ts';
import { evictOldest } from './aggregate-cache.ts';

/*
 * Group commit for short streams that many tasks write to at once. Decisions that wait for one stream in this process
 * are made one after the other on a cached state and committed in one append. Between processes the expected version
 * detects conflicts, and the loser decides again under the stream's lock. For streams of bounded length only: a state
 * that is not cached is folded from the first event.
 */

/** A decision returns the events that a state leads to. Pure; it may run more than once. Throwing refuses it alone. */
export type Decision<State, E extends Event, Answer> = {
  readonly decide: (state: State) => readonly E[];
  /** The result for the caller, from the state right after its own events. */
  readonly answer: (state: State, events: readonly E[]) => Answer;
  readonly meta: EventMeta;
};

export type DecisionBatcher<State, E extends Event> = {
  run<Answer>(stream: string, decision: Decision<State, E, Answer>): Promise<Answer>;
  /** The newest state; for reading. */
  read(stream: string): Promise<State>;
};

export type DecisionBatcherOptions<State, E extends Event> = {
  readonly log: Pick<EventLog, 'append' | 'appendLocked' | 'read' | 'versionOf'>;
  readonly initialState: () => State;
  /** May mutate the state it is given: the state of a failed append is discarded. */
  readonly evolve: (state: State, event: E) => State;
  /** `version` is the one that the event gets in its stream. */
  readonly idOf: (stream: string, event: E, version: bigint) => string;
  /** Streams whose state is cached; the one used least recently is evicted first. */
  readonly maxStreams?: number;
  /** Decisions in one append, and waiting for one stream, at most. */
  readonly maxGroup?: number;
  readonly maxWaiting?: number;
};

type Waiting<State, E extends Event> = {
  readonly decision: Decision<State, E, unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
};

type Slot<State, E extends Event> = {
  held: Folded<State> | null;
  isRunning: boolean;
  readonly waiting: Waiting<State, E>[];
};

type Planned<State, E extends Event> = {
  readonly events: readonly NewEvent<E>[];
  readonly held: Folded<State>;
  readonly settle: () => void;
};

/** One batcher per kind of stream and process, see the head of this file. */
export const decisionBatcher = <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
): DecisionBatcher<State, E> => {
  const { maxStreams = 2_000, maxGroup = 256, maxWaiting = 10_000 } = options;
  const slots = new Map<string, Slot<State, E>>();

  const slotOf = (stream: string): Slot<State, E> => {
    const slot = slots.get(stream) ?? { held: null, isRunning: false, waiting: [] };
    slots.delete(stream);
    slots.set(stream, slot);
    if (slots.size > maxStreams) evictOldest(slots);
    return slot;
  };

  /** A group that cannot be committed is divided in halves until the decision at fault is alone. */
  const settle = async (
    stream: string,
    slot: Slot<State, E>,
    group: readonly Waiting<State, E>[],
  ): Promise<void> => {
    try {
      await commit(options, stream, slot, group);
    } catch (error) {
      slot.held = null;
      if (group.length === 1 || error instanceof LogUnavailableError) {
        for (const { reject } of group) reject(error);
        return;
      }
      const half = group.length >> 1;
      await settle(stream, slot, group.slice(0, half));
      await settle(stream, slot, group.slice(half));
    }
  };

  const drain = async (stream: string, slot: Slot<State, E>): Promise<void> => {
    while (slot.waiting.length > 0) {
      await settle(stream, slot, slot.waiting.splice(0, maxGroup));
    }
    slot.isRunning = false;
  };

  return {
    run: async <Answer>(stream: string, decision: Decision<State, E, Answer>) => {
      const slot = slotOf(stream);
      if (slot.waiting.length >= maxWaiting) {
        throw new Error(`${maxWaiting} decisions wait for ${stream}`);
      }
      return await new Promise<Answer>((resolve, reject) => {
        slot.waiting.push({
          decision,
          resolve: (answer) => resolve(answer as Answer),
          reject,
        });
        if (slot.isRunning) return;
        slot.isRunning = true;
        // The decisions of one event loop turn form one group.
        setImmediate(() => void drain(stream, slot));
      });
    },
    read: async (stream) => (await readState(options.log, stream, options)).state,
  };
};

/** Decides a group on the cached state, and again under the lock when that was not the newest. */
const commit = async <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
  stream: string,
  slot: Slot<State, E>,
  group: readonly Waiting<State, E>[],
): Promise<void> => {
  const { log } = options;
  const held = slot.held ?? (await readState(options.log, stream, options));
  // The state is mutated from here on: it is cached again only after a successful append.
  slot.held = null;
  const first = planned(options, stream, held, group);
  const isTaken =
    first.events.length === 0
      ? (await log.versionOf(stream)) === held.version
      : isAppended(await log.append([appendOf(stream, held.version, first)]));
  if (isTaken) {
    slot.held = first.held;
    first.settle();
    return;
  }
  const plans: Planned<State, E>[] = [];
  const outcomes = await log.appendLocked<E>(stream, 1n, (events) => {
    const base = foldedFrom(options, events);
    const plan = planned(options, stream, base, group);
    plans.push(plan);
    return plan.events.length === 0 ? [] : [appendOf(stream, base.version, plan)];
  });
  const plan = plans.at(-1);
  assert(plan !== undefined, 'the log asks what to append');
  // Only a stream that did not exist has no row to lock: its second writer has to try again.
  if (!isAppended(outcomes)) throw new Error(`${stream} was written by another process`);
  slot.held = plan.held;
  plan.settle();
};

const appendOf = <State, E extends Event>(
  stream: string,
  expected: bigint,
  { events }: Planned<State, E>,
): Append<E> => ({ stream, expected, events });

const isAppended = (outcomes: readonly AppendOutcome[]): boolean =>
  outcomes.every(({ outcome }) => outcome === 'appended');

const planned = <State, E extends Event>(
  { evolve, idOf }: DecisionBatcherOptions<State, E>,
  stream: string,
  base: Folded<State>,
  group: readonly Waiting<State, E>[],
): Planned<State, E> => {
  let state = base.state;
  const events: NewEvent<E>[] = [];
  const endings: (() => void)[] = [];
  for (const { decision, resolve, reject } of group) {
    try {
      const decided = decision.decide(state);
      for (const event of decided) {
        state = evolve(state, event);
        const { type, data } = event;
        const id = idOf(stream, event, base.version + BigInt(events.length) + 1n);
        events.push({ id, type, schemaVersion: currentSchemaVersion, data, meta: decision.meta });
      }
      const answer = decision.answer(state, decided);
      endings.push(() => resolve(answer));
    } catch (error) {
      endings.push(() => reject(error));
    }
  }
  const held = { version: base.version + BigInt(events.length), state };
  const settle = () => {
    for (const end of endings) end();
  };
  return { events, held, settle };
};
