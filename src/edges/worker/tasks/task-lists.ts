import { z } from 'zod';
import type { WorkCommands } from '../work-commands.ts';
import { after, type Task, task } from './task.ts';

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
]);

type TaskList = Readonly<Record<string, Task>>;

export const listingTasks = ({ resolveListing, failListing }: WorkCommands): TaskList => ({
  'resolve-listing': task(Job, resolveListing, failListing),
});

export const deliveryTasks = (commands: WorkCommands): TaskList => ({
  /** Makes one attempt; a retry is a new task. */
  'deliver-webhook': task(Delivery, commands.deliverWebhook, commands.failDelivery),
  'send-mail': task(Mail, commands.sendMail),
});

/** One payload for each possible group of a job. */
const divided =
  (groups: number): NonNullable<Task['divide']> =>
  (payload) => {
    const { jobId, group } = Groups.parse(payload);
    return group === null
      ? Array.from({ length: groups }, (_, one) => ({ jobId, group: one }))
      : [];
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
