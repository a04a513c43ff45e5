import { cancelJob } from './cancel-job.ts';
import type { ItemAddress } from './extract-item.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import type { Cause, JobStreams } from './job-streams.ts';

type Deps = JobStreams & {
  /** Some open jobs of an account; empty only when there is none, null when it cannot be read now. */
  readonly openJobs: (accountId: string) => Promise<readonly string[] | null>;
  /** Charges and completes an item that is settling. */
  readonly completeItem: (item: ItemAddress) => Promise<void>;
};

/**
 * Cancels all open jobs of the caller's account and completes their extracted items. Afterwards none of their items is
 * charged any more. False: not all jobs could be read. Safe to run twice.
 */
export const cancelJobs =
  (deps: Deps) =>
  async (cause: Cause): Promise<boolean> => {
    const { jobs, groups, completeItem } = deps;
    let jobIds = await deps.openJobs(cause.accountId);
    while (jobIds !== null && jobIds.length > 0) {
      for (const jobId of jobIds) {
        await cancelJob(deps)(cause, { jobId });
        // No item of a cancelled group starts to settle, so one read finds all.
        for (const group of (await jobs.read(job.streamOf(jobId))).groups.keys()) {
          const settling = items.itemsWith(await groups.read(items.streamOf(jobId, group)), 'settling');
          await Promise.all(settling.map(({ itemId }) => completeItem({ jobId, itemId })));
        }
      }
      jobIds = await deps.openJobs(cause.accountId);
    }
    return jobIds !== null;
  };
