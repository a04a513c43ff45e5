import type { Event } from '@event-driven-io/emmett';
import { elapsedMs } from '../../kernel/clock.ts';
import type { AppendOutcome, EventLog, Follows, NewEvent } from '../event-log.ts';
import { answerWritten, isAllWritten, type Waiting } from './command-results.ts';
import type { Held, Plan } from './decide-batch.ts';

/*
 * Groups of one hot stream that overlap: while one commits, the next is decided on the state after it and sent behind it.
 * The append of the next names the event it follows, so that it is taken only where the one before was; each is answered
 * when it is in the log itself. What does not go smoothly ends the flow, and whoever was not answered is decided again.
 */

/** So many are sent at a time at most: one commits while the other is planned or on its way. */
const depth = 2;
/** Below this an append shares its transaction with those of other streams: that is worth more. */
export const smallestFlow = 8;
/** A group is divided as long as the log takes no longer for it than so many times the time of planning it. */
const quickLog = 8;

/** How long the log takes for a group, in times of planning it, as it was of late. */
export type Pace = { ratio: number };

/** What was not taken. `error` null: other events were there. */
export type NotTaken<W> = { readonly group: readonly W[]; readonly error: unknown };

type Flight<State, Command, E extends Event> = {
  readonly group: readonly Waiting<State, Command, E>[];
  readonly plan: Plan<State, Command, E>;
  readonly planMs: number;
  readonly sentAt: number;
};

export type Flow<State, Command, E extends Event> = {
  /** Somebody waits. */
  readonly arrived: () => void;
  /** When nothing is under way any more: what was not taken, in the order it was sent. */
  readonly over: Promise<readonly NotTaken<Waiting<State, Command, E>>[]>;
};

/** Sends group after group from the state `held`, as long as enough wait and all goes well. */
export const flowing = <State, Command, E extends Event>(deps: {
  readonly log: Pick<EventLog, 'append'>;
  readonly held: Held<State>;
  readonly waiting: Waiting<State, Command, E>[];
  /** Takes some of those that wait, at most so many. */
  readonly take: (atMost: number) => readonly Waiting<State, Command, E>[];
  readonly plan: (
    base: Held<State>,
    group: readonly Waiting<State, Command, E>[],
  ) => Plan<State, Command, E>;
  readonly onTaken: (plan: Plan<State, Command, E>) => void;
  readonly pace: Pace;
}): Flow<State, Command, E> => {
  const { waiting, pace } = deps;
  const flights: Flight<State, Command, E>[] = [];
  const notTaken: (Flight<State, Command, E> & { readonly error: unknown })[] = [];
  const { promise: over, resolve: end } = Promise.withResolvers<typeof notTaken>();
  let base = deps.held;
  let lastLandedAt = 0;
  let isEnding = false;
  let isDue = false;

  const sendSoon = (): void => {
    if (isDue) return;
    isDue = true;
    // The commands of this turn of the event loop go together.
    setImmediate(send);
  };
  const send = (): void => {
    isDue = false;
    while (!isEnding && flights.length < depth) {
      const size = sizeOf(waiting.length, flights[0]?.group.length ?? null, pace);
      if (size === 0) break;
      if (!fly(deps.take(size))) isEnding = true;
    }
    if (flights.length === 0) {
      isEnding = true;
      // What was sent first is not always the first to be heard of.
      end(notTaken.toSorted((one, other) => one.sentAt - other.sentAt));
    }
  };
  const fly = (group: readonly Waiting<State, Command, E>[]): boolean => {
    const startedAt = elapsedMs();
    const plan = plainPlan(() => deps.plan(base, group), group);
    if (plan === null) {
      waiting.unshift(...group);
      return false;
    }
    const sentAt = elapsedMs();
    const flight = { group, plan, planMs: sentAt - startedAt, sentAt };
    const follows = followed(flights.at(-1)?.plan.appends[0]?.events.at(-1));
    flights.push(flight);
    base = plan.next;
    deps.log.append(plan.appends, { follows }).then(
      ([outcome]) => landed(flight, outcome, null),
      (error: unknown) => landed(flight, undefined, error),
    );
    return true;
  };
  const landed = (
    flight: Flight<State, Command, E>,
    outcome: AppendOutcome | undefined,
    error: unknown,
  ): void => {
    flights.splice(flights.indexOf(flight), 1);
    const now = elapsedMs();
    const ratio = (now - Math.max(flight.sentAt, lastLandedAt)) / Math.max(flight.planMs, 0.01);
    pace.ratio += (ratio - pace.ratio) / 8;
    lastLandedAt = now;
    if (outcome?.outcome === 'appended') {
      deps.onTaken(flight.plan);
      answerWritten(flight.group, flight.plan, outcome.lastPosition);
    } else {
      isEnding = true;
      notTaken.push({ ...flight, error });
    }
    sendSoon();
  };

  send();
  return {
    arrived: () => {
      if (!isEnding && flights.length < depth) sendSoon();
    },
    over,
  };
};

/** What the next append goes behind; null behind nothing. */
const followed = (last: NewEvent | undefined): Follows | null =>
  last === undefined ? null : { id: last.id, hash: last.meta.chain?.hash ?? null };

/**
 * How many go together now. Alone under way: half of those that wait, so that the other half is planned meanwhile,
 * where planning is a good part of the time. Behind another group: as many as are in it, or not yet.
 */
const sizeOf = (waiting: number, ahead: number | null, { ratio }: Pace): number => {
  if (waiting < smallestFlow) return 0;
  if (ahead !== null) return waiting * 2 >= ahead ? waiting : 0;
  return waiting >= 2 * smallestFlow && ratio <= quickLog ? Math.ceil(waiting / 2) : waiting;
};

/** Null: not everything of it would be written to this stream alone; that is for the decider to sort out. */
const plainPlan = <State, Command, E extends Event>(
  plan: () => Plan<State, Command, E>,
  group: readonly Waiting<State, Command, E>[],
): Plan<State, Command, E> | null => {
  try {
    const made = plan();
    const isPlain = made.kind === 'group' && made.appends.length === 1 && isAllWritten(group, made);
    return isPlain ? made : null;
  } catch {
    // It will be thrown again where its callers are told.
    return null;
  }
};
