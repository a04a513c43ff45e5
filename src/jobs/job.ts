import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { maxItemsPerJob } from '../contract/jobs.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';

export { itemsPerGroup } from '../contract/event-fields.ts';

/*
 * A job is one short stream of facts about the whole, and one stream for each group of its items. A worker
 * writes only to the group of its item; the job hears of a group when its last item has ended. So the cost of
 * an item does not depend on the size of the job, and the end of the job is decided in one place: under the
 * version of the job's stream, by whoever brings the last group.
 *
 * Bounds: at most `maxItemsPerJob` items in `maxGroups` groups and `maxRuns` runs, so a job's stream holds at
 * most 1 + maxRuns × (maxGroups + 5) events (251 with these numbers; a job of 1,000 items that is never
 * retried has 23). The bound of a group's stream stands in `item-group.ts`.
 */
export const maxGroups = maxItemsPerJob / field.itemsPerGroup;
/** The first run and the retries after it. */
export const maxRuns = 10;

export const streamOf = (jobId: string): string => `job-${jobId}`;

/** The same operation makes the same job, however often it is sent. */
export const jobIdOf = (accountId: string, deduplicationKey: string): string =>
  `job_${uuidOf(`${accountId}|${deduplicationKey}|job`).replaceAll('-', '')}`;

/** `index` counts from 0 in the order of the job. The id tells its job, so no look-up is needed. */
export const itemIdOf = (jobId: string, index: number): string =>
  `itm_${jobId.slice('job_'.length)}${String(index).padStart(4, '0')}`;

/** All groups of a job, or only `group`. */
export type GroupsOfJob = { readonly jobId: string; readonly group?: number | null };

/** The group of an item, computed from its id. */
export const groupOfItem = (itemId: string): number => Math.floor(Number(itemId.slice(-4)) / field.itemsPerGroup);

const jobKind = z.enum(['batch', 'playlist', 'channel']).meta({ id: 'JobKind', description: 'the kind of job' });

export type JobKind = z.output<typeof jobKind>;

export type JobStatus = 'queued' | 'processing' | 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';

const pendingListing = z
  .object({
    references: z.array(z.string()).readonly(),
    limit: z.int().describe('maximum number of videos, for all references together'),
  })
  .readonly()
  .meta({ id: 'PendingListing', description: 'a listing that was not resolved when the job was created' });

const followOfJob = z
  .object({
    followId: field.followId,
    period: z.string().describe('the accounting period of the budget: the day on which it opened, `YYYY-MM-DD`'),
  })
  .readonly()
  .meta({ id: 'FollowOfJob', description: 'the follow that started a job' });

/** The follow behind a job. */
export type FollowOfJob = z.output<typeof followOfJob>;

/** A listing whose videos were not known when the job was created. */
export type PendingListing = z.output<typeof pendingListing>;

const endedItem = z
  .object({ itemId: field.itemId, creditsCharged: field.creditsCharged })
  .readonly()
  .meta({ id: 'EndedItem', description: 'a complete item with its cost' });

export type EndedItem = z.output<typeof endedItem>;

/** The fields of events about a run as a whole. */
const ofRun = { jobId: field.jobId, run: field.run, at: field.at };

