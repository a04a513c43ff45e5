import type { AccountMail } from '../../commands.ts';
import type { ExpectedAttempt } from '../../kernel/attempt-fencing.ts';

export type Stop = { readonly signal: AbortSignal };

/** A task that was queued for an older attempt does nothing. */
type AttemptFence = { readonly expectedAttempt: ExpectedAttempt };
type ItemAttempt = AttemptFence & { readonly jobId: string; readonly itemId: string };
/** `group`: only this one; null: all. */
type GroupsOfJob = { readonly jobId: string; readonly group: number | null };
type VideoTurn = { readonly followId: string; readonly videoId: string; readonly afterWaits: ExpectedAttempt };
type DeliveryAttempt = AttemptFence & { readonly deliveryId: string };

/**
 * The commands that tasks call. Each is safe to run twice, also at the same time. A command throws its error, and the
 * queue tries again. `fail…` gets the error of the last attempt and records the end where its owner sees it, or throws.
 */
export type WorkCommands = {
  extractItem(item: ItemAttempt, stop: Stop): Promise<void>;
  failItem(item: ItemAttempt, fault: unknown): Promise<void>;
  resolveListing(job: { readonly jobId: string }, stop: Stop): Promise<void>;
  failListing(job: { readonly jobId: string }, error: unknown): Promise<void>;
  requeueItems(job: GroupsOfJob): Promise<void>;
  failRetry(job: GroupsOfJob, fault: unknown): Promise<void>;
  cancelItems(job: GroupsOfJob): Promise<void>;
  failCancellation(job: { readonly jobId: string }, fault: unknown): Promise<void>;
  closeJob(job: { readonly jobId: string }): Promise<void>;
  /** Asks for the webhooks of a run that has ended. */
  /** Tells receivers that a key has reached a share of its cap. */
  announceBudget(notice: { readonly eventId: string }): Promise<void>;
  announceRun(run: { readonly jobId: string; readonly run: number; readonly causeId: string }): Promise<void>;
  deliverWebhook(delivery: DeliveryAttempt, stop: Stop): Promise<void>;
  failDelivery(delivery: DeliveryAttempt, fault: unknown): Promise<void>;
  /** Looks at a followed channel or playlist for all that follow it. */
  lookAtSource(look: { readonly source: string }, stop: Stop): Promise<void>;
  /** Tells the follows of a source of what is new in it. */
  tellFollows(look: { readonly source: string }): Promise<void>;
  /** Brings a video that a follow has found as far as it goes. */
  advanceVideo(turn: VideoTurn, stop: Stop): Promise<void>;
  failVideo(turn: VideoTurn, fault: unknown): Promise<void>;
  /** Reads what waits in a follow, as far as its budget goes. */
  wakeFollow(follow: { readonly followId: string }, stop: Stop): Promise<void>;
  /** The same for all follows of an account. */
  wakeFollows(account: { readonly accountId: string }): Promise<void>;
  /** Pauses the follows of a key that was revoked. */
  pauseFollowsOfKey(key: { readonly keyId: string }): Promise<void>;
  /** Pauses the follows of an authorization that has ended or expired. */
  pauseFollowsOfGrant(grant: { readonly authorizationId: string }): Promise<void>;
  /** Looks at the captions of a video that a follow has read again. */
  recheckCaptions(
    video: { readonly followId: string; readonly videoId: string; readonly since: string },
    stop: Stop,
  ): Promise<void>;
  /** Asks for the webhooks of an event of a follow. */
  announceFollow(event: { readonly eventId: string }): Promise<void>;
  /** Puts an account whose plan waited for a proof on its plan. */
  assignFirstPlan(account: { readonly accountId: string }): Promise<void>;
  /** Sends a mail to the owner of an account. `mailId` is the same in each attempt. */
  sendMail(mail: AccountMail & { readonly mailId: string }, stop: Stop): Promise<void>;
  checkReservation(reservation: {
    readonly accountId: string;
    readonly jobId: string;
    readonly reservationId: string;
  }): Promise<void>;
  /** Cancels jobs and deletes answers that requests from before an erasure still created. */
  endAccountWork(account: { readonly accountId: string }): Promise<void>;
  /** Opens the period after the one that ended at `closesAt`, by the clock of the queue; none behind a period that an erased account never used. */
  renewCredits(period: {
    readonly accountId: string;
    readonly opensAt: string;
    readonly closesAt: string;
  }): Promise<void>;
};
