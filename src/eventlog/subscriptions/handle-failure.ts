import { elapsedMs } from '../../kernel/clock.ts';
import type { BatchEvent } from '../event-log.ts';
import { codeOf, isUnavailable } from '../unavailable-error.ts';
import { HandlerError, type Member, placeAt } from './handle-batch.ts';
import { parkStream } from './parked-streams.ts';
import type { RunnerSettings } from './subscriber.ts';

/** Delays while the database cannot be reached, and while an event cannot be read. */
export const outageDelaysMs = [100, 250, 500, 1_000, 2_000];
/** How often a stopped subscription is tried again. */
const stoppedRetryMs = 30_000;

/** Thrown by a handler when these events are for another version of the program: this one waits, and tries again. */
export class VersionMismatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VersionMismatchError';
  }
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

/**
 * Records that the subscription has stopped, in the log of the process and in its row, unless another process has moved
 * its checkpoint in the meantime, as one of a later version can.
 */
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
    await pool.query(
      `UPDATE es_subscription SET failed_position = $2, failure = $3, failed_at = clock_timestamp()
       WHERE name = $1 AND ($4::bigint IS NULL OR position = $4)`,
      [
        name,
        event === null ? null : String(event.position),
        reason,
        place === null ? null : String(place.stored),
      ],
    );
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
    logger?.error(`${stream} is parked: ${message}`, {
      subscription: name,
      stream,
      position: String(position),
    });
    member.place = placeAt(safeUpTo);
    member.watch.moved(safeUpTo);
  }
  return outcome !== 'too_many';
};
