import type { Event } from '@event-driven-io/emmett';
import type { Append, NewEvent, RecordedEvent } from '../event-log.ts';
import { sealed } from '../hash-chain.ts';
import type { StreamFold } from '../read/read-state.ts';

/** How events become a state. `evolve` may mutate the state it is given; `copy` makes one that may be mutated. */
export type Fold<State, E extends Event> = StreamFold<State, E> & {
  readonly copy: (state: State) => State;
  /** Raised with every change of the fold: snapshots of another version are not read. */
  readonly version: number;
  readonly toJson: (state: State) => unknown;
  readonly fromJson: (json: unknown) => State;
};

export type Decider<State, Command, E extends Event> = {
  readonly fold: Fold<State, E>;
  /**
   * Returns the events that the command causes, or throws its refusal. `known` holds those of its event ids that the
   * log has already: these events are neither checked nor returned again.
   */
  readonly decide: (command: Command, state: State, known: ReadonlySet<string>, now: Date) => readonly NewEvent<E>[];
  /** The ids of the events that the command would cause, so that a repeat is recognized before it is refused. */
  readonly idsOf: (command: Command) => readonly string[];
  /** Events caused by time alone. Asked before every command of a batch, because each one may change what is due. */
  readonly due: (state: State, now: Date) => readonly NewEvent<E>[];
  /** The stream in which this one is continued, or null while it is open. */
  readonly continuedIn: (state: State) => string | null;
  /** The end of this stream and the beginning of its successor, or null while the stream stays open. */
  readonly rollOver: (
    state: State,
    at: { readonly version: bigint; readonly hash: string; readonly stream: string; readonly now: Date },
  ) => RollOver<E> | null;
};

export type RollOver<E extends Event> = {
  readonly closing: readonly NewEvent<E>[];
  readonly nextStream: string;
  /** Called once the hash of the last closing event is known. */
  readonly opening: (closingHash: string) => readonly NewEvent<E>[];
};

/** A stream folded up to `version`; `hash` is the link of that event in the hash chain. */
export type Aggregate<State> = {
  readonly stream: string;
  readonly version: bigint;
  readonly hash: string;
  readonly state: State;
};

/**
 * The appends that a batch of commands leads to, and the aggregate after them, if the log accepts them. `batch`: the
 * commands were decided. `roll_over`: the stream has to be continued in another one first. `moved`: it was already.
 */
export type Plan<State, E extends Event> = {
  readonly kind: 'batch' | 'roll_over' | 'moved';
  readonly appends: readonly Append[];
  /** Of a batch: the decision on each command, in the order of the commands. */
  readonly decisions: readonly Decision<E>[];
  readonly next: Aggregate<State>;
};

export type Decision<E extends Event> =
  | { readonly isRefused: false; readonly events: readonly NewEvent<E>[] }
  | { readonly isRefused: true; readonly error: unknown };

/** Folds the events that follow an aggregate onto a copy of it. */
export const foldTail = <State, E extends Event>(
  fold: Fold<State, E>,
  aggregate: Aggregate<State>,
  tail: readonly RecordedEvent<E>[],
): Aggregate<State> => {
  const last = tail.at(-1);
  if (last === undefined) return aggregate;
  let state = fold.copy(aggregate.state);
  for (const event of tail) state = fold.evolve(state, toDomain(event));
  return { stream: aggregate.stream, version: last.version, hash: last.meta.chain?.hash ?? aggregate.hash, state };
};

const toDomain = <E extends Event>({ type, data }: NewEvent<E>): E => ({ type, data }) as E;

/** Decides a batch of commands one after the other, each on the state after the one before. Pure: nothing is written. */
export const decideBatch = <State, Command, E extends Event>(
  decider: Decider<State, Command, E>,
  aggregate: Aggregate<State>,
  commands: readonly Command[],
  known: ReadonlySet<string>,
  now: Date,
): Plan<State, E> => {
  const { fold } = decider;
  if (decider.continuedIn(aggregate.state) !== null) {
    return { kind: 'moved', appends: [], decisions: [], next: aggregate };
  }
  const rollOver = decider.rollOver(aggregate.state, { ...aggregate, now });
  if (rollOver !== null) return planRollOver(fold, aggregate, rollOver);

  const writer = chainWriter(fold, aggregate);
  const seen = new Set(known);
  const decideNext = (command: Command): Decision<E> => {
    try {
      const events = decider.decide(command, writer.state(), seen, now);
      for (const { id } of events) seen.add(id);
      return { isRefused: false, events: writer.write(events) };
    } catch (error) {
      return { isRefused: true, error };
    }
  };
  const decisions = commands.map((command) => {
    writer.write(decider.due(writer.state(), now));
    return decideNext(command);
  });
  const events = writer.events();
  const { stream, version } = aggregate;
  const appends = events.length === 0 ? [] : [{ stream, expected: version, events }];
  return { kind: 'batch', appends, decisions, next: writer.aggregate() };
};

const planRollOver = <State, E extends Event>(
  fold: Fold<State, E>,
  { stream, version, ...rest }: Aggregate<State>,
  { closing, opening, nextStream }: RollOver<E>,
): Plan<State, E> => {
  const last = chainWriter(fold, { stream, version, ...rest });
  last.write(closing);
  const { hash } = last.aggregate();
  const first = chainWriter(fold, { stream: nextStream, version: 0n, hash, state: fold.initialState() });
  first.write(opening(hash));
  return {
    kind: 'roll_over',
    appends: [
      { stream, expected: version, events: last.events() },
      { stream: nextStream, expected: 0n, events: first.events() },
    ],
    decisions: [],
    next: first.aggregate(),
  };
};

/** Seals events into the hash chain one by one and folds them onto a copy of the state. */
const chainWriter = <State, E extends Event>(fold: Fold<State, E>, { stream, ...start }: Aggregate<State>) => {
  let { version, hash } = start;
  let state = fold.copy(start.state);
  const written: NewEvent<E>[] = [];
  return {
    state: () => state,
    events: (): readonly NewEvent<E>[] => written,
    aggregate: (): Aggregate<State> => ({ stream, version, hash, state }),
    /** Writes all of the events, or throws and writes none when one of them cannot be sealed. */
    write: (events: readonly NewEvent<E>[]): readonly NewEvent<E>[] => {
      if (events.length === 0) return events;
      let end = { version, hash };
      const links = events.map((event) => {
        const link = sealed(event, { stream, version: end.version + 1n, prevHash: end.hash });
        end = { version: end.version + 1n, hash: link.hash };
        return link;
      });
      ({ version, hash } = end);
      for (const { event } of links) {
        written.push(event);
        state = fold.evolve(state, toDomain(event));
      }
      return links.map(({ event }) => event);
    },
  };
};
