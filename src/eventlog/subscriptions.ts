import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { elapsedMs } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { bell } from './bell.ts';
import { type CheckpointWatch, checkpointWatch } from './checkpoint-watch.ts';
import { ensureCheckpoint, lockCheckpoint, moveCheckpoint } from './checkpoints.ts';
import type { EventLog, RecordedEvent, Transaction } from './log.ts';
import { type ParkedStream, parkedStreams, resumeParked } from './parked-streams.ts';
import { type SubscriptionReport, subscriptionReports } from './subscription-reports.ts';
import { inTransaction, transactionOf } from './transaction.ts';
import { codeOf, isUnavailable } from './unavailable.ts';

export type SubscriptionOptions = {
  /** Its checkpoint's name; all processes that give the same name share the work, one at a time. */
  readonly name: string;
  readonly log: Pick<EventLog, 'read' | 'readAll' | 'onAppended'>;
  readonly pool: Pool;
  /** Only these types; others move the checkpoint and are not handled. */
  readonly types?: readonly string[];
  /**
   * The effects of some events, in order, in the transaction that also moves the checkpoint: exactly once, as long
   * as everything it does is done in `transaction`. Never anything else (no HTTP) inside.
   */
  readonly handle: (transaction: Transaction, events: readonly RecordedEvent[]) => Promise<void>;
  /**
   * What becomes of an event that fails again and again: 'park' sets its stream aside and goes on with the others,
   * 'stop' never passes it, reports, and tries again once in a while.
   */
  readonly onError: 'park' | 'stop';
  /** Events in one transaction at most; 500. */
  readonly batchSize?: number;
  /** How long it sleeps when nobody in this process appends; 250 ms. */
  readonly pollMs?: number;
  /**
   * How long it lets events gather after a batch that was not full, unless somebody waits in `caughtUpTo`; 0 ms. A
   * batch costs eight round trips and a commit however few its events are.
   */
  readonly restMs?: number;
  /** Pauses before the second, third … try of one event; 50, 250 and 1,000 ms. */
  readonly retryDelaysMs?: readonly number[];
  /** More parked streams than this are not bad luck but a fault: the line stops; 100. */
  readonly maxParked?: number;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
};

export type Subscription = AsyncDisposable & {
  readonly name: string;
  /** Begins to handle in this process. */
  start(): void;
  /** Ends after the batch under way. */
  stop(): Promise<void>;
  /** Whether everything up to `position` is handled, by whichever process; waits at most `timeoutMs`. */
  caughtUpTo: CheckpointWatch['caughtUpTo'];
  /** How far it is behind, and whether it stands still; null when it has never run. */
  report(): Promise<SubscriptionReport | null>;
  parked(): Promise<readonly ParkedStream[]>;
  /** Handles what waits of a parked stream; throws what the handler throws. False when it is not parked. */
  resume(stream: string): Promise<boolean>;
};

const unavailableDelaysMs = [100, 250, 500, 1_000, 2_000];
/** After a look that brought nothing of its types: others are appending a lot. */
const passingRestMs = 20;
/** How often a checkpoint is stored that only events of other types have moved. */
const storePassingEveryMs = 250;
/** How often a line that stands still is tried again. */
const stoppedRetryMs = 30_000;

/** One subscription to the whole log, see `SubscriptionOptions`. It rests until `start`. */
export const subscription = (options: SubscriptionOptions): Subscription => {
  const { name, log, pool, types, handle } = options;
  const watch = checkpointWatch(pool, name);
  const wakes = bell();
  const hurry = bell();
  let running: { isStopping: boolean; readonly ended: Promise<void> } | null = null;

  const stop = async (): Promise<void> => {
    if (running === null) return;
    running.isStopping = true;
    wakes.ring();
    hurry.ring();
    await running.ended;
    running = null;
  };

  return {
    name,
    start: () => {
      if (running !== null) return;
      const turn = { isStopping: false, ended: Promise.resolve() };
      const unsubscribe = log.onAppended(wakes.ring);
      const sleep = async (ms: number): Promise<void> => {
        if (!turn.isStopping) await wakes.wait(ms);
      };
      const rest = async (ms: number): Promise<void> => {
        if (!turn.isStopping && ms > 0) await hurry.wait(ms);
      };
      const ended = run({ ...options, watch, sleep, rest, isStopping: () => turn.isStopping });
      turn.ended = ended.finally(unsubscribe);
      running = turn;
    },
    stop,
    caughtUpTo: (position, within) => {
      hurry.ring();
      return watch.caughtUpTo(position, within);
    },
    report: async () => (await subscriptionReports(pool, name))[0] ?? null,
    parked: () => parkedStreams(pool, name),
    resume: (stream) => resumeParked({ pool, log, name, stream, types, handle }),
    [Symbol.asyncDispose]: stop,
  };
};

/** A handler throws it when this work is for another program, such as a later one: the line rests here, and looks again. */
export class WorkOfAnother extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkOfAnother';
  }
}

type Line = SubscriptionOptions & {
  readonly watch: CheckpointWatch;
  /** Until the next append, at most so many milliseconds; not at all once it is to stop. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Until somebody waits for it, at most so many milliseconds. */
  readonly rest: (ms: number) => Promise<void>;
  readonly isStopping: () => boolean;
};

/** Where a line is: what its row says, and how far it has looked beyond that and found only what others handle. */
type Place = { readonly stored: bigint; readonly seen: bigint; readonly storedAtMs: number };

const placeAt = (position: bigint): Place => ({
  stored: position,
  seen: position,
  storedAtMs: elapsedMs(),
});