export const jobEvents = {
  JobCreated: event(
    'A job was created. Its items are in the group streams, which are written in the same transaction or, with `listing`, in that of `JobItemsListed`.',
    {
      jobId: field.jobId,
      accountId: field.accountId,
      kind: jobKind,
      reference: z.string().nullable().describe('the playlist or channel; null: a list of videos'),
      language: orNull(field.language, 'the default of the video'),
      webhookUrl: orNull(field.webhookUrl, 'none'),
      totalItems: field.totalItems,
      groups: z.int().describe('number of groups of items'),
      listing: pendingListing.nullable().describe('the listing to resolve first; null: the items are known'),
      reservationId: orNull(field.reservationId, 'nothing can be charged'),
      creditsReserved: z.int().describe('credits reserved under `reservationId`'),
      creditsPerItem: z.int().exactOptional().describe('maximum cost of one item; absent: that of a transcript'),
      operations: z
        .string()
        .nullable()
        .exactOptional()
        .describe('`wrd_…`: operations that run on each transcript, as JSON; null: erased; absent: none'),
      recognizesSpeech: z
        .literal(true)
        .exactOptional()
        .describe('speech is recognized for videos without captions; absent: it is not'),
      besides: z
        .array(z.enum(['video', 'token_count']))
        .readonly()
        .exactOptional()
        .describe('additional members of the transcripts; absent: none'),
      forcesRecognition: z
        .literal(true)
        .exactOptional()
        .describe('speech is recognized for every video, even with captions; absent: see `recognizesSpeech`'),
      captions: z
        .enum(['manual', 'automatic'])
        .exactOptional()
        .describe('only captions of this kind are read; absent: any'),
      keeps: z
        .literal(true)
        .exactOptional()
        .describe('the transcripts are kept in the library of the account; absent: they are not'),
      words: z.literal(true).exactOptional().describe('results have word timings; absent: they do not'),
      follow: followOfJob
        .exactOptional()
        .describe('the follow that started the job and announces its end; absent: a request started it'),
      keyId: orNull(field.keyId, 'no key'),
      requestId: field.requestId,
      at: field.at,
    },
  ),
  JobItemsListed: event('The pending listing was resolved. The group streams are written in the same transaction.', {
    jobId: field.jobId,
    totalItems: field.totalItems,
    groups: z.int().describe('number of groups of items'),
    at: field.at,
  }),
  JobListingFailed: event(
    'The pending listing could not be resolved. `JobFailed` is appended together with this event.',
    {
      jobId: field.jobId,
      code: field.errorCode.describe('an error code, see [errors.md](errors.md)'),
      message: field.message,
      at: field.at,
    },
  ),
  JobStarted: event('The first item of a run was started.', ofRun),
  ItemGroupEnded: event('Every item of one group has ended. The stream of the group records how.', {
    jobId: field.jobId,
    group: field.group,
    run: field.run,
    complete: z.array(endedItem).readonly().describe('the complete items with their costs'),
    failed: field.failed,
    cancelled: field.cancelled,
    at: field.at,
  }),
  JobCompleted: event('Every item is complete, or there were none. Webhooks are notified once per run.', ofRun),
  JobCompletedWithErrors: event('At least one item is complete and at least one failed.', ofRun),
  JobFailed: event('No item is complete and at least one failed, or the listing could not be resolved.', ofRun),
  JobCancelled: event(
    'The owner cancelled the job. Items in progress are stopped, except those that are already being charged.',
    ofRun,
  ),
  JobCancellationSettled: event(
    'The last item of a cancelled job has ended, or a fault prevented the cancellation of its items. Nothing more is charged.',
    ofRun,
  ),
  JobRetried: event(
    'These failed items are to run again, under a new reservation. `ItemsRequeued` follows in their groups.',
    {
      jobId: field.jobId,
      run: field.run,
      groups: z
        .array(z.object({ group: z.int(), itemIds: z.array(z.string()).readonly() }).readonly())
        .readonly()
        .describe('the groups with the items that are queued again'),
      reservationId: orNull(field.reservationId, 'nothing can be charged'),
      at: field.at,
    },
  ),
  JobReservationAbandoned: event(
    'Credits were reserved for this job or a retry of it, but not used in time. A reservation recorded here can no longer be used.',
    { jobId: field.jobId, reservationId: field.reservationId, at: field.at },
  ),
};

export type JobEvent = EventOf<typeof jobEvents>;
export type JobCreated = EventOf<typeof jobEvents, 'JobCreated'>;
export type ItemGroupEnded = EventOf<typeof jobEvents, 'ItemGroupEnded'>;
export type JobRetried = EventOf<typeof jobEvents, 'JobRetried'>;

export type Retry = { readonly itemIds: readonly string[]; readonly reservationId: string | null };

export type Group = {
  /** The present run. */
  readonly run: number;
  /** The items that this run queues again; null in the first run. */
  readonly retry: Retry | null;
  readonly isEnded: boolean;
  readonly complete: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly creditsCharged: number;
};

export type State = {
  /** Null before the job exists. */
  readonly created: JobCreated['data'] | null;
  readonly status: JobStatus;
  readonly run: number;
  readonly totalItems: number;
  readonly isListed: boolean;
  readonly groups: readonly Group[];
  /** Every item of the newest run is terminal, or its cancellation was given up. */
  readonly isSettled: boolean;
  readonly reservations: ReadonlySet<string>;
  readonly abandoned: ReadonlySet<string>;
  readonly updatedAt: string;
};

export const initialState = (): State => ({
  created: null,
  status: 'queued',
  run: 1,
  totalItems: 0,
  isListed: false,
  groups: [],
  isSettled: false,
  reservations: new Set(),
  abandoned: new Set(),
  updatedAt: '',
});

