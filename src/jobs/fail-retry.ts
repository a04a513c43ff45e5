import type { Command } from '@event-driven-io/emmett';
import { isUnavailable } from '../eventlog/unavailable-error.ts';
import { type EndGroup, endOf, recordGroupEnd, updateGroups } from './end-group.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import { type Cause, type JobStreams, metaOf, workerOf } from './job-streams.ts';
import { decideGroup, retriedGroups } from './retry-job.ts';

/** A retry cannot be written to this group: its items are not queued again. */
export type FailGroup = Command<'FailGroup', { run: number; retry: job.Retry }, { now: Date }>;

/** Starts the run in the group without queuing an item, so that a late duplicate of the task queues none either. */
export const decide = (
  { data: { run, retry }, metadata: { now } }: FailGroup,
  state: items.State,
): items.ItemEvent[] => decideGroup({ run, retry: { ...retry, itemIds: [] }, now }, state);

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
    await updateGroups(retriedGroups(state, group), async ({ index, run, retry }) => {
      const end = await endGroup(deps, cause, { jobId, group: index }, { run, retry });
      if (end !== null) await recordGroupEnd(deps, cause, jobId, end);
    });
  };

type Address = { readonly jobId: string; readonly group: number };

/** Writes the run to the group and returns its results; null while other items are open. A group that cannot be written keeps its last results. */
const endGroup = async (
  deps: JobStreams,
  cause: Cause,
  address: Address,
  data: FailGroup['data'],
): Promise<EndGroup['data'] | null> => {
  const { groups, clock } = deps;
  const { jobId, group } = address;
  const metadata = { now: clock() };
  try {
    return await groups.run(items.streamOf(jobId, group), {
      decide: (state) => decide({ type: 'FailGroup', data, metadata }, state),
      meta: metaOf(cause, jobId, metadata.now),
      answer: endOf,
    });
  } catch (error) {
    const last = isUnavailable(error) ? null : await lastEndOf(deps, address);
    if (last === null) throw error;
    return { ...last, run: data.run };
  }
};

/** The last recorded end of a group; null when there was none. */
const lastEndOf = async (
  { log }: Pick<JobStreams, 'log'>,
  { jobId, group }: Address,
): Promise<job.ItemGroupEnded['data'] | null> => {
  const events = await log.read<job.JobEvent>(job.streamOf(jobId));
  const ends = events.flatMap(({ type, data }) => {
    const event = { type, data } as job.JobEvent;
    return event.type === 'ItemGroupEnded' && event.data.group === group ? [event.data] : [];
  });
  return ends.at(-1) ?? null;
};
