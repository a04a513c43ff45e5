import type { Event } from '@event-driven-io/emmett';
import type { AppendOutcome, EventLog, NewEvent } from '../event-log.ts';
import type { Waiting } from './command-queue.ts';
import type { Decision, Plan } from './decide-batch.ts';

/** The result of a command. */
export type CommandResult<State, E extends Event> = {
  /** The command's events as they are in the log; those of the first time where it is a repeat. */
  readonly events: readonly NewEvent<E>[];
  readonly isRepeat: boolean;
  readonly lastPosition: bigint;
  /** The state after the whole batch: for reading, not for deciding. */
  readonly state: Readonly<State>;
};

/** A command with the ids of the events it causes, by which a repeat of it is recognized. */
export type IdentifiedCommand<Command> = {
  readonly command: Command;
  readonly ids: readonly string[];
};

export type WaitingCommand<State, Command, E extends Event> = Waiting<
  IdentifiedCommand<Command>,
  CommandResult<State, E>
>;

/**
 * Answers the commands of a batch whose plan is in the log, and returns those that must be decided again with more
 * `known` ids. Commands whose events were written now are answered before any repeat is looked up.
 */
export const answerCommands = async <State, Command, E extends Event>(
  log: Pick<EventLog, 'readById'>,
  batch: readonly WaitingCommand<State, Command, E>[],
  {
    plan: { decisions, next },
    outcomes: [outcome],
    known,
  }: {
    readonly plan: Plan<State, E>;
    readonly outcomes: readonly AppendOutcome[];
    readonly known: Set<string>;
  },
): Promise<readonly WaitingCommand<State, Command, E>[]> => {
  const { state } = next;
  const lastPosition = outcome?.outcome === 'appended' ? outcome.lastPosition : 0n;
  const written = new Map<string, NewEvent<E>>();
  const toLookUp: (readonly [WaitingCommand<State, Command, E>, Decision<E>])[] = [];
  for (const [at, decision] of decisions.entries()) {
    const waiting = batch[at];
    if (waiting === undefined) continue;
    const events = decision.isRefused ? [] : decision.events;
    for (const event of events) written.set(event.id, event);
    if (decision.isRefused || events.length < waiting.command.ids.length) {
      toLookUp.push([waiting, decision]);
    } else {
      waiting.resolve({ events, isRepeat: events.length === 0, lastPosition, state });
    }
  }

  const again: WaitingCommand<State, Command, E>[] = [];
  // Added to `known` at the end: every one of several repeats of a command has to find its ids new in this round.
  const found = new Set<string>();
  for (const [waiting, decision] of toLookUp) {
    const events = await readEvents(log, waiting.command.ids, written);
    if (!decision.isRefused) {
      waiting.resolve({ events, isRepeat: decision.events.length === 0, lastPosition, state });
    } else if (events.some(({ id }) => !known.has(id))) {
      for (const { id } of events) found.add(id);
      again.push(waiting);
    } else waiting.reject(decision.error);
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
