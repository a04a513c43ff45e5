import assert from 'node:assert/strict';
import type { Event } from '@event-driven-io/emmett';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import { type EventLog, type EventMeta, isAppended, type NewEvent, systemMeta } from '../event-log.ts';
import { newEvent } from '../new-event.ts';
import { readState, type StreamFold, type StreamState } from '../read/read-state.ts';
import { LogUnavailableError } from '../unavailable-error.ts';
import { commandQueue, type QueuedCommand } from './command-queue.ts';

/*
 * Group commit for short streams that many tasks write to at once. Decisions that wait for one stream in this process
 * are made one after the other and committed in one append: on the kept state, as long as no other process writes to the
 * stream, else on the newest state under the lock of the stream. For streams of bounded length only: the state is folded
 * from the first event, each time or, where states are kept, when a stream is met first.
 */

/** A decision returns the events that a state leads to. Pure; it may run more than once. Throwing refuses it alone. */
export type Decision<State, E extends Event, Answer> = {
  readonly decide: (state: State) => readonly E[];
  /** The result for the caller, from the state right after its own events. */
  readonly answer: (state: State, events: readonly E[]) => Answer;
  readonly meta: EventMeta;
};

/** A decision of the service itself about an account, which answers nothing. */
export const bySystem = <State, E extends Event>(
  { clock }: { readonly clock: Clock },
  accountId: string,
  decide: (state: State, now: Date) => readonly E[],
): Decision<State, E, null> => ({
  decide: (state) => decide(state, clock()),
  meta: systemMeta(accountId, clock()),
  answer: () => null,
});

export type DecisionBatcher<State, E extends Event> = {
  run<Answer>(stream: string, decision: Decision<State, E, Answer>): Promise<Answer>;
  /** The newest state; for reading. */
  read(stream: string): Promise<State>;
};

export type DecisionBatcherOptions<State, E extends Event> = StreamFold<State, E> & {
  readonly log: Pick<EventLog, 'append' | 'appendLocked' | 'read'>;
  /** `version` is the one that the event gets in its stream. */
  readonly idOf: (stream: string, event: E, version: bigint) => string;
  /** A copy that `evolve` may change. Given: states are kept, and only events are read that came since. */
  readonly copy?: (state: State) => State;
};

/** Decisions in one append, and waiting for one stream, at most. */
const maxGroup = 256;
const maxWaiting = 10_000;
/** Streams whose state is kept; the one used least recently is evicted first. */
const maxKept = 256;

type Group<State, E extends Event> = readonly QueuedCommand<Decision<State, E, unknown>, unknown>[];

type AppendPlan<State, E extends Event> = {
  readonly events: readonly NewEvent<E>[];
  /** With these events. */
  readonly next: StreamState<State>;
  readonly settle: () => void;
};

/** `isShared`: another process has written to the stream too. */
type KeptStates<State> = LRUCache<string, StreamState<State> & { readonly isShared: boolean }>;

/** A group of decisions on one stream, with what its batcher works with. */
type Batch<State, E extends Event> = DecisionBatcherOptions<State, E> & {
  readonly kept: KeptStates<State>;
  readonly stream: string;
  readonly group: Group<State, E>;
};

/** One batcher per kind of stream and process, see the head of this file. */
export const decisionBatcher = <State, E extends Event>(
  options: DecisionBatcherOptions<State, E>,
): DecisionBatcher<State, E> => {
  const kept: KeptStates<State> = new LRUCache({ max: maxKept });
  const commit = async (stream: string, group: Group<State, E>): Promise<void> => {
    const batch = { ...options, kept, stream, group };
    const settle = (await commitOnKept(batch)) ?? (await commitLocked(batch));
    settle();
  };
  /** The decisions of a group that cannot be committed are committed alone, so that only those at fault fail. */
  const handle = async (stream: string, group: Group<State, E>): Promise<void> => {
    try {
      await commit(stream, group);
    } catch (error) {
      if (group.length === 1 || error instanceof LogUnavailableError) throw error;
      for (const one of group) await commit(stream, [one]).catch(one.reject);
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

/**
 * Decides a group on the kept state, if nobody else writes to the stream. The append shares its transaction with those to
 * other streams, and the expected version shows that the state was the newest; null: it was not, or nothing showed it.
 */
const commitOnKept = async <State, E extends Event>(
  batch: Batch<State, E>,
): Promise<AppendPlan<State, E>['settle'] | null> => {
  const { log, kept, stream, copy } = batch;
  const start = kept.get(stream);
  if (start === undefined || start.isShared || copy === undefined) return null;
  const { version } = start;
  const { events, next, settle } = planned(batch, { state: copy(start.state), version });
  if (events.length === 0) return null;
  const outcomes = await log.append([{ stream, expected: version, events }]);
  if (!outcomes.every(isAppended)) return null;
  kept.set(stream, { ...next, isShared: false });
  return settle;
};

/** Decides a group on the newest state, under the lock of the stream. */
const commitLocked = async <State, E extends Event>(
  batch: Batch<State, E>,
): Promise<AppendPlan<State, E>['settle']> => {
  const { log, kept, stream, initialState, evolve, copy } = batch;
  const start = kept.get(stream);
  const plans: (AppendPlan<State, E> & { readonly isShared: boolean })[] = [];
  const outcomes = await log.appendLocked<E>(stream, (start?.version ?? 0n) + 1n, (tail) => {
    // It may run more than once: each time on a state of its own.
    const before = start === undefined || copy === undefined ? initialState() : copy(start.state);
    const state = tail.reduce((folded, { type, data }) => evolve(folded, { type, data } as E), before);
    const version = tail.at(-1)?.version ?? start?.version ?? 0n;
    const plan = planned(batch, { state, version });
    plans.push({ ...plan, isShared: start !== undefined && (start.isShared || tail.length > 0) });
    const { events } = plan;
    return events.length === 0 ? [] : [{ stream, expected: version, events }];
  });
  // An append to several streams at once does not wait for the lock: its caller has to try again.
  if (!outcomes.every(isAppended)) throw new Error(`${stream} was written by another process`);
  const plan = plans.at(-1);
  assert(plan !== undefined, 'the log calls decide before it appends');
  if (copy !== undefined) kept.set(stream, { ...plan.next, isShared: plan.isShared });
  return plan.settle;
};

const planned = <State, E extends Event>(
  { evolve, idOf, stream, group }: Batch<State, E>,
  base: StreamState<State>,
): AppendPlan<State, E> => {
  let state = base.state;
  const events: NewEvent<E>[] = [];
  const endings: (() => void)[] = [];
  for (const { command: decision, resolve, reject } of group) {
    try {
      const decided = decision.decide(state);
      for (const event of decided) {
        const id = idOf(stream, event, base.version + BigInt(events.length) + 1n);
        state = evolve(state, event);
        events.push(newEvent(event, id, decision.meta));
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
  return { events, next: { state, version: base.version + BigInt(events.length) }, settle };
};
