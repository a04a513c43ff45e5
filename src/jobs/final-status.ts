import * as job from './job.ts';

/**
 * The event of the final status once every group has ended: completed, completed with errors or failed by its items; a
 * cancelled job is settled once. Empty while groups are open.
 */
export const finalStatus = (state: job.State, jobId: string, at: string): job.JobEvent[] => {
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
