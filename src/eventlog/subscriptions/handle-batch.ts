import type { Pool } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';
import { inTransaction, transactionOf } from '../connection.ts';
import type { BatchEvent } from '../event-log.ts';
import { type CheckpointWatch, lockCheckpoints, moveCheckpoints } from './checkpoints.ts';
import type { Subscriber } from './subscriber.ts';

/** How often a checkpoint is stored that only events of other types have moved (ms). */
const storePassedEveryMs = 250;

/** Where a subscription is: `stored` in its row; `seen` is beyond it, when only events of other types came since. */
export type Place = { readonly stored: bigint; readonly seen: bigint; readonly storedAtMs: number };

export const placeAt = (position: bigint): Place => ({
  stored: position,
  seen: position,
  storedAtMs: elapsedMs(),
});

/** A subscription in this process. */
export type Member<E extends BatchEvent> = {
  readonly subscriber: Subscriber<E>;
  /** Null: all types. */
  readonly types: ReadonlySet<string> | null;
  readonly watch: CheckpointWatch;
  isStarted: boolean;
  /** Null: its row has to be read, or this process stands by. */
  place: Place | null;
  /** While it fails: batches of its own of at most `limit` events, not before a time. Null: it does not fail. */
  retry: { limit: number; failures: number; notBeforeMs: number } | null;
};

/** The next part of the log that is final, see `EventLog.readAll`. */
export type Batch<E extends BatchEvent> = {
  readonly events: readonly E[];
  readonly safeUpTo: bigint;
};

/**
 * `full`: there is more to read. `moved`: a checkpoint was stored. `passed`: events of other types only. `locked`: another
 * transaction holds the checkpoint.
 */
export type BatchOutcome = 'full' | 'moved' | 'passed' | 'locked' | 'idle';

/** A handler threw; nothing of the batch was stored. `events` are those that it was given. */
export class HandlerError extends Error {
  readonly events: readonly BatchEvent[];
  readonly safeUpTo: bigint;

  constructor(events: readonly BatchEvent[], safeUpTo: bigint, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.events = events;
    this.safeUpTo = safeUpTo;
  }
}

type Part<E extends BatchEvent> = {
  readonly member: Member<E>;
  readonly place: Place;
  readonly events: readonly E[];
  readonly to: bigint;
};

/**
 * Reads what is new to any of the members, outside of any transaction, and stores the effects and checkpoints of all of
 * them in one. Throws `HandlerError` when a handler throws.
 */
export const handleBatch = async <E extends BatchEvent>(
  run: {
    readonly pool: Pool;
    readonly readBatch: (range: {
      readonly after: bigint;
      readonly limit: number;
      readonly types: readonly string[] | undefined;
    }) => Promise<Batch<E>>;
  },
  members: readonly Member<E>[],
  limit: number,
): Promise<BatchOutcome> => {
  const after = members.reduce<bigint | null>((min, { place }) => {
    const seen = place?.seen ?? 0n;
    return min === null || seen < min ? seen : min;
  }, null);
  if (after === null) return 'idle';
  const { events, safeUpTo } = await run.readBatch({ after, limit, types: typesOf(members) });
  const parts = members.map((member): Part<E> => {
    const place = member.place ?? placeAt(0n);
    return {
      member,
      place,
      events: events.filter(
        ({ type, position }) => position > place.seen && (member.types?.has(type) ?? true),
      ),
      to: safeUpTo > place.seen ? safeUpTo : place.seen,
    };
  });
  // One read spans more positions than events: a span below the limit has reached the end of the log.
  const hasMore = events.length >= limit || safeUpTo - after >= BigInt(limit);
  if (!parts.some(mustBeStored)) {
    const hasPassed = markSeen(parts);
    return hasPassed ? (hasMore ? 'full' : 'passed') : 'idle';
  }
  const isStored = await store(run.pool, parts, safeUpTo);
  return isStored ? (hasMore ? 'full' : 'moved') : 'locked';
};

/** Undefined: one of the members handles all types. */
const typesOf = <E extends BatchEvent>(
  members: readonly Member<E>[],
): readonly string[] | undefined => {
  const types = new Set<string>();
  for (const member of members) {
    if (member.types === null) return undefined;
    for (const type of member.types) types.add(type);
  }
  return [...types];
};

/** Events to handle, or a checkpoint that other processes have not seen move for too long. */
const mustBeStored = <E extends BatchEvent>({ events, place, to }: Part<E>): boolean =>
  events.length > 0 || (to > place.stored && elapsedMs() - place.storedAtMs >= storePassedEveryMs);

/** Remembers in this process how far was read; whether that is further than before. */
const markSeen = <E extends BatchEvent>(parts: readonly Part<E>[]): boolean => {
  const moved = parts.filter(({ place, to }) => to > place.seen);
  for (const { member, place, to } of moved) {
    member.place = { ...place, seen: to };
    member.watch.moved(to);
  }
  return moved.length > 0;
};

/** Effects and checkpoints of the members whose checkpoint is where this process left it. False: of none. */
const store = async <E extends BatchEvent>(
  pool: Pool,
  parts: readonly Part<E>[],
  safeUpTo: bigint,
): Promise<boolean> => {
  const stored = await inTransaction(pool, async (client) => {
    const locked = await lockCheckpoints(
      client,
      parts.map(({ member }) => member.subscriber.name),
    );
    // Fencing: a batch is valid for the checkpoint after which it was read, and for no other.
    const valid = parts.filter(
      ({ member, place }) => locked.get(member.subscriber.name)?.position === place.stored,
    );
    const transaction = transactionOf(client);
    for (const { member, events } of valid) {
      const { name, handle } = member.subscriber;
      const parked = locked.get(name)?.parked;
      const handled = events.filter(({ stream }) => parked?.has(stream) !== true);
      try {
        await handle(transaction, handled);
      } catch (error) {
        throw new HandlerError(handled, safeUpTo, error);
      }
    }
    if (valid.length > 0) {
      await moveCheckpoints(
        client,
        valid.map(({ member, to }) => [member.subscriber.name, to]),
      );
    }
    return { commit: valid.length > 0, result: new Set(valid) };
  });
  for (const part of parts) {
    const { member, to } = part;
    member.place = stored.has(part) ? placeAt(to) : null;
    if (stored.has(part)) member.watch.moved(to);
  }
  return stored.size > 0;
};
