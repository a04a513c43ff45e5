import type { Event } from '@event-driven-io/emmett';
import type { Call } from '../kernel/call.ts';
import { currentTraceparent } from '../kernel/tracing.ts';

/** The metadata of an event: who caused it, in which request, when it happened. JSON primitives only. */
export type EventMeta = {
  readonly occurred_at: string;
  readonly correlation_id?: string;
  readonly request_id?: string;
  readonly account_id?: string;
  readonly actor?: { readonly type: string; readonly id: string };
  readonly channel?: string;
  readonly traceparent?: string;
  /** The link to the previous event, see `hash-chain.ts`; set on streams that are chained. */
  readonly chain?: { readonly prev_hash: string; readonly hash: string };
};

/** An event to append. `id` is a UUID, unique in the log for ever. */
export type NewEvent<E extends Event = Event> = {
  readonly id: string;
  readonly type: E['type'];
  readonly schemaVersion: number;
  readonly data: E['data'];
  readonly meta: EventMeta;
};

/** An event as it is stored. `version` counts from 1 within its stream, `position` is the total order. */
export type RecordedEvent<E extends Event = Event> = NewEvent<E> & {
  readonly stream: string;
  readonly version: bigint;
  readonly position: bigint;
  /** When the database stored it, for operators and timeouts; the time of the event itself is `meta.occurred_at`. */
  readonly recordedAt: string;
};

/** The members of an event that a subscription runner reads. */
export type BatchEvent = Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'version' | 'position'>;

/** `expected`: the exact version, 0n for a stream that must not exist, 'any' for no check. */
export type Append<E extends Event = Event> = {
  readonly stream: string;
  readonly expected: bigint | 'any';
  readonly events: readonly NewEvent<E>[];
};

export type AppendOutcome =
  /** Stored now; or all of these ids are in this stream already, and the positions are those of the first time. */
  | {
      readonly outcome: 'appended' | 'duplicate';
      readonly version: bigint;
      readonly firstPosition: bigint;
      readonly lastPosition: bigint;
    }
  /** The stream is at another version, or some of the ids exist: nothing was stored. */
  | {
      readonly outcome: 'conflict';
      readonly version: bigint;
      /** Those of the given ids that the log holds already (in any stream). */
      readonly existingIds: readonly string[];
    };

export const isAppended = ({ outcome }: AppendOutcome): boolean => outcome === 'appended';

export type Snapshot<State> = { readonly version: bigint; readonly state: State };

/** A transaction of the log's database, as much of it as effects need; or a pool, on which each statement commits by itself. */
export type Transaction = {
  query<Row extends Record<string, unknown> = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
};

/** From a version (default 1n) on, at most `limit`. */
export type ReadOptions = {
  readonly from?: bigint;
  readonly limit?: number;
  /** Of these types only; a type that this program does not know is not skipped, it throws `NewerSchemaVersionError`. */
  readonly types?: readonly string[];
};

/** A part of the log: of what is after a position, at most so many events, of these types only; undefined: of all. */
export type LogRange = {
  readonly after: bigint;
  readonly limit: number;
  readonly types?: readonly string[] | undefined;
};

/** What a range holds; everything up to `safeUpTo` is final, see `EventLog.readAll`. */
export type LogPart<E> = { readonly events: readonly E[]; readonly safeUpTo: bigint };

export type AppendOptions = { readonly within?: (transaction: Transaction) => Promise<void> };

export type LockedOptions<E extends Event> = AppendOptions & {
  readonly reading?: (
    transaction: Transaction,
    tail: readonly RecordedEvent<E>[],
  ) => Promise<readonly RecordedEvent<E>[]>;
};

/** The event log. It is implemented on Postgres and in memory. */
export type EventLog = {
  /**
   * Appends to one or more streams in one transaction, all or nothing. Outcomes come in the order given;
   * unless every outcome is 'appended' or every one is 'duplicate', nothing was stored.
   * `within` runs in the same transaction after the events are written (inline read models) and only
   * when they are; the memory store refuses it.
   */
  append(appends: readonly Append[], options?: AppendOptions): Promise<readonly AppendOutcome[]>;

  /** Events of a stream in order, upcast to the current schema versions. */
  read<E extends Event = Event>(stream: string, options?: ReadOptions): Promise<readonly RecordedEvent<E>[]>;

  /**
   * One transaction that takes the stream's lock, reads its events from `from` on, calls `decide` and appends what it
   * returns; [] appends nothing. `decide` is pure and synchronous, because other writers wait for the lock. The lock is
   * granted in the order of requests, and appends to this stream alone at an exact version wait for it too. For short
   * streams, and for writers that lost an optimistic append: repeated ones would starve the slower of two processes.
   * `reading` transforms the events before `decide` gets them; `within` is that of `append`.
   */
  appendLocked<E extends Event = Event>(
    stream: string,
    from: bigint,
    decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
    options?: LockedOptions<E>,
  ): Promise<readonly AppendOutcome[]>;

  /** The version of a stream, 0n when it does not exist. */
  versionOf(stream: string): Promise<bigint>;

  /** The event with this id, or null. */
  readById<E extends Event = Event>(id: string): Promise<RecordedEvent<E> | null>;

  /** Names of streams with this prefix in ascending (byte) order, at most `limit`; `descending` turns the order. */
  streamsWithPrefix(
    prefix: string,
    options?: { readonly limit?: number; readonly descending?: boolean },
  ): Promise<readonly string[]>;

  /**
   * All events in total order after `after`, without gaps: no event can appear later before a returned one. The next read
   * starts after `safeUpTo`, which may have moved although no event was returned; at the end of the log it is `after`.
   */
  readAll(range: LogRange): Promise<LogPart<RecordedEvent>>;

  /** The newest snapshot of a stream under this fold version, or null. A snapshot is a cache: it may be absent. */
  loadSnapshot<State>(stream: string, foldVersion: number): Promise<Snapshot<State> | null>;
  saveSnapshot<State>(stream: string, foldVersion: number, snapshot: Snapshot<State>): Promise<void>;
  /** Removes the snapshots of a stream that is not written to any more, for every fold version. */
  forgetSnapshots(stream: string): Promise<void>;

  /** Calls `listener` after every append that this process commits; returns the function that stops it. */
  onAppended(listener: (lastPosition: bigint) => void): () => void;
};

/** The members of a call that are stored with the events it causes. */
export type StoredCall = Pick<Call, 'accountId' | 'actor' | 'channel' | 'requestId' | 'traceparent'>;

/** The metadata of an event that a call causes. `at`: when it happened, RFC 3339. */
export const metaOf = ({ accountId, actor, channel, requestId, traceparent }: StoredCall, at: string): EventMeta => ({
  occurred_at: at,
  request_id: requestId,
  account_id: accountId,
  actor: { type: actor.type, id: actor.id },
  channel,
  ...(traceparent === null ? {} : { traceparent }),
});

/** The metadata of an event that the service appends without a caller. */
export const systemMeta = (accountId: string, now: Date): EventMeta => {
  const traceparent = currentTraceparent();
  return {
    occurred_at: now.toISOString(),
    account_id: accountId,
    actor: { type: 'system', id: 'worker' },
    channel: 'system',
    ...(traceparent === null ? {} : { traceparent }),
  };
};
