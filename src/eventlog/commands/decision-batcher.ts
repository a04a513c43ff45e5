import type { Event } from '@event-driven-io/emmett';
import type { EventLog, EventMeta, NewEvent } from '../event-log.ts';
import { foldedFrom, readState, type StreamFold, type StreamState } from '../read/read-state.ts';
import { LogUnavailableError } from '../unavailable-error.ts';
import { currentSchemaVersion } from '../upcasting.ts';
import { commandQueue, type QueuedCommand } from './command-queue.ts';

/*
 * Group commit for short streams that many tasks write to at once. Decisions that wait for one stream in this process
 * are made one after the other, under the lock of the stream, and committed in one append. For streams of bounded length
 * only: the state is folded from the first event each time.
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

export type DecisionBatcherOptions<State, E extends Event> = StreamFold<State, E> & {
  readonly log: Pick<EventLog, 'appendLocked' | 'read'>;
  /** `version` is the one that the event gets in its stream. */
  readonly idOf: (stream: string, event: E, version: bigint) => string;
};

/** Decisions in one append, and waiting for one stream, at most. */
const maxGroup = 256;
const maxWaiting = 10_000;

type Group<State, E extends Event> = readonly QueuedCommand<Decision<State, E, unknown>, unknown>[];

type AppendPlan<E extends Event> = {
  readonly events: readonly NewEvent<E>[];
  readonly settle: () => void;
};

/** One batcher per kind of stream and process, see the head of this file. */
export const decisionBatcher = <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
): DecisionBatcher<State, E> => {
  /** The decisions of a group that cannot be committed are committed alone, so that only those at fault fail. */
  const handle = async (stream: string, group: Group<State, E>): Promise<void> => {
    try {
      await commit(options, stream, group);
    } catch (error) {
      if (group.length === 1 || error instanceof LogUnavailableError) throw error;
      for (const one of group) await commit(options, stream, [one]).catch(one.reject);
    }
  };
  const enqueue = commandQueue<Decision<State, E, unknown>, unknown>({
    maxWaiting,
    takeGroup: (waiting) => waiting.splice(0, maxGroup),
    handle,
  });

  return {
    run: async <Answer>(stream: string, decision: Decision<State, E, Answer>) =>
      (await enqueue(stream, decision)) as Answer,
    read: async (stream) => (await readState(options.log, stream, options)).state,
  };
};

/** Decides a group on the newest state, under the lock of the stream. */
const commit = async <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
  stream: string,
  group: Group<State, E>,
): Promise<void> => {
  let settle = (): void => {};
  const outcomes = await options.log.appendLocked<E>(stream, 1n, (recorded) => {
    const base = foldedFrom(options, recorded);
    const { events, ...plan } = planned(options, stream, base, group);
    settle = plan.settle;
    return events.length === 0 ? [] : [{ stream, expected: base.version, events }];
  });
  // An append to several streams at once does not wait for the lock: its caller has to try again.
  if (outcomes.some(({ outcome }) => outcome !== 'appended')) {
    throw new Error(`${stream} was written by another process`);
  }
  settle();
};

const planned = <State, E extends Event>(
  { evolve, idOf }: DecisionBatcherOptions<State, E>,
  stream: string,
  base: StreamState<State>,
  group: Group<State, E>,
): AppendPlan<E> => {
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
  const settle = () => {
    for (const end of endings) end();
  };
  return { events, settle };
};
