import type { Event } from '@event-driven-io/emmett';
import type { EventLog, NewEvent } from '../event-log.ts';
import type { Plan } from './decide-batch.ts';

/** What a command of the serial decider came to. */
export type Done<State, E extends Event> = {
  /** The command's events as they are in the log, those of its first time where it is a repeat. */
  readonly events: readonly NewEvent<E>[];
  readonly isRepeat: boolean;
  readonly lastPosition: bigint;
  /** After the whole group: for reading, not for deciding. */
  readonly state: Readonly<State>;
};

/** A command and who waits for it. `ids` are those of the events by which a repeat of it is known. */
export type Waiting<State, Command, E extends Event> = {
  readonly command: Command;
  readonly ids: readonly string[];
  readonly resolve: (done: Done<State, E>) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Answers what a plan that is in the log settles; returns those that must be decided again with more known ids.
 * What was written is answered first: it happened, whatever becomes of looking up the others.
 */
export const answered = async <State, Command, E extends Event>(
  log: Pick<EventLog, 'readById'>,
  open: readonly Waiting<State, Command, E>[],
  result: { readonly plan: Plan<State, Command, E>; readonly lastPosition: bigint },
  known: Set<string>,
): Promise<readonly Waiting<State, Command, E>[]> => {
  const { plan, lastPosition } = result;
  const { state } = plan.next;
  if (isAllWritten(open, plan)) {
    answerWritten(open, plan, lastPosition);
    return [];
  }
  const written = new Map(plan.decided.flatMap(({ events }) => events.map((e) => [e.id, e])));
  const decided = new Map(plan.decided.map(({ command, events }) => [command, events]));
  const refused = new Map(plan.refused.map(({ command, error }) => [command, error]));
  const isWhole = ({ command, ids }: Waiting<State, Command, E>): boolean =>
    (decided.get(command)?.length ?? -1) >= ids.length;

  for (const waiting of open) {
    const events = decided.get(waiting.command);
    if (events === undefined || !isWhole(waiting)) continue;
    waiting.resolve({ events, isRepeat: events.length === 0, lastPosition, state });
  }
  const again: Waiting<State, Command, E>[] = [];
  // Known from the next round on: each of several repeats of one command has to find it new in this one.
  const found = new Set<string>();
  for (const waiting of open) {
    if (isWhole(waiting)) continue;
    const earlier = await happened(log, waiting.ids, written);
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

/** Answers a plan of which everything was written. */
export const answerWritten = <State, Command, E extends Event>(
  open: readonly Waiting<State, Command, E>[],
  { decided, next: { state } }: Plan<State, Command, E>,
  lastPosition: bigint,
): void => {
  for (const [at, { resolve }] of open.entries()) {
    const events = decided[at]?.events ?? [];
    resolve({ events, isRepeat: events.length === 0, lastPosition, state });
  }
};

/** As it is nearly always: nothing was refused and nothing had happened before; decisions stand in the order of commands. */
export const isAllWritten = <State, Command, E extends Event>(
  open: readonly Waiting<State, Command, E>[],
  { decided }: Plan<State, Command, E>,
): boolean =>
  decided.length === open.length &&
  open.every(({ ids }, at) => (decided[at]?.events.length ?? -1) >= ids.length);

const happened = async <E extends Event>(
  log: Pick<EventLog, 'readById'>,
  ids: readonly string[],
  written: ReadonlyMap<string, NewEvent<E>>,
): Promise<readonly NewEvent<E>[]> => {
  const found: (NewEvent<E> | null)[] = [];
  for (const id of ids) found.push(written.get(id) ?? (await log.readById<E>(id)));
  return found.filter((event) => event !== null);
};
