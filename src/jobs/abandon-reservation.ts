import type { Command } from '@event-driven-io/emmett';
import type { Ledger } from '../credits/ledger-service.ts';
import * as job from './job.ts';
import { type Cause, type JobStreams, metaOf } from './job-streams.ts';

/** Credits were set aside for a job a while ago; is there anybody who uses them? */
export type AbandonReservation = Command<
  'AbandonReservation',
  { jobId: string; reservationId: string },
  { now: Date }
>;

/** Says in the job's stream, where a late user would have to write, that the reservation is gone. */
export const decide = (
  { data: { jobId, reservationId }, metadata: { now } }: AbandonReservation,
  { reservations, abandoned }: job.State,
): job.JobEvent[] => {
  if (reservations.has(reservationId) || abandoned.has(reservationId)) return [];
  const at = now.toISOString();
  return [{ type: 'JobReservationAbandoned', data: { jobId, reservationId, at } }];
};

/** Gives back what a call set aside and never used. Safe to run twice, and beside the call it judges. */
export const abandonReservation =
  ({ jobs, clock, ledger }: JobStreams & { readonly ledger: Pick<Ledger, 'release'> }) =>
  async (cause: Cause, data: AbandonReservation['data']): Promise<void> => {
    const { jobId, reservationId } = data;
    const isAbandoned = await jobs.run(job.streamOf(jobId), {
      decide: (state) =>
        decide({ type: 'AbandonReservation', data, metadata: { now: clock() } }, state),
      meta: metaOf(cause, jobId, clock()),
      answer: ({ abandoned }) => abandoned.has(reservationId),
    });
    if (!isAbandoned) return;
    const all = { reservationId, jobId, itemId: null, amount: null };
    await ledger.release(cause, { ...all, why: 'abandoned' });
  };
