import type { z } from 'zod';
import { maxGroups } from '../../queries.ts';
import type { Cancellations } from './cancellations.ts';
import type { Task } from './task.ts';
import type { WorkCommands } from './work-commands.ts';
import * as stored from './work-commands.ts';

/** How a task is run. */
type TaskRun = {
  readonly signal: AbortSignal;
  /** An error of this attempt is final. */
  readonly isLastAttempt: boolean;
  /** Why the task is not run but failed; null: it is run. */
  readonly deadLetterReason: Error | null;
};

/** A kind of task: parses the payload, calls a command and lets it throw. Must be idempotent. */
export type TaskHandler = {
  readonly run: (payload: unknown, run: TaskRun) => Promise<void>;
  /** Splits a payload into its smallest parts; unset: it cannot be divided. */
  readonly divide?: (payload: unknown) => readonly Task['payload'][];
};

/** Throws what `work` throws, so that the queue tries again. The error of the last attempt goes to `fail`. */
const runOrFail = async (
  { signal, isLastAttempt, deadLetterReason }: TaskRun,
  work: () => Promise<void>,
  fail: (error: unknown) => Promise<void>,
): Promise<void> => {
  if (deadLetterReason !== null) return await fail(deadLetterReason);
  try {
    await work();
  } catch (error) {
    if (!isLastAttempt || signal.aborted) throw error;
    await fail(error);
  }
};

/** A task that calls one command. Without `fail` it is retried until the queue's limit of attempts. */
const task = <Payload>(
  schema: z.ZodType<Payload>,
  command: (payload: Payload, run: TaskRun) => Promise<void>,
  fail?: (payload: Payload, fault: unknown) => Promise<void>,
): TaskHandler => ({
  run: async (given, run) => {
    const payload = schema.parse(given);
    const work = () => command(payload, run);
    if (fail === undefined) await work();
    else await runOrFail(run, work, (fault) => fail(payload, fault));
  },
});

/**
 * Processes a few items of one job concurrently, so that their appends share a group commit. A cancellation aborts
 * running work. If one item fails, the task is retried; items that have ended do nothing then. The last failure fails the item.
 */
export const extractItems = (
  { extractItem, failItem }: Pick<WorkCommands, 'extractItem' | 'failItem'>,
  cancellations: Cancellations,
): TaskHandler => ({
  run: async (payload, { signal, ...run }) => {
    const { itemIds, after, jobId } = stored.Items.parse(payload);
    const work = { jobId, expectedAttempt: after };
    using watched = cancellations.watch(jobId);
    const until = { ...run, signal: AbortSignal.any([signal, watched.signal]) };
    const results = await Promise.allSettled(
      itemIds.map((itemId) =>
        runOrFail(
          until,
          () => extractItem({ ...work, itemId }, until),
          (fault) => failItem({ ...work, itemId }, fault),
        ),
      ),
    );
    const failed = results.find((result) => result.status === 'rejected');
    // A cancelled item needs no retry: its stream records the cancellation.
    if (failed !== undefined && (!watched.signal.aborted || signal.aborted)) throw failed.reason;
  },
  divide: (payload) => {
    const { itemIds, ...work } = stored.Items.parse(payload);
    return itemIds.map((itemId) => ({ ...work, itemIds: [itemId] }));
  },
});

/* The tasks that call one command each, by the runner that takes them. Names and payloads are stored in queues. */

type TaskList = Readonly<Record<string, TaskHandler>>;

export const listingTasks = ({ resolveListing, failListing }: WorkCommands): TaskList => ({
  'resolve-listing': task(stored.Job, resolveListing, failListing),
});

export const deliveryTasks = (commands: WorkCommands): TaskList => ({
  /** Makes one attempt; a retry is a new task. */
  'deliver-webhook': task(stored.Delivery, commands.deliverWebhook, commands.failDelivery),
  'announce-budget': task(stored.Cause, commands.announceEvent),
  'send-mail': task(stored.Mail, commands.sendMail),
});

/** What follows do by themselves. */
export const followTasks = (commands: WorkCommands): TaskList => ({
  'look-at-source': task(stored.Source, commands.lookAtSource),
  'tell-follows': task(stored.Source, commands.tellFollows),
  'advance-video': task(stored.VideoTurn, commands.advanceVideo, commands.failVideo),
  'wake-follow': task(stored.Follow, commands.wakeFollow),
  'wake-follows': task(stored.Account, commands.wakeFollows),
  'pause-follows-of-key': task(stored.Key, commands.pauseFollowsOfKey),
  'pause-follows-of-grant': task(stored.Grant, commands.pauseFollowsOfGrant),
  'recheck-captions': task(stored.Recheck, commands.recheckCaptions),
  'announce-follow': task(stored.Cause, commands.announceEvent),
});

/** One payload for each possible group of a job. */
const divide: NonNullable<TaskHandler['divide']> = (payload) => {
  const { jobId, group } = stored.Groups.parse(payload);
  return group === null ? Array.from({ length: maxGroups }, (_, one) => ({ jobId, group: one })) : [];
};

export const upkeepTasks = (commands: WorkCommands): TaskList => ({
  'announce-run': task(stored.Run, commands.announceRun),
  /** Completes a retry whose call was interrupted. */
  'requeue-items': { ...task(stored.Groups, commands.requeueItems, commands.failRetry), divide },
  /** Completes a cancellation whose call was interrupted. */
  'cancel-items': { ...task(stored.Groups, commands.cancelItems, commands.failCancellation), divide },
  /** Releases the credits that a settled job still reserves. */
  'close-job': task(stored.Job, commands.closeJob),
  'check-reservation': task(stored.Reservation, commands.checkReservation),
  'renew-credits': task(stored.Period, commands.renewCredits),
  'assign-first-plan': task(stored.Account, commands.assignFirstPlan),
  'end-account-work': task(stored.Account, commands.endAccountWork),
});
