import { decide, type EndGroup } from './finish-job.ts';
import { streamOf } from './job.ts';
import { type Cause, type JobStreams, metaOf } from './job-streams.ts';

/** A group has ended: the job hears of it, and ends when it was the last. Safe to run twice. */
export const tellJob = async (
  { jobs, clock }: Pick<JobStreams, 'jobs' | 'clock'>,
  cause: Cause,
  jobId: string,
  end: EndGroup['data'],
): Promise<void> => {
  await jobs.run(streamOf(jobId), {
    decide: (state) => decide({ type: 'EndGroup', data: end, metadata: { now: clock() } }, state),
    meta: metaOf(cause, jobId, clock()),
    answer: () => null,
  });
};
