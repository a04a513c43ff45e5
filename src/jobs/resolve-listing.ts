import type { Command } from '@event-driven-io/emmett';
import { isAboutUs } from '../extraction/failures.ts';
import { Refusal, type RefusalCode } from '../kernel/refusal.ts';
import * as job from './job.ts';
import { appendStarted, type JobStreams, readJob, type StartEvents, workerOf } from './job-streams.ts';
import { type FoundVideos, type Lister, listAll, type WantedVideo } from './list-videos.ts';
import { itemsQueued } from './start-job.ts';

/** The result of a listing that the creation of its job did not wait for. */
export type ResolveListing = Command<
  'ResolveListing',
  | { kind: 'listed'; items: readonly WantedVideo[] }
  | { kind: 'refused'; code: RefusalCode | 'INTERNAL_ERROR'; message: string },
  { now: Date }
>;

/** Idempotent, and without effect on a job that has ended. */
export const decide = ({ data, metadata: { now } }: ResolveListing, state: job.State): StartEvents => {
  const { created, run } = state;
  if (created === null || state.isListed || job.isTerminal(state)) return { job: [], groups: [] };
  const { jobId } = created;
  const at = now.toISOString();
  if (data.kind === 'refused') {
    const { code, message } = data;
    return {
      job: [
        { type: 'JobListingFailed', data: { jobId, code, message, at } },
        { type: 'JobFailed', data: { jobId, run, at } },
      ],
      groups: [],
    };
  }
  const groups = itemsQueued({ ...created, items: data.items }, at);
  const listed: job.JobEvent = {
    type: 'JobItemsListed',
    data: { jobId, totalItems: data.items.length, groups: groups.length, at },
  };
  return {
    job: data.items.length === 0 ? [listed, { type: 'JobCompleted', data: { jobId, run, at } }] : [listed],
    groups,
  };
};

/**
 * Lists the videos of a job and writes its items. A permanent refusal fails the job. Other refusals and errors are thrown,
 * so that the queue tries again. Safe to run twice. It throws when `signal` aborts.
 */
export const resolveListing =
  (deps: JobStreams & { readonly listing: Lister }) =>
  async ({ jobId }: { readonly jobId: string }, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    const { state } = await readJob(deps, jobId);
    const { created } = state;
    if (created === null || created.listing === null) return;
    if (state.isListed || job.isTerminal(state)) return;
    const { kind, listing } = created;
    const list = () => listAll(deps.listing, { kind, ...listing }, { signal });
    await writeListing(deps, jobId, await outcomeOf(list, signal));
  };

/** Fails a job with the error of the last attempt of its listing. */
export const failListing =
  (deps: JobStreams & { readonly onFault: (fault: unknown) => void }) =>
  async ({ jobId }: { readonly jobId: string }, error: unknown): Promise<void> => {
    if (!(error instanceof Refusal)) deps.onFault(error);
    await writeListing(deps, jobId, error instanceof Refusal ? refused(error) : faulty);
  };

const faulty = {
  kind: 'refused',
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side. Nothing is charged for this job.',
} as const;

const refused = ({ code, message }: Refusal) => ({ kind: 'refused', code, message }) as const;

/** A concurrent cancellation is found when the job is read again. */
const writeListing = async (deps: JobStreams, jobId: string, data: ResolveListing['data']): Promise<void> => {
  for (let tries = 0; tries < 3; tries += 1) {
    const { state, version } = await readJob(deps, jobId);
    const metadata = { now: deps.clock() };
    const resolved = decide({ type: 'ResolveListing', data, metadata }, state);
    if (resolved.job.length === 0 || state.created === null) return;
    const cause = workerOf(state.created);
    const done = await appendStarted(deps, cause, { jobId, version }, resolved);
    if (done.isAppended) return;
  }
  throw new Error(`${jobId} is being written by other processes`);
};

const outcomeOf = async (list: () => Promise<FoundVideos>, signal: AbortSignal): Promise<ResolveListing['data']> => {
  try {
    return { kind: 'listed', items: (await list()).items };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Refusal) || isAboutUs(error.code)) throw error;
    return refused(error);
  }
};
