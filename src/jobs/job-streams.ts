import type { LedgerContext } from '../credits/ledger-context.ts';
import { decisionBatcher } from '../eventlog/commands/decision-batcher.ts';
import { type EventLog, type EventMeta, metaOf as metaOfCall } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { readState, type StreamState } from '../eventlog/read/read-state.ts';
import type { Clock } from '../kernel/clock.ts';
import { currentTraceparent } from '../kernel/tracing.ts';
import type { ItemsQueued } from './item-group.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';

/** The command handlers of jobs and item groups; one of each per process. */
export type JobStreams = ReturnType<typeof jobStreams>;

/** To be called once per process: decisions on one stream are batched by its handlers. */
export const jobStreams = ({ log, clock }: { log: EventLog; clock: Clock }) => ({
  log,
  clock,
  jobs: decisionBatcher({ log, ...job }),
  groups: decisionBatcher({ log, ...items }),
});

/** The events of the job's stream, and those of each group's, in the order of the groups. */
export type StartEvents = { readonly job: readonly job.JobEvent[]; readonly groups: readonly ItemsQueued[] };

/** The cause of an event: a caller, or the service on behalf of an account. */
export type Cause = LedgerContext;

/** The metadata of an event of this module. The correlation id joins the events of a job and its items. */
export const metaOf = (cause: Cause, jobId: string, now: Date): EventMeta => ({
  ...metaOfCall(cause, now.toISOString()),
  correlation_id: jobId,
});

/**
 * The context of the worker: it acts for the key that created the job, so that charges count as those of the key whose
 * credits are reserved.
 */
export const workerOf = (
  created: Pick<job.JobCreated['data'], 'jobId' | 'accountId' | 'keyId' | 'requestId'>,
): Cause => ({
  accountId: created.accountId,
  actor: created.keyId === null ? { type: 'system', id: 'worker' } : { type: 'key', id: created.keyId },
  channel: 'job',
  requestId: created.requestId,
  deduplicationKey: created.jobId,
  isRepeatable: true,
  traceparent: currentTraceparent(),
  // The cap of the key was checked when the credits were reserved.
  capCredits: null,
});

/** Decides on a job at this moment; resolves to its state with the events, and to these. */
export const decideOnJob = (
  { jobs, clock }: Pick<JobStreams, 'jobs' | 'clock'>,
  cause: Cause,
  jobId: string,
  decide: (state: job.State, now: Date) => readonly job.JobEvent[],
): Promise<{ readonly state: job.State; readonly events: readonly job.JobEvent[] }> =>
  jobs.run(job.streamOf(jobId), {
    decide: (state) => decide(state, clock()),
    meta: metaOf(cause, jobId, clock()),
    answer: (state, events) => ({ state, events }),
  });

/**
 * Writes the first events of a job, or of its listing, and its groups in one transaction. `version` is that
 * of the job's stream at the decision; false when another writer was faster.
 */
export const appendStarted = async (
  { log, clock }: Pick<JobStreams, 'log' | 'clock'>,
  cause: Cause,
  { jobId, version }: { readonly jobId: string; readonly version: bigint },
  started: StartEvents,
): Promise<{ readonly isAppended: boolean; readonly lastPosition: bigint }> => {
  const meta = metaOf(cause, jobId, clock());
  const jobStream = job.streamOf(jobId);
  const outcomes = await log.append([
    {
      stream: jobStream,
      expected: version,
      events: started.job.map((event) => newEvent(event, job.idOf(jobStream, event), meta)),
    },
    ...started.groups.map((queued) => {
      const stream = items.streamOf(jobId, queued.data.group);
      const events = [newEvent(queued, items.idOf(stream, queued), meta)];
      return { stream, expected: 0n, events };
    }),
  ]);
  const positions = outcomes.map((one) => (one.outcome === 'conflict' ? 0n : one.lastPosition));
  return {
    isAppended: outcomes.every(({ outcome }) => outcome === 'appended'),
    lastPosition: positions.reduce((last, position) => (position > last ? position : last), 0n),
  };
};

/** The state of a job with the version it was read at. */
export const readJob = ({ log }: Pick<JobStreams, 'log'>, jobId: string): Promise<StreamState<job.State>> =>
  readState(log, job.streamOf(jobId), job);
