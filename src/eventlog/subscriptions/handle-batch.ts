import type { Pool, PoolClient } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import { type Ending, inTransaction, ownTransaction } from '../connection.ts';
import type { BatchEvent, LogPart, LogRange, RecordedEvent, Transaction } from '../event-log.ts';
import { codeOf, isUnavailable } from '../unavailable-error.ts';
import { type CheckpointWatch, lockCheckpoints, moveCheckpoints, recordFailure } from './checkpoints.ts';
import { parkStream } from './parked-streams.ts';

/** One subscription to the whole log. */
export type Subscriber<E extends BatchEvent = RecordedEvent> = {
  /** The name of its checkpoint. Of all processes that run it, one at a time handles events. */
  readonly name: string;
  /** Only these types are handled; events of other types move the checkpoint. Undefined: all. */
  readonly types?: readonly string[] | undefined;
  /**
   * The effects of some events, in order, in the transaction that also moves the checkpoint. They happen exactly once
   * as long as all of them are made through `transaction`; no HTTP request may be sent here. Called without events when
   * the checkpoint moves past events of other types only.
   */
  readonly handle: (transaction: Transaction, events: readonly E[]) => Promise<void>;
  /**
   * For an event that fails again and again: `park` sets its stream aside and continues with the other streams, `stop`
   * never passes the event, reports it, and tries again every 30 s.
   */
  readonly onError: 'park' | 'stop';
};

export type RunnerSettings = {
  readonly pool: Pool;
  /** Connections that keep their session, for locks; `pool`, unless it goes through a transaction pooler. */
  readonly sessions?: Pool | undefined;
  /** Events in one transaction at most; 500. */
  readonly batchSize?: number;
  /** How long it sleeps when nothing wakes it: a notification may be lost, and none comes of an append that is rolled back; 500 ms. */
  readonly pollMs?: number;
  /**
   * How long it lets events accumulate after a batch that was not full, unless `caughtUpTo` waits; 0 ms. A batch costs
   * eight round trips and a commit, however few events it has.
   */
  readonly restMs?: number;
  /** How often a lock that another process holds is tried; 500 ms. */
  readonly lockRetryMs?: number;
  /** Delays before the second, third … try of an event; 50, 250 and 1,000 ms. */
  readonly retryDelaysMs?: readonly number[];
  /** With more parked streams than this the subscriber is taken to be at fault: it stops; 100. */
  readonly maxParked?: number;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
};

/** How often a checkpoint is stored that only events of other types have moved (ms). */
const storePassedEveryMs = 250;

/** Where a subscription is: `stored` in its row; `seen` is beyond it, when only events of other types came since. */
type Place = { readonly stored: bigint; readonly seen: bigint; readonly storedAtMs: number };

export const placeAt = (position: bigint): Place => ({ stored: position, seen: position, storedAtMs: elapsedMs() });

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

/**
 * `full`: there is more to read. `moved`: a checkpoint was stored. `passed`: events of other types only. `locked`: another
 * transaction holds the checkpoint.
 */
export type BatchOutcome = 'full' | 'moved' | 'passed' | 'locked' | 'idle';

