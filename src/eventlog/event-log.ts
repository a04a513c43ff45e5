import type { Event } from '@event-driven-io/emmett';

/** What surrounds an event: who caused it, in which request, when it happened. JSON primitives only. */
export type EventMeta = {
  readonly occurred_at: string;
  readonly correlation_id?: string;
  readonly request_id?: string;
  readonly account_id?: string;
  readonly actor?: { readonly type: string; readonly id: string };
  readonly channel?: string;
  readonly traceparent?: string;
  /** The link to the event before, see `hash-chain.ts`; set on streams that are chained. */
  readonly chain?: { readonly prev_hash: string; readonly hash: string };
};

/** An event on its way into the log. `id` is a UUID, unique in the log for ever. */
export type NewEvent<E extends Event = Event> = {
  readonly id: string;
  readonly type: E['type'];
  readonly schemaVersion: number;
  readonly data: E['data'];
  readonly meta: EventMeta;
  /** `data` and `meta` as JSON text, where the writer has made it already: stored as it is. */
  readonly json?: { readonly data: string; readonly meta: string };
};

/** An event as the log holds it. `version` counts from 1 within its stream, `position` is the total order. */
export type RecordedEvent<E extends Event = Event> = Omit<NewEvent<E>, 'json'> & {
  readonly stream: string;
  readonly version: bigint;
  readonly position: bigint;
  /** When the database wrote it: for operators, and where waits begin; what happened when is `meta.occurred_at`. */
  readonly recordedAt: string;
};

/** `expected`: the exact version, 0n for a stream that must not exist, 'any' for no check. */
export type Append<E extends Event = Event> = {
  readonly stream: string;
  readonly expected: bigint | 'any';
  readonly events: readonly NewEvent<E>[];
};

export type AppendOutcome =
  /** Stored now. */
  | {
      readonly outcome: 'appended';
      readonly version: bigint;
      readonly firstPosition: bigint;
      readonly lastPosition: bigint;
    }
  /** All of these ids are in this stream already; the positions are those of the first time. */
  | {
      readonly outcome: 'duplicate';
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

export type Snapshot<State> = { readonly version: bigint; readonly state: State };

/** A transaction of the log's database, as much of it as effects need. */
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
  /** Of these types only; one that this program does not know is not passed over, it throws `NewerSchemaVersionError`. */
  readonly types?: readonly string[];
};

export type AppendOptions = {
  readonly within?: (transaction: Transaction) => Promise<void>;
};

export type LockedOptions<E extends Event> = {
  readonly reading?: (
    transaction: Transaction,
    tail: readonly RecordedEvent<E>[],
  ) => Promise<readonly RecordedEvent<E>[]>;
  readonly within?: (transaction: Transaction) => Promise<void>;
};

/** The log as the features use it; the store in memory and the store on Postgres both fill it. */
export type EventLog = {
  /**
   * Appends to one or more streams in one transaction, all or nothing. Outcomes come in the order given;
   * unless every outcome is 'appended' or every one is 'duplicate', nothing was stored.
   * `within` runs in the same transaction after the events are written (inline read models) and only
   * when they are; the memory store refuses it.
   */
  append(appends: readonly Append[], options?: AppendOptions): Promise<readonly AppendOutcome[]>;

  /** Events of a stream in order, upcast to today's shapes. */
  read<E extends Event = Event>(
    stream: string,
    options?: ReadOptions,
  ): Promise<readonly RecordedEvent<E>[]>;

  /**
   * One transaction that takes the stream's lock, reads its events from `from` on, calls `decide` and appends what it
   * returns; [] appends nothing. `decide` is pure and synchronous, because other writers wait for the lock. The lock is
   * granted in the order of requests, and appends to this stream alone at an exact version wait for it too. For writers
   * that lost an optimistic append: repeated optimistic appends would starve the slower of two processes.
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
   * All events in total order after `after`, gap-safe: what is returned will never be preceded by something new.
   * To be gone on from `safeUpTo`, which may have moved although no event came; it is `after` at the end.
   */
  readAll(options: {
    readonly after: bigint;
    readonly limit: number;
    readonly types?: readonly string[];
  }): Promise<{ readonly events: readonly RecordedEvent[]; readonly safeUpTo: bigint }>;

  /** The newest snapshot of a stream under this fold version, or null. A snapshot is a cache: it may be absent. */
  loadSnapshot<State>(stream: string, foldVersion: number): Promise<Snapshot<State> | null>;
  saveSnapshot<State>(
    stream: string,
    foldVersion: number,
    snapshot: Snapshot<State>,
  ): Promise<void>;
  /** Removes the snapshots of a stream that nobody writes to any more, those of every fold version. */
  forgetSnapshots(stream: string): Promise<void>;

  /** Wakes `listener` after every append that this process commits; returns the way to stop. */
  onAppended(listener: (lastPosition: bigint) => void): () => void;
};
