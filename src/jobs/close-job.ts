import type { Ledger } from '../credits/ledger-service.ts';
import * as job from './job.ts';
import { type JobStreams, workerOf } from './job-streams.ts';

/** A job that is settled holds nothing: what is left of its reservations comes back. Safe to run twice. */
export const closeJob =
  ({ jobs, ledger }: JobStreams & { readonly ledger: Pick<Ledger, 'release'> }) =>
  async ({ jobId }: { readonly jobId: string }): Promise<void> => {
    const { created, reservations, isSettled } = await jobs.read(job.streamOf(jobId));
    if (created === null || !isSettled) return;
    for (const reservationId of reservations) {
      const all = { reservationId, jobId, itemId: null, amount: null };
      await ledger.release(workerOf(created), { ...all, why: 'job_ended' });
    }
  };