/** A handler threw; nothing of the batch was stored. `events` are those that it was given. */
class HandlerError extends Error {
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
  run: { readonly pool: Pool; readonly readBatch: (range: LogRange) => Promise<LogPart<E>> },
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
      events: events.filter(({ type, position }) => position > place.seen && (member.types?.has(type) ?? true)),
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
const typesOf = <E extends BatchEvent>(members: readonly Member<E>[]): readonly string[] | undefined => {
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
  const apply = async (client: PoolClient): Promise<Ending<ReadonlySet<Part<E>>>> => {
    const locked = await lockCheckpoints(
      client,
      parts.map(({ member }) => member.subscriber.name),
    );
    // Fencing: a batch is valid for the checkpoint after which it was read, and for no other.
    const valid = parts.filter(({ member, place }) => locked.get(member.subscriber.name)?.position === place.stored);
    const transaction = ownTransaction(client);
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
  };
  // What a crash takes back is handled again: the checkpoint goes back with it.
  const stored = await inTransaction(pool, apply, { isRepeatable: true });
  for (const part of parts) {
    const { member, to } = part;
    member.place = stored.has(part) ? placeAt(to) : null;
    if (stored.has(part)) member.watch.moved(to);
  }
  return stored.size > 0;
};

/** Delays while the database cannot be reached, and while an event cannot be read. */
export const outageDelaysMs = [100, 250, 500, 1_000, 2_000];
/** How often a stopped subscription is tried again. */
const stoppedRetryMs = 30_000;

/** Thrown by a handler when these events are for another version of the program: this one waits, and tries again. */
export class VersionMismatchError extends Error {
  override readonly name = 'VersionMismatchError';
}

/** Whether the database, not the event, is the reason. A query that took too long may well be caused by the event. */
export const isTransient = (error: unknown): boolean => {
  const cause = error instanceof HandlerError ? error.cause : error;
  const code = codeOf(cause);
  if (code === '40P01' || code === '40001') return true;
  return code !== '57014' && isUnavailable(cause);
};

/**
 * Decides how a member goes on after an error: with a smaller batch, after a delay, or past a stream that it parks.
 * True: it is given up for a while, and another process may take over.
 */
export const onFailure = async <E extends BatchEvent>(
  settings: RunnerSettings,
  member: Member<E>,
  error: unknown,
  batchSize: number,
): Promise<boolean> => {
  const { retryDelaysMs = [50, 250, 1_000], logger } = settings;
  const retry = member.retry ?? { limit: batchSize, failures: 0, notBeforeMs: 0 };
  member.retry = retry;
  const waitFor = (ms: number): void => {
    retry.notBeforeMs = elapsedMs() + ms;
  };
  const outageMs = outageDelaysMs[retry.failures] ?? outageDelaysMs.at(-1) ?? 0;

  if (!(error instanceof HandlerError) || error.cause instanceof VersionMismatchError) {
    if (!(error instanceof HandlerError)) await report(settings, member, null, error);
    else if (retry.failures === 0) {
      logger?.warn(error.message, { subscription: member.subscriber.name });
    }
    retry.failures += 1;
    waitFor(outageMs);
    return true;
  }
  const { events } = error;
  const [event] = events;
  if (events.length > 1) {
    retry.limit = Math.floor(events.length / 2);
    return false;
  }
  const delayMs = retryDelaysMs[retry.failures];
  retry.failures += 1;
  if (event === undefined || delayMs !== undefined) {
    waitFor(delayMs ?? stoppedRetryMs);
    return false;
  }
  if (member.subscriber.onError === 'park' && (await park(settings, member, error, event))) {
    retry.failures = 0;
    return false;
  }
  await report(settings, member, event, error);
  waitFor(stoppedRetryMs);
  return true;
};

/** Records that the subscription has stopped, in the log of the process and in its row. */
const report = async <E extends BatchEvent>(
  { pool, logger }: RunnerSettings,
  { subscriber: { name }, place }: Member<E>,
  event: BatchEvent | null,
  error: unknown,
): Promise<void> => {
  const reason = error instanceof Error ? error.message : String(error);
  logger?.error(`subscription ${name} has stopped: ${reason}`, {
    stream: event?.stream ?? null,
    position: event === null ? null : String(event.position),
  });
  try {
    await recordFailure(pool, name, reason, { position: event?.position ?? null, place: place?.stored ?? null });
  } catch (cause) {
    logger?.warn(`the failure of subscription ${name} could not be stored`, { error: cause });
  }
};

/** Parks the stream of an event; whether this member can go on: not when too many streams are parked. */
const park = async <E extends BatchEvent>(
  { pool, logger, maxParked = 100 }: RunnerSettings,
  member: Member<E>,
  { message, safeUpTo }: HandlerError,
  event: BatchEvent,
): Promise<boolean> => {
  const { name } = member.subscriber;
  const outcome = await parkStream(pool, {
    subscription: name,
    event,
    failure: message,
    from: member.place?.stored ?? null,
    to: safeUpTo,
    maxParked,
  });
  if (outcome === 'moved') member.place = null;
  if (outcome === 'parked') {
    const { stream, position } = event;
    logger?.error(`${stream} is parked: ${message}`, { subscription: name, stream, position: String(position) });
    member.place = placeAt(safeUpTo);
    member.watch.moved(safeUpTo);
  }
  return outcome !== 'too_many';
};
