import type { Call } from '../kernel/call.ts';
import { cancelJob } from './cancel-job.ts';
import { type Retried, retryJob } from './retry-job.ts';
import type { JobDeps, JobPlan, JobStarted, JobWanted, PlanOptions } from './start-job.ts';
import { planJob, startJob } from './start-job.ts';

export type { JobPlan, JobStarted, JobWanted, PlanOptions, Retried };

/** What a caller can do with jobs. */
export type JobCommands = {
  /** What a job would be made of and cost; nothing is written, reserved, charged or extracted. */
  planJob(call: Call, wanted: JobWanted, options?: PlanOptions): Promise<JobPlan>;
  startJob(call: Call, wanted: JobWanted): Promise<JobStarted>;
  cancelJob(call: Call, input: { readonly jobId: string }): Promise<void>;
  /** Null: there was nothing to retry. */
  retryJob(call: Call, input: { readonly jobId: string }): Promise<Retried | null>;
};

/** The commands of this module, wired. */
export const jobCommands = (deps: JobDeps): JobCommands => ({
  planJob: async (call, wanted, options) => {
    if (wanted.webhookUrl !== null) await deps.requireReachable(wanted.webhookUrl);
    return planJob(deps)(wanted, call, options);
  },
  startJob: startJob(deps),
  cancelJob: cancelJob(deps),
  retryJob: retryJob(deps),
});
