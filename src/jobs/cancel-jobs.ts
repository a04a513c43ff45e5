import { cancelJob } from './cancel-job.ts';
import type { ItemAddress } from './extract-item.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import type { Cause, JobStreams } from './job-streams.ts';

type Deps = JobStreams & {
  /** Some jobs of an account that are not over: none only when there is none; null: it cannot be seen now. */
  readonly openJobs: (accountId: string) => Promise<readonly string[] | null>;
  /** Charges and completes an item that is settling. */
  readonly completeItem: (item: ItemAddress) => Promise<void>;
};

/**
 * Cancels every job of the caller's account that is not over, and completes what of it was extracted by then: when this
 * has ended, none of their items is charged any more. False: not all of them could be seen. Safe to run twice.
 */
export const cancelJobs =
  (deps: Deps) =>
  async (cause: Cause): Promise<boolean> => {
    let jobIds = await deps.openJobs(cause.accountId);
    while (jobIds !== null && jobIds.length > 0) {
      for (const jobId of jobIds) {
        await cancelJob(deps)(cause, { jobId });
        await completeSettling(deps, jobId);
      }
      jobIds = await deps.openJobs(cause.accountId);
    }
    return jobIds !== null;
  };

/** Nothing in a cancelled group begins to settle, so that one look finds all. */
const completeSettling = async (
  { jobs, groups, completeItem }: Deps,
  jobId: string,
): Promise<void> => {
  const state = await jobs.read(job.streamOf(jobId));
  for (const group of state.groups.keys()) {
    const settling = items.itemsWith(await groups.read(items.streamOf(jobId, group)), 'settling');
    await Promise.all(settling.map(({ itemId }) => completeItem({ jobId, itemId })));
  }
};
