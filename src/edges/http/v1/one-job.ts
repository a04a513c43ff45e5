import { z } from 'zod';
import { idParameter } from '../../../contract/schemas.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { JobRow, Queries } from '../../../queries.ts';

/** Common members of the endpoints of jobs. */
export const jobEndpoint = {
  access: 'key',
  scope: 'jobs',
  operation: 'job',
  tag: 'Jobs',
} as const;

/** The path of one job. */
export const jobParams = z.object({
  jobId: idParameter('Id of the job: `job_id` of the answer that made it.'),
});

/** A job of the caller's account. Throws JOB_NOT_FOUND, also for a job of another account. */
export const requireJob = async (
  queries: Pick<Queries, 'job'>,
  { accountId }: Call,
  jobId: string,
): Promise<JobRow> => {
  const job = await queries.job(accountId, jobId);
  if (job !== null) return job;
  throw new Refusal('JOB_NOT_FOUND', 'This account has no job with this id.');
};
