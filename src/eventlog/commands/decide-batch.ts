import type { Event } from '@event-driven-io/emmett';
import type { Append, NewEvent, RecordedEvent } from '../event-log.ts';
import { sealed } from '../hash-chain.ts';

/** How the state of a key is folded. `evolve` may edit the state it is given; `copy` makes one that may be edited. */
export type Fold<State, E extends Event> = {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: E) => State;
  readonly copy: (state: State) => State;
  /** Raised with every change of the fold: snapshots of another fold are not read. */
  readonly version: number;
  readonly toJson: (state: State) => unknown;
  readonly fromJson: (json: unknown) => State;
};

export type Decider<State, Command, E extends Event> = {
  readonly fold: Fold<State, E>;
  /**
   * What the command makes happen, or throws what refuses it. `known` holds those ids of events that the log
   * has already: what happened is neither checked nor returned again.
   */
  readonly decide: (
    command: Command,
    state: State,
    known: ReadonlySet<string>,
    now: Date,
  ) => readonly NewEvent<E>[];
  /** The ids of the events that the command would cause, so that a repeat is found before it is refused. */
  readonly idsOf: (command: Command) => readonly string[];
  /** What time alone makes happen. It is asked before each command: the one before may have brought it about. */
  readonly due: (state: State, now: Date) => readonly NewEvent<E>[];
  /** The stream that this one was continued in, or null while it is open. */
  readonly continuedIn: (state: State) => string | null;
  /** The end of this stream and the beginning of the next one, when it is time; else null. */
  readonly turn: (
    state: State,
    at: {
      readonly version: bigint;
      readonly hash: string;
      readonly stream: string;
      readonly now: Date;
    },
  ) => Turn<E> | null;
};

export type Turn<E extends Event> = {
  readonly closing: readonly NewEvent<E>[];
  readonly nextStream: string;
  /** Made when the closing hash is known. */
  readonly opening: (closingHash: string) => readonly NewEvent<E>[];
};

/** A folded stream: everything up to `version`, and the hash of its last event. */
export type Held<State> = {
  readonly stream: string;
  readonly version: bigint;
  readonly hash: string;
  readonly state: State;
};

export type Decided<Command, E extends Event> = {
  readonly command: Command;
  readonly events: readonly NewEvent<E>[];
};

export type Refused<Command> = { readonly command: Command; readonly error: unknown };

/** What a group of commands comes to on a state, and the state after it, if the log takes the appends. */
export type Plan<State, Command, E extends Event> = {
  readonly kind: 'group' | 'turn' | 'moved';
  readonly appends: readonly Append[];
  readonly decided: readonly Decided<Command, E>[];
  readonly refused: readonly Refused<Command>[];
  readonly next: Held<State>;
};

/** Folds events that follow `held` onto a copy of it. */
export const folded = <State, E extends Event>(
  fold: Fold<State, E>,
  held: Held<State>,
  tail: readonly RecordedEvent<E>[],
): Held<State> => {
  const last = tail.at(-1);
  if (last === undefined) return held;
  let state = fold.copy(held.state);
  for (const event of tail) state = fold.evolve(state, eventOf(event));
  return {
    stream: held.stream,
    version: last.version,
    hash: last.meta.chain?.hash ?? held.hash,
    state,
  };
};

const eventOf = <E extends Event>({ type, data }: NewEvent<E>): E => ({ type, data }) as E;

/** Decides a group of commands on a held state, one after the other. Pure: nothing is written. */
export const planned = <State, Command, E extends Event>(
  decider: Decider<State, Command, E>,
  held: Held<State>,
  commands: readonly Command[],
  known: ReadonlySet<string>,
  now: Date,
): Plan<State, Command, E> => {
  const { fold } = decider;
  if (decider.continuedIn(held.state) !== null) return nothing('moved', held);
  const turn = decider.turn(held.state, { ...held, now });
  if (turn !== null) return turned(fold, held, turn);

  const writer = chainWriter(fold, held);
  const seen = new Set(known);
  const writeDue = () => writer.write(decider.due(writer.state(), now));
  writeDue();
  const decided: Decided<Command, E>[] = [];
  const refused: Refused<Command>[] = [];
  for (const [index, command] of commands.entries()) {
    if (index > 0) writeDue();
    try {
      const events = decider.decide(command, writer.state(), seen, now);
      for (const { id } of events) seen.add(id);
      decided.push({ command, events: writer.write(events) });
    } catch (error) {
      refused.push({ command, error });
    }
  }
  const events = writer.events();
  const appends =
    events.length === 0 ? [] : [{ stream: held.stream, expected: held.version, events }];
  return { kind: 'group', appends, decided, refused, next: writer.held() };
};

const nothing = <State, Command, E extends Event>(
  kind: 'moved',
  held: Held<State>,
): Plan<State, Command, E> => ({ kind, appends: [], decided: [], refused: [], next: held });

const turned = <State, Command, E extends Event>(
  fold: Fold<State, E>,
  held: Held<State>,
  turn: Turn<E>,
): Plan<State, Command, E> => {
  const closing = chainWriter(fold, held);
  closing.write(turn.closing);
  const begun = {
    stream: turn.nextStream,
    version: 0n,
    hash: closing.held().hash,
    state: fold.initialState(),
  };
  const opening = chainWriter(fold, begun);
  opening.write(turn.opening(begun.hash));
  return {
    kind: 'turn',
    appends: [
      { stream: held.stream, expected: held.version, events: closing.events() },
      { stream: turn.nextStream, expected: 0n, events: opening.events() },
    ],
    decided: [],
    refused: [],
    next: opening.held(),
  };
};

/** Seals events into the chain one by one and folds them onto a copy of the state. */
const chainWriter = <State, E extends Event>(fold: Fold<State, E>, held: Held<State>) => {
  let { version, hash } = held;
  let state = fold.copy(held.state);
  const written: NewEvent<E>[] = [];
  return {
    state: () => state,
    /** As they are to be stored. */
    events: (): readonly NewEvent<E>[] => written,
    held: (): Held<State> => ({ stream: held.stream, version, hash, state }),
    /** All of them or, when one cannot be sealed, none: it throws then. */
    write: (events: readonly NewEvent<E>[]): readonly NewEvent<E>[] => {
      if (events.length === 0) return events;
      let end = { version, hash };
      const links = events.map((event) => {
        const place = { stream: held.stream, version: end.version + 1n, prevHash: end.hash };
        const link = sealed(event, place);
        end = { version: place.version, hash: link.hash };
        return link;
      });
      ({ version, hash } = end);
      for (const { event, json } of links) {
        written.push({ ...event, json });
        state = fold.evolve(state, eventOf(event));
      }
      return links.map(({ event }) => event);
    },
  };
};
