import { z } from 'zod';

/* The payloads of tasks, which are stored in queues, and the commands that get them. */

/**
 * The attempt that a task follows; `after` in stored payloads. Tasks of earlier versions, and tasks that are queued again
 * because they were lost, name none and follow any. A task that was queued for an older attempt does nothing.
 */
const after = z.int().nullable().default(null);

export const Items = z.object({ jobId: z.string(), after, itemIds: z.array(z.string()) });
export const Account = z.object({ accountId: z.string() });
export const Job = z.object({ jobId: z.string() });
/** `group`: only this one; null: all. */
export const Groups = Job.extend({ group: z.int().nullable().default(null) });
export const Run = Job.extend({ run: z.int(), causeId: z.string() });
export const Reservation = Account.extend({ jobId: z.string(), reservationId: z.string() });
/** Payloads of earlier versions lack the end or the start of the period: those versions opened any period that was due. */
export const Period = Account.extend({ opensAt: z.string().default(''), closesAt: z.string().default('') });
export const Delivery = z
  .object({ deliveryId: z.string(), after })
  .transform(({ deliveryId, after }) => ({ deliveryId, expectedAttempt: after }));

const ofMail = { accountId: z.string(), mailId: z.string() };
/** `mailId` is the same in each attempt. */
export const Mail = z.discriminatedUnion('kind', [
  z.object({ ...ofMail, kind: z.literal('password_reset'), requestedAt: z.string() }),
  z.object({ ...ofMail, kind: z.literal('mailbox_proof') }),
  z.object({ ...ofMail, kind: z.literal('new_place'), requestId: z.string() }),
  z.object({ ...ofMail, kind: z.literal('new_key'), keyId: z.string() }),
  z.object({ ...ofMail, kind: z.literal('low_credits') }),
  z.object({ ...ofMail, kind: z.literal('budget'), keyId: z.string(), told: z.string() }),
  z.object({ ...ofMail, kind: z.literal('grant_budget'), authorizationId: z.string(), told: z.string() }),
]);

export const Source = z.object({ source: z.string() });
export const Follow = z.object({ followId: z.string() });
export const FollowedVideo = Follow.extend({ videoId: z.string() });
export const VideoTurn = FollowedVideo.extend({ afterWaits: z.int().nullable() });
export const Recheck = FollowedVideo.extend({ since: z.string() });
export const Key = z.object({ keyId: z.string() });
export const Grant = z.object({ authorizationId: z.string() });
/** The event of the log that is announced. */
export const Cause = z.object({ eventId: z.string() });

type Item = { readonly jobId: string; readonly itemId: string; readonly expectedAttempt: number | null };
type Stop = { readonly signal: AbortSignal };
type Work<Payload extends z.ZodType> = (payload: z.output<Payload>, stop: Stop) => Promise<void>;
type Fail<Payload extends z.ZodType> = (payload: z.output<Payload>, fault: unknown) => Promise<void>;

/**
 * The commands that tasks call. Each is safe to run twice, also at the same time. A command throws its error, and the
 * queue tries again. `fail…` gets the error of the last attempt and records the end where its owner sees it, or throws.
 */
export type WorkCommands = {
  extractItem(item: Item, stop: Stop): Promise<void>;
  failItem(item: Item, fault: unknown): Promise<void>;
  resolveListing: Work<typeof Job>;
  failListing: Fail<typeof Job>;
  requeueItems: Work<typeof Groups>;
  failRetry: Fail<typeof Groups>;
  cancelItems: Work<typeof Groups>;
  failCancellation: Fail<typeof Job>;
  closeJob: Work<typeof Job>;
  /** Asks for the webhooks that tell of an event of the log. */
  announceEvent: Work<typeof Cause>;
  /** Asks for the webhooks of a run that has ended. */
  announceRun: Work<typeof Run>;
  deliverWebhook: Work<typeof Delivery>;
  failDelivery: Fail<typeof Delivery>;
  /** Looks at a followed channel or playlist for all that follow it. */
  lookAtSource: Work<typeof Source>;
  /** Tells the follows of a source of what is new in it. */
  tellFollows: Work<typeof Source>;
  /** Brings a video that a follow has found as far as it goes. */
  advanceVideo: Work<typeof VideoTurn>;
  failVideo: Fail<typeof VideoTurn>;
  /** Reads what waits in a follow, as far as its budget goes. */
  wakeFollow: Work<typeof Follow>;
  /** The same for all follows of an account. */
  wakeFollows: Work<typeof Account>;
  /** Pauses the follows of a key that was revoked. */
  pauseFollowsOfKey: Work<typeof Key>;
  /** Pauses the follows of an authorization that has ended or expired. */
  pauseFollowsOfGrant: Work<typeof Grant>;
  /** Looks at the captions of a video that a follow has read again. */
  recheckCaptions: Work<typeof Recheck>;
  /** Puts an account on the plan that waited for the proof of its mailbox. */
  assignFirstPlan: Work<typeof Account>;
  /** Sends a mail to the owner of an account. */
  sendMail: Work<typeof Mail>;
  /** Releases a reservation that its call did not use. */
  checkReservation: Work<typeof Reservation>;
  /** Cancels jobs and deletes answers that requests from before an erasure still created. */
  endAccountWork: Work<typeof Account>;
  /** Opens the period after the one that ended at `closesAt`, by the clock of the queue; none behind a period that an erased account never used. */
  renewCredits: Work<typeof Period>;
};
