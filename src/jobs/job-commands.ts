import type { Call } from '../kernel/call.ts';
import { cancelJob } from './cancel-job.ts';
import { planRetry, retryJob } from './retry-job.ts';
import { type JobDeps, type JobPlan, type JobRequest, type PlanOptions, planJob, startJob } from './start-job.ts';

/** What a caller can do with jobs. */
export type JobCommands = ReturnType<typeof jobCommands>;

/** Nothing is charged for a plan: it may make so many requests to the platform. Ten list a thousand videos. */
const requestsOfPlan = 40;

export const jobCommands = (deps: JobDeps) => ({
  /** What a job would be made of and cost; nothing is written, reserved, charged or extracted. */
  planJob: async (call: Call, wanted: JobRequest, options?: PlanOptions): Promise<JobPlan> => {
    if (wanted.webhookUrl !== null) await deps.requireReachable(wanted.webhookUrl);
    const requests = { left: requestsOfPlan };
    return planJob(deps)(wanted, { ...call, requests }, options);
  },
  startJob: startJob(deps),
  cancelJob: cancelJob(deps),
  planRetry: planRetry(deps),
  retryJob: retryJob(deps),
});
