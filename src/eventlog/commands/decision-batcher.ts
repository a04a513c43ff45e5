import type { Event } from '@event-driven-io/emmett';
import { LRUCache } from 'lru-cache';
import type { Append, AppendOutcome, EventLog, EventMeta, NewEvent } from '../event-log.ts';
import { type Folded, foldedFrom, readState } from '../read/read-state.ts';
import { LogUnavailableError } from '../unavailable-error.ts';
import { currentSchemaVersion } from '../upcasting.ts';
import { commandQueue, type Waiting } from './command-queue.ts';

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
  /** Streams whose state is cached, the one used least recently is evicted first; 2,000. */
  readonly maxStreams?: number;
};

/** Decisions in one append, and waiting for one stream, at most. */
const maxGroup = 256;
const maxWaiting = 10_000;

type Group<State, E extends Event> = readonly Waiting<Decision<State, E, unknown>, unknown>[];

/** The cached states, by stream. */
type States<State> = LRUCache<string, Folded<State>>;

type Planned<State, E extends Event> = {
  readonly events: readonly NewEvent<E>[];
  readonly folded: Folded<State>;
  readonly settle: () => void;
};

/** One batcher per kind of stream and process, see the head of this file. */
export const decisionBatcher = <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
): DecisionBatcher<State, E> => {
  const states: States<State> = new LRUCache({ max: options.maxStreams ?? 2_000 });

  /** A group that cannot be committed is divided in halves until the decision at fault is alone. */
  const commitOrDivide = async (stream: string, group: Group<State, E>): Promise<void> => {
    try {
      await commit(options, states, stream, group);
    } catch (error) {
      if (group.length === 1 || error instanceof LogUnavailableError) {
        for (const { reject } of group) reject(error);
        return;
      }
      const half = group.length >> 1;
      await commitOrDivide(stream, group.slice(0, half));
      await commitOrDivide(stream, group.slice(half));
    }
  };
  const enqueue = commandQueue<Decision<State, E, unknown>, unknown>({
    maxWaiting,
    takeGroup: (waiting) => waiting.splice(0, maxGroup),
    handle: commitOrDivide,
  });

  return {
    run: async <Answer>(stream: string, decision: Decision<State, E, Answer>) =>
      (await enqueue(stream, decision)) as Answer,
    read: async (stream) => (await readState(options.log, stream, options)).state,
  };
};

/** Decides a group on the cached state, and again under the lock when that was not the newest. */
const commit = async <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
  states: States<State>,
  stream: string,
  group: Group<State, E>,
): Promise<void> => {
  const { log } = options;
  const cached = states.get(stream) ?? (await readState(log, stream, options));
  // The state is mutated from here on: it is cached again only after a successful append.
  states.delete(stream);
  let plan = planned(options, stream, cached, group);
  const isCurrent =
    plan.events.length === 0
      ? (await log.versionOf(stream)) === cached.version
      : isAppended(await log.append(appendsOf(stream, cached.version, plan)));
  if (!isCurrent) {
    const outcomes = await log.appendLocked<E>(stream, 1n, (events) => {
      const base = foldedFrom(options, events);
      plan = planned(options, stream, base, group);
      return appendsOf(stream, base.version, plan);
    });
    // Only a stream that did not exist has no row to lock: its second writer has to try again.
    if (!isAppended(outcomes)) throw new Error(`${stream} was written by another process`);
  }
  states.set(stream, plan.folded);
  plan.settle();
};

const appendsOf = <State, E extends Event>(
  stream: string,
  expected: bigint,
  { events }: Planned<State, E>,
): readonly Append<E>[] => (events.length === 0 ? [] : [{ stream, expected, events }]);

const isAppended = (outcomes: readonly AppendOutcome[]): boolean =>
  outcomes.every(({ outcome }) => outcome === 'appended');

const planned = <State, E extends Event>(
  { evolve, idOf }: DecisionBatcherOptions<State, E>,
  stream: string,
  base: Folded<State>,
  group: Group<State, E>,
): Planned<State, E> => {
  let state = base.state;
  const events: NewEvent<E>[] = [];
  const endings: (() => void)[] = [];
  for (const { command: decision, resolve, reject } of group) {
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
  const folded = { version: base.version + BigInt(events.length), state };
  const settle = () => {
    for (const end of endings) end();
  };
  return { events, folded, settle };
};
