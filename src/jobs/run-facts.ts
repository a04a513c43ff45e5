import type { EventLog } from '../eventlog/event-log.ts';
import * as job from './job.ts';

/** How one run of a job ended. */
export type RunFacts = NonNullable<ReturnType<typeof factsOf>>;

/**
 * The result of a run, folded up to its end: the same at any later time. Null when there is no such run or it was
 * cancelled.
 */
export const runFacts =
  ({ log }: { readonly log: Pick<EventLog, 'read'> }) =>
  async ({ jobId, run }: { readonly jobId: string; readonly run: number }): Promise<RunFacts | null> => {
    let state = job.initialState();
    for (const { type, data } of await log.read<job.JobEvent>(job.streamOf(jobId))) {
      state = job.evolve(state, { type, data } as job.JobEvent);
      const isEnd = state.run === run && state.isSettled && state.status !== 'cancelled';
      if (isEnd && type !== 'JobReservationAbandoned') return factsOf(state);
    }
    return null;
  };

const factsOf = (state: job.State) => {
  const { created, status, run, totalItems, updatedAt } = state;
  if (created === null || status === 'queued' || status === 'processing' || status === 'cancelled') {
    return null;
  }
  const { complete, failed, creditsCharged } = job.countsOf(state);
  return {
    jobId: created.jobId,
    accountId: created.accountId,
    kind: created.kind,
    status,
    run,
    totalItems,
    completedItems: complete,
    failedItems: failed,
    creditsCharged,
    webhookUrl: created.webhookUrl,
    /** A follow began it, and tells of its end. */
    isOfFollow: created.follow !== undefined,
    createdAt: created.at,
    updatedAt,
  };
};
