import type { Command } from '@event-driven-io/emmett';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import type * as job from './job.ts';
import { type Cause, decideOnJob, type JobStreams } from './job-streams.ts';

/** Releases credits that were reserved for a job a while ago, if no call uses them. */
export type AbandonReservation = Command<'AbandonReservation', { jobId: string; reservationId: string }, { now: Date }>;

/** Records in the job's stream that the reservation is gone. A late use would have to write there. */
export const decide = (
  { data: { jobId, reservationId }, metadata: { now } }: AbandonReservation,
  { reservations, abandoned }: job.State,
): job.JobEvent[] => {
  if (reservations.has(reservationId) || abandoned.has(reservationId)) return [];
  const at = now.toISOString();
  return [{ type: 'JobReservationAbandoned', data: { jobId, reservationId, at } }];
};

/** Releases an unused reservation. Safe to run twice, and beside the call that made it. */
export const abandonReservation =
  (deps: JobStreams & { readonly ledger: Pick<Ledger, 'release'> }) =>
  async (cause: Cause, data: AbandonReservation['data']): Promise<void> => {
    const { jobId, reservationId } = data;
    const { state } = await decideOnJob(deps, cause, jobId, (before, now) =>
      decide({ type: 'AbandonReservation', data, metadata: { now } }, before),
    );
    if (!state.abandoned.has(reservationId)) return;
    await deps.ledger.release(cause, { reservationId, jobId, itemId: null, amount: null, why: 'abandoned' });
  };
