import type { Event } from '@event-driven-io/emmett';
import type { EventLog, NewEvent } from '../event-log.ts';
import type { Plan } from './decide-batch.ts';

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
