import type { Command } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';
import { decideOnGroup, updateGroups } from './end-group.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import { type Cause, decideOnJob, type JobStreams, workerOf } from './job-streams.ts';

export type CancelJob = Command<'CancelJob', Record<string, never>, { now: Date }>;

/** A job that has ended stays as it is. A job whose listing is pending has no items to wait for. */
export const decide = ({ metadata: { now } }: CancelJob, state: job.State): job.JobEvent[] => {
  const { created, run } = state;
  if (created === null || job.isTerminal(state)) return [];
  const { jobId } = created;
  const at = now.toISOString();
  const cancelled: job.JobEvent = { type: 'JobCancelled', data: { jobId, run, at } };
  return state.isListed ? [cancelled] : [cancelled, { type: 'JobCancellationSettled', data: { jobId, run, at } }];
};

/**
 * Queued and processing items are cancelled. Settling items are charged already and complete. Each group of a cancelled
 * job records the cancellation once, also without open items: it then ends under the job's run.
 */
export const decideGroup = (
  { run, now }: { readonly run: number; readonly now: Date },
  state: items.State,
): items.ItemEvent[] => {
  if (state.isCancelled || state.items.size === 0) return [];
  const itemIds = [...items.itemsWith(state, 'queued'), ...items.itemsWith(state, 'processing')].map(
    ({ itemId }) => itemId,
  );
  return [{ type: 'ItemsCancelled', data: { jobId: state.jobId, run, itemIds, at: now.toISOString() } }];
};

/** Cancels a job of the caller's account. A job that has ended stays as it is. */
export const cancelJob =
  (deps: JobStreams) =>
  async (cause: Cause, { jobId }: { readonly jobId: string }): Promise<void> => {
    await decideOnJob(deps, cause, jobId, (state, now) => {
      requireOwn(state, cause);
      return decide({ type: 'CancelJob', data: {}, metadata: { now } }, state);
    });
    await cancelItems(deps)({ jobId });
  };

/** A job of another account is answered like an unknown one. */
export const requireOwn = (state: job.State, { accountId }: Pick<Cause, 'accountId'>): void => {
  if (state.created?.accountId === accountId) return;
  throw unknownJob();
};

export const unknownJob = (): Refusal => new Refusal('JOB_NOT_FOUND', 'This account has no job with this id.');

/**
 * Cancels the open items in the groups of a cancelled job. Throws for a group that cannot be written, after all others
 * are. `group`: only this one, also when the job was settled without it. Safe to run twice.
 */
export const cancelItems =
  (deps: JobStreams) =>
  async ({ jobId, group = null }: job.GroupsOfJob): Promise<void> => {
    const state = await deps.jobs.read(job.streamOf(jobId));
    const { created, run, status } = state;
    if (created === null || status !== 'cancelled') return;
    if (state.isSettled && group === null) return;
    const cause = workerOf(created);
    const open = state.groups.flatMap(({ isEnded }, index) => (isEnded ? [] : [index]));
    const told = open.filter((index) => group === null || index === group);
    await updateGroups(deps, cause, jobId, told, (index) =>
      decideOnGroup(deps, cause, { jobId, group: index }, (items, now) => decideGroup({ run, now }, items)),
    );
  };
