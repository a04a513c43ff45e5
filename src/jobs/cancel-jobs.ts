import { cancelJob } from './cancel-job.ts';
import type { Cause, JobStreams } from './job-streams.ts';

/**
 * Cancels every job of the caller's account that is not over. Safe to run twice. `openJobs` tells some of them, the
 * newest state included: none only when there is none.
 */
export const cancelJobs =
  (deps: JobStreams & { readonly openJobs: (accountId: string) => Promise<readonly string[]> }) =>
  async (cause: Cause): Promise<void> => {
    let jobIds = await deps.openJobs(cause.accountId);
    while (jobIds.length > 0) {
      for (const jobId of jobIds) await cancelJob(deps)(cause, { jobId });
      jobIds = await deps.openJobs(cause.accountId);
    }
  };
