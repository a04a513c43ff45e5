import type { Event } from '@event-driven-io/emmett';
import type { Append, EventLog, NewEvent, RecordedEvent } from '../event-log.ts';
import { sealed } from '../hash-chain.ts';

/** How events become a state. `evolve` may mutate the state it is given; `copy` makes one that may be mutated. */
export type Fold<State, E extends Event> = {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: E) => State;
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
  readonly decide: (
    command: Command,
    state: State,
    known: ReadonlySet<string>,
    now: Date,
  ) => readonly NewEvent<E>[];
  /** The ids of the events that the command would cause, so that a repeat is recognized before it is refused. */
  readonly idsOf: (command: Command) => readonly string[];
  /** Events caused by time alone. Asked before every command of a batch, because each one may change what is due. */
  readonly due: (state: State, now: Date) => readonly NewEvent<E>[];
  /** The stream in which this one is continued, or null while it is open. */
  readonly continuedIn: (state: State) => string | null;
  /** The end of this stream and the beginning of its successor, or null while the stream stays open. */
  readonly rollOver: (
    state: State,
    at: {
      readonly version: bigint;
      readonly hash: string;
      readonly stream: string;
      readonly now: Date;
    },
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
export type Plan<State, Command, E extends Event> = {
  readonly kind: 'batch' | 'roll_over' | 'moved';
  readonly appends: readonly Append[];
  readonly decided: readonly {
    readonly command: Command;
    readonly events: readonly NewEvent<E>[];
  }[];
  readonly refused: readonly { readonly command: Command; readonly error: unknown }[];
  readonly next: Aggregate<State>;
};

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
  return {
    stream: aggregate.stream,
    version: last.version,
    hash: last.meta.chain?.hash ?? aggregate.hash,
    state,
  };
};

const toDomain = <E extends Event>({ type, data }: NewEvent<E>): E => ({ type, data }) as E;

/** Decides a batch of commands one after the other, each on the state after the one before. Pure: nothing is written. */
export const decideBatch = <State, Command, E extends Event>(
  decider: Decider<State, Command, E>,
  aggregate: Aggregate<State>,
  commands: readonly Command[],
  known: ReadonlySet<string>,
  now: Date,
): Plan<State, Command, E> => {
  const { fold } = decider;
  if (decider.continuedIn(aggregate.state) !== null) {
    return { kind: 'moved', appends: [], decided: [], refused: [], next: aggregate };
  }
  const rollOver = decider.rollOver(aggregate.state, { ...aggregate, now });
  if (rollOver !== null) return planRollOver(fold, aggregate, rollOver);

  const writer = chainWriter(fold, aggregate);
  const seen = new Set(known);
  const writeDue = () => writer.write(decider.due(writer.state(), now));
  writeDue();
  const decided: Plan<State, Command, E>['decided'][number][] = [];
  const refused: Plan<State, Command, E>['refused'][number][] = [];
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
  const { stream, version } = aggregate;
  const appends = events.length === 0 ? [] : [{ stream, expected: version, events }];
  return { kind: 'batch', appends, decided, refused, next: writer.aggregate() };
};

const planRollOver = <State, Command, E extends Event>(
  fold: Fold<State, E>,
  { stream, version, ...rest }: Aggregate<State>,
  { closing, opening, nextStream }: RollOver<E>,
): Plan<State, Command, E> => {
  const last = chainWriter(fold, { stream, version, ...rest });
  last.write(closing);
  const { hash } = last.aggregate();
  const first = chainWriter(fold, {
    stream: nextStream,
    version: 0n,
    hash,
    state: fold.initialState(),
  });
  first.write(opening(hash));
  return {
    kind: 'roll_over',
    appends: [
      { stream, expected: version, events: last.events() },
      { stream: nextStream, expected: 0n, events: first.events() },
    ],
    decided: [],
    refused: [],
    next: first.aggregate(),
  };
};

/** Seals events into the hash chain one by one and folds them onto a copy of the state. */
const chainWriter = <State, E extends Event>(
  fold: Fold<State, E>,
  { stream, ...start }: Aggregate<State>,
) => {
  let { version, hash } = start;
  let state = fold.copy(start.state);
  const written: NewEvent<E>[] = [];
  return {
    state: () => state,
    /** In the form in which they are stored. */
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
      for (const { event, json } of links) {
        written.push({ ...event, json });
        state = fold.evolve(state, toDomain(event));
      }
      return links.map(({ event }) => event);
    },
  };
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

/** A command and its caller. A repeat of the command is recognized by `ids`, the ids of the events it causes. */
export type WaitingCommand<State, Command, E extends Event> = {
  readonly command: Command;
  readonly ids: readonly string[];
  readonly resolve: (result: CommandResult<State, E>) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Answers the commands of a batch whose plan is in the log, and returns those that must be decided again with more
 * known ids. Commands whose events were written now are answered before any repeat is looked up.
 */
export const answerBatch = async <State, Command, E extends Event>(
  log: Pick<EventLog, 'readById'>,
  batch: readonly WaitingCommand<State, Command, E>[],
  { plan, lastPosition }: { readonly plan: Plan<State, Command, E>; readonly lastPosition: bigint },
  known: Set<string>,
): Promise<readonly WaitingCommand<State, Command, E>[]> => {
  const { state } = plan.next;
  const decided = new Map(plan.decided.map(({ command, events }) => [command, events]));
  const isComplete = ({ command, ids }: WaitingCommand<State, Command, E>): boolean =>
    (decided.get(command)?.length ?? -1) >= ids.length;

  const incomplete = batch.filter((waiting) => !isComplete(waiting));
  for (const waiting of batch) {
    const events = decided.get(waiting.command);
    if (events === undefined || !isComplete(waiting)) continue;
    waiting.resolve({ events, isRepeat: events.length === 0, lastPosition, state });
  }
  if (incomplete.length === 0) return [];

  const written = new Map(plan.decided.flatMap(({ events }) => events.map((e) => [e.id, e])));
  const refused = new Map(plan.refused.map(({ command, error }) => [command, error]));
  const again: WaitingCommand<State, Command, E>[] = [];
  // Added to `known` at the end: every one of several repeats of a command has to find its ids new in this round.
  const found = new Set<string>();
  for (const waiting of incomplete) {
    const earlier = await readEvents(log, waiting.ids, written);
    const events = decided.get(waiting.command);
    if (events !== undefined) {
      waiting.resolve({ events: earlier, isRepeat: events.length === 0, lastPosition, state });
    } else if (earlier.some(({ id }) => !known.has(id))) {
      for (const { id } of earlier) found.add(id);
      again.push(waiting);
    } else waiting.reject(refused.get(waiting.command));
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
