import type { After } from '../../kernel/work.ts';

export type Stop = { readonly signal: AbortSignal };

/** What has gone on since that attempt is left alone. */
type Turn = { readonly after: After };
type ItemTurn = Turn & { readonly jobId: string; readonly itemId: string };
/** `group`: this one alone; null: all. */
type GroupsOfJob = { readonly jobId: string; readonly group: number | null };
type DeliveryTurn = Turn & { readonly deliveryId: string };

/**
 * What tasks call: each is safe to run twice, at the same time too. All of them throw what hinders them, and the
 * queue tries again. `giveUp…` is called with what the last try threw: it ends what the work is about, where its owner
 * sees it, or throws too.
 */
export type WorkCommands = {
  extractItem(item: ItemTurn, stop: Stop): Promise<void>;
  giveUpItem(item: ItemTurn, fault: unknown): Promise<void>;
  resolveListing(job: { readonly jobId: string }, stop: Stop): Promise<void>;
  giveUpListing(job: { readonly jobId: string }, error: unknown): Promise<void>;
  requeueItems(job: GroupsOfJob): Promise<void>;
  giveUpRetry(job: GroupsOfJob, fault: unknown): Promise<void>;
  cancelItems(job: GroupsOfJob): Promise<void>;
  giveUpCancellation(job: { readonly jobId: string }, fault: unknown): Promise<void>;
  closeJob(job: { readonly jobId: string }): Promise<void>;
  /** Asks for the webhooks of a run that has ended. */
  announceRun(run: {
    readonly jobId: string;
    readonly run: number;
    readonly causeId: string;
  }): Promise<void>;
  deliverWebhook(delivery: DeliveryTurn, stop: Stop): Promise<void>;
  giveUpDelivery(delivery: DeliveryTurn, fault: unknown): Promise<void>;
  checkReservation(reservation: {
    readonly accountId: string;
    readonly jobId: string;
    readonly reservationId: string;
  }): Promise<void>;
  /** Ends what calls begun before an account was erased still brought: jobs that are not over, answers that are kept. */
  endAccountWork(account: { readonly accountId: string }): Promise<void>;
  /** Opens the period after the one that ended at `closesAt`, by the clock of the queue; none behind a period that an erased account never used. */
  renewCredits(period: {
    readonly accountId: string;
    readonly opensAt: string;
    readonly closesAt: string;
  }): Promise<void>;
};
