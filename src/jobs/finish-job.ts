import type { Command } from '@event-driven-io/emmett';
import * as items from './item-group.ts';
import * as job from './job.ts';

/** The job hears that every item of one group is terminal. */
export type EndGroup = Command<
  'EndGroup',
  {
    group: number;
    run: number;
    complete: readonly job.EndedItem[];
    failed: readonly string[];
    cancelled: readonly string[];
  },
  { now: Date }
>;

/** What an ended group tells its job, or null while items are open. */
export const endOf = (state: items.State): EndGroup['data'] | null => {
  if (!items.isEnded(state)) return null;
  return {
    group: state.group,
    run: state.run,
    complete: items
      .itemsWith(state, 'complete')
      .map(({ itemId, creditsCharged }) => ({ itemId, creditsCharged })),
    failed: items.itemsWith(state, 'failed').map(({ itemId }) => itemId),
    cancelled: items.itemsWith(state, 'cancelled').map(({ itemId }) => itemId),
  };
};

/**
 * The last group ends the job. A group is heard once per run; one that ended before it learnt of a retry is
 * not heard, for its failed items are about to be queued again.
 */
export const decide = ({ data, metadata: { now } }: EndGroup, state: job.State): job.JobEvent[] => {
  const { created, groups } = state;
  const group = groups[data.group];
  if (created === null || group === undefined) return [];
  if (group.isEnded || data.run < group.run) return [];

  const { jobId } = created;
  const at = now.toISOString();
  const { complete, failed, cancelled } = data;
  const ended: job.ItemGroupEnded = {
    type: 'ItemGroupEnded',
    data: { jobId, group: data.group, run: data.run, complete, failed, cancelled, at },
  };
  return [ended, ...endingOf(job.evolve(state, ended), jobId, at)];
};

const endingOf = (state: job.State, jobId: string, at: string): job.JobEvent[] => {
  if (!state.groups.every(({ isEnded }) => isEnded)) return [];
  const { run } = state;
  if (state.status === 'cancelled') {
    if (state.isSettled) return [];
    return [{ type: 'JobCancellationSettled', data: { jobId, run, at } }];
  }
  const { complete, failed } = job.countsOf(state);
  if (failed === 0) return [{ type: 'JobCompleted', data: { jobId, run, at } }];
  return complete === 0
    ? [{ type: 'JobFailed', data: { jobId, run, at } }]
    : [{ type: 'JobCompletedWithErrors', data: { jobId, run, at } }];
};
