import type { Command } from '@event-driven-io/emmett';
import { Refusal, type RefusalCode } from '../kernel/refusal.ts';
import type { ItemsQueued, QueuedItem } from './item-group.ts';
import * as job from './job.ts';
import { appendStarted, type JobStreams, readJob, type Started, workerOf } from './job-streams.ts';
import { type FoundVideos, type ListingDeps, listAll } from './list-videos.ts';
import { itemsQueued } from './start-job.ts';

/** What the listing of a job came to, when it could not be waited for at creation. */
export type ResolveListing = Command<
  'ResolveListing',
  | { kind: 'listed'; items: readonly Omit<QueuedItem, 'itemId'>[] }
  | { kind: 'refused'; code: RefusalCode | 'INTERNAL_ERROR'; message: string },
  { now: Date }
>;

/** Counts once, and never for a job that is over. */
export const decide = ({ data, metadata: { now } }: ResolveListing, state: job.State): Started => {
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
  const groups: readonly ItemsQueued[] = itemsQueued({ ...created, items: data.items }, at);
  const listed: job.JobEvent = {
    type: 'JobItemsListed',
    data: { jobId, totalItems: data.items.length, groups: groups.length, at },
  };
  return {
    job:
      data.items.length === 0
        ? [listed, { type: 'JobCompleted', data: { jobId, run, at } }]
        : [listed],
    groups,
  };
};

export type ResolveListingDeps = JobStreams & {
  readonly listing: Pick<ListingDeps, 'listPlaylist' | 'listChannel'>;
  /** Told of the fault of ours for which a job fails. */
  readonly onFault: (fault: unknown) => void;
};

/**
 * Lists what a job was created for and writes its items. A fault, and a refusal that may pass, are thrown while
 * `isLastTry` is false, so that the queue tries again; at the last try, or by any other refusal, the job fails. Safe to
 * run twice. When `signal` aborts it throws.
 */
export const resolveListing =
  (deps: ResolveListingDeps) =>
  async (
    { jobId, isLastTry }: { readonly jobId: string; readonly isLastTry: boolean },
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> => {
    const { state } = await readJob(deps, jobId);
    const { created } = state;
    if (created === null || created.listing === null || created.kind === 'batch') return;
    if (state.isListed || job.isTerminal(state)) return;
    const { kind, listing } = created;
    const list = () => listAll(deps.listing, { kind, ...listing }, signal);
    const data = await outcomeOf(list, { isLastTry, signal, onFault: deps.onFault });
    // A cancellation may come in between; it is then found at the second look.
    for (let tries = 0; tries < 3; tries += 1) {
      const now = await readJob(deps, jobId);
      const metadata = { now: deps.clock() };
      const resolved = decide({ type: 'ResolveListing', data, metadata }, now.state);
      if (resolved.job.length === 0) return;
      const cause = workerOf(created);
      const done = await appendStarted(deps, jobId, now.version, resolved, cause);
      if (done.isAppended) return;
    }
    throw new Error(`${jobId} is being written by other processes`);
  };

const outcomeOf = async (
  list: () => Promise<FoundVideos>,
  {
    isLastTry,
    signal,
    onFault,
  }: Pick<ResolveListingDeps, 'onFault'> & {
    readonly isLastTry: boolean;
    readonly signal: AbortSignal;
  },
): Promise<ResolveListing['data']> => {
  try {
    return { kind: 'listed', items: (await list()).items };
  } catch (error) {
    signal.throwIfAborted();
    if (!isLastTry && (!(error instanceof Refusal) || mayPass(error))) throw error;
    if (!(error instanceof Refusal)) {
      onFault(error);
      const message = 'Something went wrong on our side. Nothing is charged for this job.';
      return { kind: 'refused', code: 'INTERNAL_ERROR', message };
    }
    return { kind: 'refused', code: error.code, message: error.message };
  }
};

const mayPass = ({ code }: Refusal): boolean => code.startsWith('PLATFORM_');
