import type { Event } from '@event-driven-io/emmett';
import type { EventLog, RecordedEvent } from '../event-log.ts';

/** The fold of a kind of stream. */
export type StreamFold<State, E extends Event> = {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: E) => State;
};

/** The state of a stream; `version` 0: it has no event. */
export type StreamState<State> = { readonly state: State; readonly version: bigint };

/** Folds all events of a stream, from the first. */
export const foldedFrom = <State, E extends Event>(
  { initialState, evolve }: StreamFold<State, E>,
  events: readonly RecordedEvent<E>[],
): StreamState<State> => ({
  state: events.reduce((state, { type, data }) => evolve(state, { type, data } as E), initialState()),
  version: events.at(-1)?.version ?? 0n,
});

/** Reads a stream from its start and folds it: for streams that are short. */
export const readState = async <State, E extends Event>(
  log: Pick<EventLog, 'read'>,
  stream: string,
  fold: StreamFold<State, E>,
): Promise<StreamState<State>> => foldedFrom(fold, await log.read<E>(stream));