const openGroups = (count: number): readonly Group[] =>
  Array.from({ length: count }, () => {
    const nothing = { complete: 0, failed: 0, cancelled: 0, creditsCharged: 0 };
    return { run: 1, retry: null, isEnded: false, ...nothing };
  });

export const evolve = (state: State, event: JobEvent): State => ({
  ...state,
  updatedAt: event.data.at,
  ...changesOf(state, event),
});

const changesOf = (state: State, { type, data }: JobEvent): Partial<State> => {
  switch (type) {
    case 'JobCreated': {
      const { totalItems, groups, listing, reservationId } = data;
      const reservations = new Set(idsOf(reservationId));
      return { created: data, totalItems, isListed: listing === null, groups: openGroups(groups), reservations };
    }
    case 'JobItemsListed':
      return { totalItems: data.totalItems, isListed: true, groups: openGroups(data.groups) };
    case 'JobListingFailed':
      return { isListed: true };
    case 'JobStarted':
      return { status: 'processing' };
    case 'ItemGroupEnded':
      return { groups: withEnded(state.groups, data) };
    case 'JobCompleted':
      return { status: 'completed', isSettled: true };
    case 'JobCompletedWithErrors':
      return { status: 'completed_with_errors', isSettled: true };
    case 'JobFailed':
      return { status: 'failed', isSettled: true };
    case 'JobCancelled':
      return { status: 'cancelled' };
    case 'JobCancellationSettled':
      return { isSettled: true };
    case 'JobRetried':
      return {
        status: state.status === 'processing' ? 'processing' : 'queued',
        run: data.run,
        groups: withRetried(state.groups, data),
        isSettled: false,
        reservations: new Set([...state.reservations, ...idsOf(data.reservationId)]),
      };
    case 'JobReservationAbandoned':
      // Callers see nothing of it.
      return { abandoned: new Set([...state.abandoned, data.reservationId]), updatedAt: state.updatedAt };
  }
};

const idsOf = (reservationId: string | null): readonly string[] => (reservationId === null ? [] : [reservationId]);

const withRetried = (groups: readonly Group[], retried: JobRetried['data']): readonly Group[] => {
  const { run, reservationId } = retried;
  const itemIdsOf = new Map(retried.groups.map(({ group, itemIds }) => [group, itemIds]));
  return groups.map((group, index) => {
    const itemIds = itemIdsOf.get(index);
    if (itemIds === undefined) return group;
    return { ...group, run, retry: { itemIds, reservationId }, isEnded: false, failed: 0 };
  });
};

const withEnded = (groups: readonly Group[], ended: ItemGroupEnded['data']): readonly Group[] =>
  groups.map((group, index) =>
    index === ended.group
      ? {
          ...group,
          isEnded: true,
          complete: ended.complete.length,
          failed: ended.failed.length,
          cancelled: ended.cancelled.length,
          creditsCharged: ended.complete.reduce((sum, item) => sum + item.creditsCharged, 0),
        }
      : group,
  );

/** Whether a job has ended: no further item starts. */
export const isTerminal = ({ status }: Pick<State, 'status'>): boolean =>
  status !== 'queued' && status !== 'processing';

/** How the items of the ended groups ended. Exact once the job is settled. */
export const countsOf = ({ groups }: Pick<State, 'groups'>) => {
  const sumOf = (name: 'complete' | 'failed' | 'creditsCharged'): number =>
    groups.reduce((sum, group) => sum + group[name], 0);
  return { complete: sumOf('complete'), failed: sumOf('failed'), creditsCharged: sumOf('creditsCharged') };
};

/** The id of an event is derived from its subject, so that a repeat is stored once. */
export const idOf = (_stream: string, { type, data }: JobEvent): string => {
  switch (type) {
    case 'JobCreated':
    case 'JobItemsListed':
    case 'JobListingFailed':
      return uuidOf(`${data.jobId}|${type}`);
    case 'ItemGroupEnded':
      return uuidOf(`${data.jobId}|${type}|${data.group}|${data.run}`);
    case 'JobReservationAbandoned':
      return uuidOf(`${data.jobId}|${type}|${data.reservationId}`);
    case 'JobStarted':
    case 'JobCompleted':
    case 'JobCompletedWithErrors':
    case 'JobFailed':
    case 'JobCancelled':
    case 'JobCancellationSettled':
    case 'JobRetried':
      return uuidOf(`${data.jobId}|${type}|${data.run}`);
  }
};