/** What one look at the log came to. */
type Step =
  | { readonly kind: 'passed'; readonly position: bigint }
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

const run = async (line: Line): Promise<void> => {
  const { batchSize = 500, pollMs = 250, restMs = 0, logger, name } = line;
  let place: Place | null = null;
  let limit = batchSize;
  let failures = 0;
  let outages = 0;

  while (!line.isStopping()) {
    try {
      place ??= placeAt(await ensureCheckpoint(line.pool, name));
      const step = await advance(line, place, limit);
      outages = 0;
      if (step.kind === 'passed') {
        place = { ...place, seen: step.position };
        line.watch.moved(step.position);
        await line.rest(Math.max(restMs, passingRestMs));
      } else if (step.kind === 'moved') {
        failures = 0;
        limit = Math.min(batchSize, limit * 2);
        place = placeAt(step.position);
        line.watch.moved(step.position);
        if (!step.hasMore) await line.rest(restMs);
      } else if (step.kind === 'failed') {
        const { failure } = step;
        if (failure.due.length > 1) limit = Math.max(1, Math.floor(failure.due.length / 2));
        else failures += 1;
        const position = await afterFailure(line, failure, place.stored, failures);
        place = position === null ? null : placeAt(position);
      } else {
        // Elsewhere: another process is at it; what it leaves is read anew.
        if (step.kind === 'elsewhere') place = null;
        await line.sleep(pollMs);
      }
    } catch (error) {
      const from = place;
      place = null;
      if (error instanceof WorkOfAnother) {
        if (outages === 0) logger?.warn(error.message, { subscription: name });
      } else if (!isPassing(error)) await report(line, null, error, from?.stored ?? null);
      else if (outages === 0) logger?.warn(`subscription ${name} waits`, { error });
      await pauseUnlessStopping(line, unavailableDelaysMs[outages] ?? 2_000);
      outages = Math.min(outages + 1, unavailableDelaysMs.length);
    }
  }
};

/** Reads a batch outside of any transaction, then handles it and moves the checkpoint in one. */
const advance = async (line: Line, place: Place, limit: number): Promise<Step> => {
  const { log, pool, name, types, handle } = line;
  const { events, safeUpTo } = await log.readAll({
    after: place.seen,
    limit,
    ...(types === undefined ? {} : { types }),
  });
  const isStored = safeUpTo <= place.stored;
  const isFresh = elapsedMs() - place.storedAtMs < storePassingEveryMs;
  if (events.length === 0 && (isStored || isFresh)) {
    return safeUpTo > place.seen ? { kind: 'passed', position: safeUpTo } : { kind: 'idle' };
  }
  try {
    return await inTransaction<Step>(pool, async (client) => {
      const { position, parked } = await lockCheckpoint(client, name);
      if (position === null) return { commit: false, result: { kind: 'elsewhere' } };
      // Fencing: what was read belongs to another checkpoint than the one that is locked now.
      if (position !== place.stored) {
        return { commit: false, result: { kind: 'moved', position, hasMore: true } };
      }
      const due = events.filter(({ stream }) => !parked.has(stream));
      if (due.length > 0) {
        try {
          await handle(transactionOf(client), due);
        } catch (error) {
          throw new Failure(due, safeUpTo, error);
        }
      }
      await moveCheckpoint(client, name, safeUpTo);
      const hasMore = events.length >= limit;
      return { commit: true, result: { kind: 'moved', position: safeUpTo, hasMore } };
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.cause instanceof WorkOfAnother) throw error.cause;
    if (isPassing(error.cause)) throw error.cause;
    return { kind: 'failed', failure: error };
  }
};

/** The database, not the event, is the reason; a query that took too long may well be the event's fault. */
const isPassing = (cause: unknown): boolean => {
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
  const { name, pool, retryDelaysMs = [50, 250, 1_000] } = line;
  const [event] = failure.due;
  const isLast = failures > retryDelaysMs.length;
  if (event === undefined || !isLast) {
    await pauseUnlessStopping(line, retryDelaysMs[Math.max(0, failures - 1)] ?? 0);
    return checkpoint;
  }
  const about = { subscription: name, stream: event.stream, position: String(event.position) };
  if (line.onError === 'park') {
    const outcome = await park(pool, name, checkpoint, failure, event, line.maxParked ?? 100);
    if (outcome === 'parked') {
      line.logger?.error(`${event.stream} is parked: ${failure.message}`, about);
      line.watch.moved(failure.safeUpTo);
      return failure.safeUpTo;
    }
    if (outcome === 'elsewhere') return null;
  }
  await report(line, event, failure, checkpoint);
  await pauseUnlessStopping(line, stoppedRetryMs);
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
const pauseUnlessStopping = async (line: Line, ms: number): Promise<void> => {
  for (let left = ms; left > 0 && !line.isStopping(); left -= 100) await pause(Math.min(left, 100));
};

/** Sets the event's stream aside and passes it. */
const park = (
  pool: Pool,
  name: string,
  checkpoint: bigint,
  failure: Failure,
  event: RecordedEvent,
  maxParked: number,
): Promise<'parked' | 'elsewhere' | 'too_many'> =>
  inTransaction(pool, async (client) => {
    const { position, parked } = await lockCheckpoint(client, name);
    if (position !== checkpoint) return { commit: false, result: 'elsewhere' };
    if (parked.size >= maxParked) return { commit: false, result: 'too_many' };
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
    await moveCheckpoint(client, name, failure.safeUpTo);
    return { commit: true, result: 'parked' };
  });
