import { z } from 'zod';
import type { Cancellations } from './cancellations.ts';
import type { Task } from './task.ts';
import type { WorkCommands } from './work-commands.ts';

/**
 * The attempt that a task follows; `after` in stored payloads. Tasks of earlier versions, and tasks that are queued again
 * because they were lost, name none and follow any.
 */
const after = z.int().nullable().default(null);

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

const Items = z.object({ jobId: z.string(), after, itemIds: z.array(z.string()) });

/**
 * Processes a few items of one job concurrently, so that their appends share a group commit. A cancellation aborts
 * running work. If one item fails, the task is retried; items that have ended do nothing then. The last failure fails the item.
 */
export const extractItems = (
  { extractItem, failItem }: Pick<WorkCommands, 'extractItem' | 'failItem'>,
  cancellations: Cancellations,
): TaskHandler => ({
  run: async (payload, { signal, ...run }) => {
    const { itemIds, after, jobId } = Items.parse(payload);
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
    const { itemIds, ...work } = Items.parse(payload);
    return itemIds.map((itemId) => ({ ...work, itemIds: [itemId] }));
  },
});

/*
 * The tasks that call one command each, by the runner that takes them. Names and payloads are stored in queues.
 */

const Account = z.object({ accountId: z.string() });
const Job = z.object({ jobId: z.string() });
const Groups = Job.extend({ group: z.int().nullable().default(null) });
const Run = Job.extend({ run: z.int(), causeId: z.string() });
const Reservation = Account.extend({ jobId: z.string(), reservationId: z.string() });
/** Payloads of earlier versions lack the end or the start of the period: those versions opened any period that was due. */
const Period = Account.extend({
  opensAt: z.string().default(''),
  closesAt: z.string().default(''),
});
const Delivery = z
  .object({ deliveryId: z.string(), after })
  .transform(({ deliveryId, after }) => ({ deliveryId, expectedAttempt: after }));

const ofMail = { accountId: z.string(), mailId: z.string() };
const Mail = z.discriminatedUnion('kind', [
  z.object({ ...ofMail, kind: z.literal('password_reset'), requestedAt: z.string() }),
  z.object({ ...ofMail, kind: z.literal('mailbox_proof') }),
  z.object({ ...ofMail, kind: z.literal('new_place'), requestId: z.string() }),
  z.object({ ...ofMail, kind: z.literal('new_key'), keyId: z.string() }),
  z.object({ ...ofMail, kind: z.literal('low_credits') }),
  z.object({ ...ofMail, kind: z.literal('budget'), keyId: z.string(), told: z.string() }),
  z.object({ ...ofMail, kind: z.literal('grant_budget'), authorizationId: z.string(), told: z.string() }),
]);

const Source = z.object({ source: z.string() });
const Follow = z.object({ followId: z.string() });
const FollowedVideo = Follow.extend({ videoId: z.string() });

type TaskList = Readonly<Record<string, TaskHandler>>;

export const listingTasks = ({ resolveListing, failListing }: WorkCommands): TaskList => ({
  'resolve-listing': task(Job, resolveListing, failListing),
});

export const deliveryTasks = (commands: WorkCommands): TaskList => ({
  /** Makes one attempt; a retry is a new task. */
  'deliver-webhook': task(Delivery, commands.deliverWebhook, commands.failDelivery),
  'announce-budget': task(z.object({ eventId: z.string() }), commands.announceBudget),
  'send-mail': task(Mail, commands.sendMail),
});

/** What follows do by themselves. */
export const followTasks = (commands: WorkCommands): TaskList => ({
  'look-at-source': task(Source, commands.lookAtSource),
  'tell-follows': task(Source, commands.tellFollows),
  'advance-video': task(
    FollowedVideo.extend({ afterWaits: z.int().nullable() }),
    commands.advanceVideo,
    commands.failVideo,
  ),
  'wake-follow': task(Follow, commands.wakeFollow),
  'wake-follows': task(Account, commands.wakeFollows),
  'pause-follows-of-key': task(z.object({ keyId: z.string() }), commands.pauseFollowsOfKey),
  'pause-follows-of-grant': task(z.object({ authorizationId: z.string() }), commands.pauseFollowsOfGrant),
  'recheck-captions': task(FollowedVideo.extend({ since: z.string() }), commands.recheckCaptions),
  'announce-follow': task(z.object({ eventId: z.string() }), commands.announceFollow),
});

/** One payload for each possible group of a job. */
const divided =
  (groups: number): NonNullable<TaskHandler['divide']> =>
  (payload) => {
    const { jobId, group } = Groups.parse(payload);
    return group === null ? Array.from({ length: groups }, (_, one) => ({ jobId, group: one })) : [];
  };

/** `groups`: those that a job has at most. */
export const upkeepTasks = (commands: WorkCommands, groups: number): TaskList => ({
  'announce-run': task(Run, commands.announceRun),
  /** Completes a retry whose call was interrupted. */
  'requeue-items': {
    ...task(Groups, commands.requeueItems, commands.failRetry),
    divide: divided(groups),
  },
  /** Completes a cancellation whose call was interrupted. */
  'cancel-items': {
    ...task(Groups, commands.cancelItems, commands.failCancellation),
    divide: divided(groups),
  },
  /** Releases the credits that a settled job still reserves. */
  'close-job': task(Job, commands.closeJob),
  /** Releases a reservation that its call did not use. */
  'check-reservation': task(Reservation, commands.checkReservation),
  /** Opens the billing period that is due, unless the account was erased; otherwise its first request would open it. */
  'renew-credits': task(Period, commands.renewCredits),
  /** Puts an account on the plan that waited for the proof of its mailbox. */
  'assign-first-plan': task(Account, commands.assignFirstPlan),
  'end-account-work': task(Account, commands.endAccountWork),
});
