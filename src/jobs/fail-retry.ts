import type { Command } from '@event-driven-io/emmett';
import { isUnavailable } from '../eventlog/unavailable-error.ts';
import { decideOnGroup, type GroupAddress, updateGroups } from './end-group.ts';
import type * as items from './item-group.ts';
import * as job from './job.ts';
import { type JobStreams, workerOf } from './job-streams.ts';
import { decideGroup, retriedGroups } from './retry-job.ts';

/** A retry cannot be written to this group: its items are not queued again. */
export type FailGroup = Command<'FailGroup', { run: number; retry: job.Retry }, { now: Date }>;

/** Starts the run in the group without queuing an item, so that a late duplicate of the task queues none either. */
export const decide = ({ data: { run, retry }, metadata: { now } }: FailGroup, state: items.State): items.ItemEvent[] =>
  decideGroup({ run, retry: { ...retry, itemIds: [] }, now }, state);

/**
 * Ends a retry with the error of its last attempt. In groups without this run, failed items stay failed, and the job ends
 * when no other item is open. `group`: only this one. Throws for a group that cannot be written, after all others are.
 * Safe to run twice.
 */
export const failRetry =
  (deps: JobStreams & { readonly onFault: (fault: unknown) => void }) =>
  async ({ jobId, group = null }: job.GroupsOfJob, fault: unknown): Promise<void> => {
    const state = await deps.jobs.read(job.streamOf(jobId));
    if (state.created === null) throw fault;
    deps.onFault(fault);
    const cause = workerOf(state.created);
    const retried = retriedGroups(state, group);
    await updateGroups(deps, cause, jobId, retried, async ({ index, run, retry }) => {
      const address = { jobId, group: index };
      try {
        return await decideOnGroup(deps, cause, address, (ofGroup, now) =>
          decide({ type: 'FailGroup', data: { run, retry }, metadata: { now } }, ofGroup),
        );
      } catch (error) {
        // A group that cannot be written keeps its last results.
        const last = isUnavailable(error) ? null : await lastEndOf(deps, address);
        if (last === null) throw error;
        return { ...last, run };
      }
    });
  };

/** The last recorded end of a group; null when there was none. */
const lastEndOf = async (
  { log }: Pick<JobStreams, 'log'>,
  { jobId, group }: GroupAddress,
): Promise<job.ItemGroupEnded['data'] | null> => {
  const events = await log.read<job.JobEvent>(job.streamOf(jobId));
  const ends = events.flatMap(({ type, data }) => {
    const event = { type, data } as job.JobEvent;
    return event.type === 'ItemGroupEnded' && event.data.group === group ? [event.data] : [];
  });
  return ends.at(-1) ?? null;
};
