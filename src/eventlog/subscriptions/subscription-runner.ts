import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMs } from '../../kernel/clock.ts';
import type { RecordedEvent } from '../event-log.ts';
import { inTransaction, transactionOf } from '../transaction.ts';
import { codeOf, isUnavailable } from '../unavailable-error.ts';
import type { CheckpointWatch } from './checkpoint-watch.ts';
import { ensureCheckpoints, lockCheckpoints, moveCheckpoints } from './checkpoints.ts';
import type { SubscriptionOptions } from './subscription.ts';

/*
 * One subscription at work in one process: looks at the log, has events handled, moves the checkpoint, and knows what to
 * do when that fails.
 */

export const unavailableDelaysMs = [100, 250, 500, 1_000, 2_000];
/** After a look that brought nothing of its types: others are appending a lot. */
export const passingRestMs = 20;
/** How often a checkpoint is stored that only events of other types have moved. */
export const storePassingEveryMs = 250;
/** How often it is looked for what no announcement told of, while announcements are heard (ms). */
const announcedPollMs = 2_000;

/** How long to sleep until the next look when nothing is left to handle. */
export const idleMs = (
  log: { readonly canRelyOnNotify?: () => boolean },
  pollMs: number,
): number => (log.canRelyOnNotify?.() === true ? Math.max(pollMs, announcedPollMs) : pollMs);

/** How often a line that stands still is tried again. */
const stoppedRetryMs = 30_000;

/** A handler throws it when this work is for another program, such as a later one: the line rests here, and looks again. */
export class VersionMismatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VersionMismatchError';
  }
}

export type Line = SubscriptionOptions & {
  readonly watch: CheckpointWatch;
  /** Until the next append, at most so many milliseconds; not at all once it is to stop. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Until somebody waits for it, at most so many milliseconds. */
  readonly rest: (ms: number) => Promise<void>;
  readonly isStopping: () => boolean;
  /** Ends once nothing is left to handle: others look for it from then on. */
  readonly endsCaughtUp?: boolean;
};

/** Where a line is: what its row says, and how far it has looked beyond that and found only what others handle. */
export type Place = { readonly stored: bigint; readonly seen: bigint; readonly storedAtMs: number };

export const placeAt = (position: bigint): Place => ({
  stored: position,
  seen: position,
  storedAtMs: elapsedMs(),
});

