import type { Command } from '@event-driven-io/emmett';
import { isUnavailable } from '../eventlog/unavailable-error.ts';
import * as job from './job.ts';
import { decideOnJob, type JobStreams, workerOf } from './job-streams.ts';

/** A cancellation cannot be written to a group: the job does not wait for it. */
export type FailCancellation = Command<'FailCancellation', Record<never, never>, { now: Date }>;

/** The job is settled without that group. What it holds is released, so that nothing of it can be charged. */
export const decide = (
  { metadata: { now } }: FailCancellation,
  { created, run, status, isSettled }: job.State,
): job.JobEvent[] => {
  if (created === null || status !== 'cancelled' || isSettled) return [];
  const { jobId } = created;
  return [{ type: 'JobCancellationSettled', data: { jobId, run, at: now.toISOString() } }];
};

/**
 * Ends a cancellation with the error of its last attempt. All other groups are cancelled by then, or have tasks of their
 * own. While the database is away, no group counts as failed.
 */
export const failCancellation =
  (deps: JobStreams & { readonly onFault: (fault: unknown) => void }) =>
  async ({ jobId }: { readonly jobId: string }, fault: unknown): Promise<void> => {
    const { created } = await deps.jobs.read(job.streamOf(jobId));
    if (created === null || isUnavailable(fault)) throw fault;
    deps.onFault(fault);
    await decideOnJob(deps, workerOf(created), jobId, (state, now) =>
      decide({ type: 'FailCancellation', data: {}, metadata: { now } }, state),
    );
  };
