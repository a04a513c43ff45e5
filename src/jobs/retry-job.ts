import type { Command } from '@event-driven-io/emmett';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import { priceOf } from '../credits/prices.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import { requireOwn } from './cancel-job.ts';
import { decideOnGroup, updateGroups } from './end-group.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import { type Cause, decideOnJob, type JobStreams, readJob, workerOf } from './job-streams.ts';
import { refuseAbandoned, reservationIdOf } from './start-job.ts';

/** `groups`: the items that are failed now, by group; the reservation covers exactly these. */
export type RetryJob = Command<'RetryJob', Omit<job.JobRetried['data'], 'jobId' | 'at'>, { now: Date }>;

/** Whether a retry is possible; the number of runs is limited. */
export const canRetry = (state: job.State): boolean => {
  if (state.created === null || state.status === 'cancelled' || !state.isListed) return false;
  if (state.run < job.maxRuns) return true;
  throw invalidRequest(
    `The job has run ${job.maxRuns} times. Create a new job for the failed videos.`,
    { path: 'job_id', code: 'too_many_runs' },
    { max_runs: job.maxRuns },
  );
};

/** A retry after a concurrent retry or cancellation changes nothing. */
export const decide = (
  { data: { run, groups, reservationId }, metadata: { now } }: RetryJob,
  state: job.State,
): job.JobEvent[] => {
  const { created } = state;
  if (created === null || groups.length === 0 || run !== state.run + 1) return [];
  if (!canRetry(state)) return [];
  if (reservationId !== null && state.abandoned.has(reservationId)) refuseAbandoned();
  const { jobId } = created;
  const at = now.toISOString();
  return [{ type: 'JobRetried', data: { jobId, run, groups, reservationId, at } }];
};

/** Queues the retried items of a group. Each group records a run once, and never after a cancellation. */
export const decideGroup = (
  { run, retry, now }: { readonly run: number; readonly retry: job.Retry; readonly now: Date },
  state: items.State,
): items.ItemEvent[] => {
  if (state.isCancelled || run <= state.run) return [];
  const { jobId } = state;
  const { reservationId } = retry;
  const itemIds = retry.itemIds.filter((itemId) => state.items.get(itemId)?.status === 'failed');
  const at = now.toISOString();
  return [{ type: 'ItemsRequeued', data: { jobId, run, reservationId, itemIds, at } }];
};

/** The items that a retry has queued. `wasOver`: no other item of the job was open. */
export type JobRetry = { readonly run: number; readonly itemIds: readonly string[]; readonly wasOver: boolean };

/** Attempts after concurrent changes of the job. */
const maxRetries = 5;

/**
 * Queues the failed items of the caller's job again, under a new reservation for exactly these, and returns them. 402
 * leaves the job unchanged. Null: the job has no failed items, or is cancelled.
 */
export const retryJob =
  (deps: JobStreams & { readonly ledger: Pick<Ledger, 'reserve' | 'release'> }) =>
  async (cause: Cause, { jobId }: { readonly jobId: string }): Promise<JobRetry | null> => {
    const { ledger } = deps;
    for (let tries = 0; tries < maxRetries; tries += 1) {
      await requeueItems(deps)({ jobId });
      const { state } = await readJob(deps, jobId);
      requireOwn(state, cause);
      const failed = await failedItems(deps, jobId, state);
      if (failed.length === 0 || !canRetry(state)) return null;

      const run = state.run + 1;
      const { credits: amount } = costOf(failed, state);
      // Each call has its own reservation id: of two that retry at the same time, one releases its reservation.
      const parts = [jobId, run, cause.deduplicationKey, amount];
      const reservationId = amount === 0 ? null : reservationIdOf(state, ...parts);
      if (reservationId !== null) await ledger.reserve(cause, { reservationId, jobId, amount });
      const itemIds = failed.map(({ itemId }) => itemId);
      const data = { run, groups: byGroup(itemIds), reservationId };
      const { state: after, events } = await decideOnJob(deps, cause, jobId, (before, now) =>
        decide({ type: 'RetryJob', data, metadata: { now } }, before),
      );
      // Two executions of one call have the same reservation: the items of a retry that the other has written use it.
      const isInUse = reservationId !== null && after.reservations.has(reservationId);
      if (events.length > 0 || isInUse) {
        await requeueItems(deps)({ jobId });
        return { run, itemIds, wasOver: job.isTerminal(state) };
      }
      if (reservationId !== null) {
        await ledger.release(cause, { reservationId, jobId, itemId: null, amount: null, why: 'abandoned' });
      }
    }
    throw new Refusal('SERVICE_UNAVAILABLE', 'The job is being changed. Try again.', null, 1);
  };

/** What a retry would set aside; nothing is written. */
export const planRetry =
  (deps: JobStreams) =>
  async (
    cause: Cause,
    { jobId }: { readonly jobId: string },
  ): Promise<{ readonly videos: number; readonly credits: number }> => {
    const { state } = await readJob(deps, jobId);
    requireOwn(state, cause);
    return costOf(canRetry(state) ? await failedItems(deps, jobId, state) : [], state);
  };

const costOf = (failed: readonly items.Item[], { created }: job.State) => {
  const videos = failed.filter(({ videoId }) => videoId !== null).length;
  return { videos, credits: videos * (created?.creditsPerItem ?? priceOf('job_item')) };
};

const failedItems = async (
  { groups }: JobStreams,
  jobId: string,
  { groups: known }: job.State,
): Promise<readonly items.Item[]> => {
  const failed: items.Item[] = [];
  for (const group of known.keys()) {
    failed.push(...items.itemsWith(await groups.read(items.streamOf(jobId, group)), 'failed'));
  }
  return failed;
};

const byGroup = (itemIds: readonly string[]): job.JobRetried['data']['groups'] =>
  [...Map.groupBy(itemIds, job.groupOfItem)].map(([group, members]) => ({ group, itemIds: members }));

/**
 * Writes the current run to the groups of a job. Throws for a group that cannot be written, after all others are.
 * `group`: only this one. Safe to run twice.
 */
export const requeueItems =
  (deps: JobStreams) =>
  async ({ jobId, group = null }: job.GroupsOfJob): Promise<void> => {
    const state = await deps.jobs.read(job.streamOf(jobId));
    if (state.created === null) return;
    const cause = workerOf(state.created);
    const retried = retriedGroups(state, group);
    await updateGroups(deps, cause, jobId, retried, ({ index, run, retry }) =>
      decideOnGroup(deps, cause, { jobId, group: index }, (ofGroup, now) => decideGroup({ run, retry, now }, ofGroup)),
    );
  };

type RetriedGroup = { readonly index: number; readonly run: number; readonly retry: job.Retry };

/** The groups whose newest run is a retry that has not ended: all of the job, or this one. */
export const retriedGroups = ({ groups }: Pick<job.State, 'groups'>, group: number | null): readonly RetriedGroup[] =>
  groups.flatMap(({ run, retry, isEnded }, index) =>
    retry === null || isEnded || (group !== null && index !== group) ? [] : [{ index, run, retry }],
  );