/** What one look at the log came to. */
type Step =
  | { readonly kind: 'passed'; readonly position: bigint; readonly hasMore: boolean }
  | { readonly kind: 'moved'; readonly position: bigint; readonly hasMore: boolean }
  | { readonly kind: 'idle' | 'elsewhere' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** The handler threw; `due` are the events it was given. */
class Failure extends Error {
  readonly due: readonly RecordedEvent[];
  readonly safeUpTo: bigint;

  constructor(due: readonly RecordedEvent[], safeUpTo: bigint, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.due = due;
    this.safeUpTo = safeUpTo;
  }
}

/** Works until it is to stop, and answers where it is then; null: to be looked up. Never throws. */
export const run = async (line: Line): Promise<Place | null> => {
  const { batchSize = 500, pollMs = 250, restMs = 0, logger, name } = line;
  let place: Place | null = null;
  let limit = batchSize;
  let failures = 0;
  let outages = 0;

  while (!line.isStopping()) {
    try {
      place ??= placeAt((await ensureCheckpoints(line.pool, [name])).get(name) ?? 0n);
      const step = await advance(line, place, limit);
      outages = 0;
      if (step.kind === 'passed') {
        place = { ...place, seen: step.position };
        line.watch.moved(step.position);
        if (line.endsCaughtUp && step.hasMore) continue;
        if (line.endsCaughtUp) return place;
        await line.rest(Math.max(restMs, passingRestMs));
      } else if (step.kind === 'moved') {
        failures = 0;
        limit = Math.min(batchSize, limit * 2);
        place = placeAt(step.position);
        line.watch.moved(step.position);
        if (step.hasMore) continue;
        if (line.endsCaughtUp) return place;
        await line.rest(restMs);
      } else if (step.kind === 'failed') {
        const { failure } = step;
        if (failure.due.length > 1) limit = Math.max(1, Math.floor(failure.due.length / 2));
        else failures += 1;
        const position = await afterFailure(line, failure, place.stored, failures);
        place = position === null ? null : placeAt(position);
      } else {
        // Elsewhere: another process is at it; what it leaves is read anew.
        if (step.kind === 'elsewhere') place = null;
        else if (line.endsCaughtUp) return place;
        await line.sleep(step.kind === 'idle' ? idleMs(line.log, pollMs) : pollMs);
      }
    } catch (error) {
      const from = place;
      place = null;
      if (error instanceof VersionMismatchError) {
        if (outages === 0) logger?.warn(error.message, { subscription: name });
      } else if (!isPassing(error)) await report(line, null, error, from?.stored ?? null);
      else if (outages === 0) logger?.warn(`subscription ${name} waits`, { error });
      await pauseUnless(line.isStopping, unavailableDelaysMs[outages] ?? 2_000);
      outages = Math.min(outages + 1, unavailableDelaysMs.length);
    }
  }
  return place;
};

/** Reads a batch outside of any transaction, then handles it and moves the checkpoint in one. */
const advance = async (line: Line, place: Place, limit: number): Promise<Step> => {
  const { log, pool, name, types, handle } = line;
  const { events, safeUpTo } = await log.readAll({
    after: place.seen,
    limit,
    ...(types === undefined ? {} : { types }),
  });
  // One look spans more positions than it may bring events: one that came less far than those has seen the end.
  const hasMore = events.length >= limit || safeUpTo - place.seen >= BigInt(limit);
  const isStored = safeUpTo <= place.stored;
  const isFresh = elapsedMs() - place.storedAtMs < storePassingEveryMs;
  if (events.length === 0 && (isStored || isFresh)) {
    return safeUpTo > place.seen
      ? { kind: 'passed', position: safeUpTo, hasMore }
      : { kind: 'idle' };
  }
  try {
    return await inTransaction<Step>(pool, async (client) => {
      const locked = (await lockCheckpoints(client, [name])).get(name);
      if (locked === undefined) return { commit: false, result: { kind: 'elsewhere' } };
      const { position, parked } = locked;
      // Fencing: what was read belongs to another checkpoint than the one that is locked now.
      if (position !== place.stored) {
        return { commit: false, result: { kind: 'moved', position, hasMore: true } };
      }
      const due = events.filter(({ stream }) => !parked.has(stream));
      try {
        await handle(transactionOf(client), due);
      } catch (error) {
        throw new Failure(due, safeUpTo, error);
      }
      await moveCheckpoints(client, [[name, safeUpTo]]);
      return { commit: true, result: { kind: 'moved', position: safeUpTo, hasMore } };
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.cause instanceof VersionMismatchError) throw error.cause;
    if (isPassing(error.cause)) throw error.cause;
    return { kind: 'failed', failure: error };
  }
};

/** The database, not the event, is the reason; a query that took too long may well be the event's fault. */
export const isPassing = (cause: unknown): boolean => {
  const code = codeOf(cause);
  if (code === '40P01' || code === '40001') return true;
  return code !== '57014' && isUnavailable(cause);
};

/** Waits, and gives up an event that failed often enough, as the subscription wants it. Returns the checkpoint. */
const afterFailure = async (
  line: Line,
  failure: Failure,
  checkpoint: bigint,
  failures: number,
): Promise<bigint | null> => {
  const { name, retryDelaysMs = [50, 250, 1_000] } = line;
  const [event] = failure.due;
  const isLast = failures > retryDelaysMs.length;
  if (event === undefined || !isLast) {
    await pauseUnless(line.isStopping, retryDelaysMs[Math.max(0, failures - 1)] ?? 0);
    return checkpoint;
  }
  const about = { subscription: name, stream: event.stream, position: String(event.position) };
  if (line.onError === 'park') {
    const outcome = await park(line, { checkpoint, failure, event });
    if (outcome === 'parked') {
      line.logger?.error(`${event.stream} is parked: ${failure.message}`, about);
      line.watch.moved(failure.safeUpTo);
      return failure.safeUpTo;
    }
    if (outcome === 'elsewhere') return null;
  }
  await report(line, event, failure, checkpoint);
  await pauseUnless(line.isStopping, stoppedRetryMs);
  return checkpoint;
};

/**
 * Says, in the log of the process and where all processes see it, that the line stands still: unless another process
 * has passed `position` meanwhile, as one of a later version can.
 */
const report = async (
  line: Line,
  event: RecordedEvent | null,
  error: unknown,
  position: bigint | null = null,
): Promise<void> => {
  const { name, pool } = line;
  const reason = error instanceof Error ? error.message : String(error);
  line.logger?.error(`subscription ${name} stands still: ${reason}`, {
    stream: event?.stream ?? null,
    position: event === null ? null : String(event.position),
  });
  try {
    await pool.query(
      `UPDATE es_subscription SET failed_position = $2, failure = $3, failed_at = clock_timestamp()
       WHERE name = $1 AND ($4::bigint IS NULL OR position = $4)`,
      [
        name,
        event === null ? null : String(event.position),
        reason,
        position === null ? null : String(position),
      ],
    );
  } catch (cause) {
    line.logger?.warn(`subscription ${name} could not note it`, { error: cause });
  }
};

/** In short steps: a wake for new events does not end it, the wish to stop does. */
export const pauseUnless = async (isStopping: () => boolean, ms: number): Promise<void> => {
  for (let left = ms; left > 0 && !isStopping(); left -= 100) await pause(Math.min(left, 100));
};

/** Sets the event's stream aside and passes it, unless another process has moved the checkpoint or too many are set aside. */
const park = (
  { pool, name, maxParked = 100 }: Line,
  {
    checkpoint,
    failure,
    event,
  }: { readonly checkpoint: bigint; readonly failure: Failure; readonly event: RecordedEvent },
): Promise<'parked' | 'elsewhere' | 'too_many'> =>
  inTransaction(pool, async (client) => {
    const locked = (await lockCheckpoints(client, [name])).get(name);
    if (locked?.position !== checkpoint) return { commit: false, result: 'elsewhere' };
    if (locked.parked.size >= maxParked) return { commit: false, result: 'too_many' };
    await client.query(
      `INSERT INTO es_parked_stream (subscription, stream, version, position, event_id, failure)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        name,
        event.stream,
        String(event.version),
        String(event.position),
        event.id,
        failure.message,
      ],
    );
    await moveCheckpoints(client, [[name, failure.safeUpTo]]);
    return { commit: true, result: 'parked' };
  });
