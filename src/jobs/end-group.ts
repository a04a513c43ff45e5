import type { Command } from '@event-driven-io/emmett';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import { isUnavailable } from '../eventlog/unavailable-error.ts';
import { finalStatus } from './final-status.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import { type Cause, decideOnJob, type JobStreams, metaOf, workerOf } from './job-streams.ts';

/** Every item of one group is terminal. */
export type EndGroup = Command<'EndGroup', Omit<job.ItemGroupEnded['data'], 'jobId' | 'at'>, { now: Date }>;

/** The results of a group for its job; null while items are open. */
export const endOf = (state: items.State): EndGroup['data'] | null => {
  if (!items.isEnded(state)) return null;
  return {
    group: state.group,
    run: state.run,
    complete: items.itemsWith(state, 'complete').map(({ itemId, creditsCharged }) => ({ itemId, creditsCharged })),
    failed: items.itemsWith(state, 'failed').map(({ itemId }) => itemId),
    cancelled: items.itemsWith(state, 'cancelled').map(({ itemId }) => itemId),
  };
};

/**
 * The last group ends the job. Each group is recorded once per run. The end of an older run is ignored: a retry is about
 * to queue the failed items of that group again.
 */
export const decide = ({ data, metadata: { now } }: EndGroup, state: job.State): job.JobEvent[] => {
  const { created, groups } = state;
  const group = groups[data.group];
  if (created === null || group === undefined) return [];
  if (group.isEnded || data.run < group.run) return [];

  const { jobId } = created;
  const { run, complete, failed, cancelled } = data;
  const at = now.toISOString();
  const content = { jobId, group: data.group, run, complete, failed, cancelled, at };
  const ended: job.ItemGroupEnded = { type: 'ItemGroupEnded', data: content };
  return [ended, ...finalStatus(job.evolve(state, ended), jobId, at)];
};

/** Records in the job's stream that a group has ended. Safe to run twice. */
export const recordGroupEnd = async (
  deps: Pick<JobStreams, 'jobs' | 'clock'>,
  cause: Cause,
  jobId: string,
  end: EndGroup['data'],
): Promise<void> => {
  await decideOnJob(deps, cause, jobId, (state, now) =>
    decide({ type: 'EndGroup', data: end, metadata: { now } }, state),
  );
};

export type GroupAddress = { readonly jobId: string; readonly group: number };

/** Decides on a group at this moment; resolves to its results, null while items are open. */
export const decideOnGroup = (
  { groups, clock }: Pick<JobStreams, 'groups' | 'clock'>,
  cause: Cause,
  { jobId, group }: GroupAddress,
  decide: (state: items.State, now: Date) => readonly items.ItemEvent[],
): Promise<EndGroup['data'] | null> =>
  groups.run(items.streamOf(jobId, group), {
    decide: (state) => decide(state, clock()),
    meta: metaOf(cause, jobId, clock()),
    answer: endOf,
  });

/**
 * Updates one group of a job after the other, and records the end of each that `update` resolves to. A group that fails
 * does not stop the others; a database that is away stops all. Throws the first error at the end.
 */
export const updateGroups = async <Group>(
  deps: Pick<JobStreams, 'jobs' | 'clock'>,
  cause: Cause,
  jobId: string,
  groups: Iterable<Group>,
  update: (group: Group) => Promise<EndGroup['data'] | null>,
): Promise<void> => {
  const faults: unknown[] = [];
  for (const group of groups) {
    try {
      const end = await update(group);
      if (end !== null) await recordGroupEnd(deps, cause, jobId, end);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
};

/** Releases what is left of the reservations of a job that has ended. Safe to run twice. */
export const closeJob =
  ({ jobs, ledger }: JobStreams & { readonly ledger: Pick<Ledger, 'release'> }) =>
  async ({ jobId }: { readonly jobId: string }): Promise<void> => {
    const { created, reservations, isSettled } = await jobs.read(job.streamOf(jobId));
    if (created === null || !isSettled) return;
    for (const reservationId of reservations) {
      await ledger.release(workerOf(created), { reservationId, jobId, itemId: null, amount: null, why: 'job_ended' });
    }
  };
