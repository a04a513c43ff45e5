import type { Command } from '@event-driven-io/emmett';
import { isUnavailable } from '../eventlog/unavailable-error.ts';
import * as job from './job.ts';
import { type JobStreams, metaOf, workerOf } from './job-streams.ts';

/** Whatever is tried to tell a group of a cancelled job throws: the job waits for it no more. */
export type FailCancellation = Command<'FailCancellation', Record<never, never>, { now: Date }>;

/** The job is settled without that group; what it still holds comes back, so that nothing of it can be charged. */
export const decide = (
  { metadata: { now } }: FailCancellation,
  { created, run, status, isSettled }: job.State,
): job.JobEvent[] => {
  if (created === null || status !== 'cancelled' || isSettled) return [];
  const { jobId } = created;
  return [{ type: 'JobCancellationSettled', data: { jobId, run, at: now.toISOString() } }];
};

/**
 * Ends a cancellation whose task has thrown `fault` at its last try: every group that can be told is told by then, or has
 * work of its own where processes died of one. A database that is away says nothing of any group.
 */
export const failCancellation =
  ({ jobs, clock, onFault }: JobStreams & { readonly onFault: (fault: unknown) => void }) =>
  async ({ jobId }: { readonly jobId: string }, fault: unknown): Promise<void> => {
    const stream = job.streamOf(jobId);
    const { created } = await jobs.read(stream);
    if (created === null || isUnavailable(fault)) throw fault;
    onFault(fault);
    const now = clock();
    await jobs.run(stream, {
      decide: (state) => decide({ type: 'FailCancellation', data: {}, metadata: { now } }, state),
      meta: metaOf(workerOf(created), jobId, now),
      answer: () => null,
    });
  };
