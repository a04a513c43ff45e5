import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';

/*
 * Fifty items of a job share one stream. Bound: 1 + items × (2 × maxStartsPerRun + 2) × runs + runs events; an
 * item that is read at the first try writes three (started, extracted, completed), so a group of 50 that meets
 * no trouble has 151.
 *
 * An item's attempts are numbered through all runs. The number is the fence: what an attempt brings counts
 * only while it is the newest one and the item is processing. `ItemExtracted` is the point of no return: from
 * there on the item can only become complete, whoever settles its charge.
 */

/** Transient failures of one run after which an item fails for good. */
export const maxFailuresPerRun = 3;
/** Starts in one run, those included whose worker vanished: an item that kills its workers must end. */
export const maxStartsPerRun = 10;

/** One stream per group of a job. */
export const streamOf = (jobId: string, group: number): string => `items-${jobId}-${String(group).padStart(2, '0')}`;

/** All groups of one job. */
export const streamsOf = (jobId: string): string => `items-${jobId}-`;

/** Why an item failed; INTERNAL_ERROR stands for a fault of ours. */
export type ItemErrorCode = z.output<typeof field.errorCode>;

const queuedItem = z
  .object({
    itemId: z.string(),
    videoId: z
      .string()
      .nullable()
      .describe(
        'video id of 11 characters; null: the reference is not a video, and the item fails when it is processed',
      ),
    reference: z.string().describe('the reference as the caller sent it, or the link of a listed video'),
  })
  .readonly()
  .meta({ id: 'QueuedItem', description: 'an item that is queued' });

export type QueuedItem = z.output<typeof queuedItem>;

/** The first fields of events about an attempt. */
const ofAttempt = { jobId: field.jobId, itemId: field.itemId, attempt: field.attempt };

export const itemEvents = {
  ItemsQueued: event('The items of a group are queued.', {
    jobId: field.jobId,
    accountId: field.accountId,
    group: field.group,
    language: orNull(field.language, 'the default of the video'),
    reservationId: orNull(field.reservationId, 'nothing can be charged'),
    items: z.array(queuedItem).readonly().describe('the items to read, in the order of the job'),
    at: field.at,
  }),
  ItemStarted: event('An attempt began.', { ...ofAttempt, at: field.at }),
  ItemExtracted: event('The transcript was read and stored. It is charged next, whatever happens to the job.', {
    ...ofAttempt,
    language: field.language.nullable().describe('language tag (BCP 47) of the text; null: not known'),
    isRecognized: z
      .literal(true)
      .exactOptional()
      .describe('the text comes from speech recognition, which has its own price; absent: from captions'),
    contentSha256: field.contentSha256.exactOptional(),
    at: field.at,
  }),
  ItemCompleted: event('The item is charged, and its transcript can be fetched.', {
    ...ofAttempt,
    chargeId: orNull(field.chargeId, 'nothing was charged'),
    creditsCharged: field.creditsCharged,
    at: field.at,
  }),
  ItemPostponed: event('The attempt failed for a temporary reason; the next one is due at `retryAt`.', {
    ...ofAttempt,
    code: field.errorCode.describe('an error code, see [errors.md](errors.md)'),
    message: field.message,
    retryAt: field.retryAt,
    at: field.at,
  }),
  ItemExtractionFailed: event('The item failed for good in this run; its share of the reservation is released.', {
    ...ofAttempt,
    code: field.errorCode.describe('an error code, see [errors.md](errors.md)'),
    message: field.message,
    details: z
      .record(z.string(), z.unknown())
      .readonly()
      .exactOptional()
      .describe('details of the error; absent: none'),
    at: field.at,
  }),
  ItemsCancelled: event('The job was cancelled: these items, which were queued or processing, ended.', {
    jobId: field.jobId,
    run: field.run,
    itemIds: field.itemIds,
    at: field.at,
  }),
  ItemsRequeued: event(
    'These failed items of the group are queued for a new run, under its reservation; none are if a fault prevented it.',
    {
      jobId: field.jobId,
      run: field.run,
      reservationId: orNull(field.reservationId, 'nothing can be charged'),
      itemIds: field.itemIds,
      at: field.at,
    },
  ),
};

export type ItemEvent = EventOf<typeof itemEvents>;
export type ItemsQueued = EventOf<typeof itemEvents, 'ItemsQueued'>;
export type ItemCompleted = EventOf<typeof itemEvents, 'ItemCompleted'>;
export type ItemExtractionFailed = EventOf<typeof itemEvents, 'ItemExtractionFailed'>;

/** `settling`: extracted, and its charge under way; to callers it is still processing. */
export type ItemStatus = 'queued' | 'processing' | 'settling' | 'complete' | 'failed' | 'cancelled';

export type Item = QueuedItem & {
  readonly status: ItemStatus;
  /** The newest attempt, 0 before the first. */
  readonly attempt: number;
  readonly startsInRun: number;
  readonly failuresInRun: number;
  /** The newest attempt of this run that failed and is followed by another, 0 before any. */
  readonly postponed: number;
  readonly reservationId: string | null;
  /** Of a failed item. */
  readonly errorCode: ItemErrorCode | null;
  readonly language: string | null;
  /** Its speech was recognized; absent: it has captions. */
  readonly isRecognized?: boolean;
  /** SHA-256 (hex) of its captions; absent: not known. */
  readonly contentSha256?: string;
  readonly creditsCharged: number;
  readonly chargeId: string | null;
};

export type State = {
  readonly jobId: string;
  readonly accountId: string;
  readonly group: number;
  /** The language wanted of every item. */
  readonly language: string | null;
  readonly run: number;
  readonly isCancelled: boolean;
  readonly items: Map<string, Item>;
};

export const initialState = (): State => ({
  jobId: '',
  accountId: '',
  group: 0,
  language: null,
  run: 1,
  isCancelled: false,
  items: new Map(),
});

export const evolve = (state: State, { type, data }: ItemEvent): State => {
  switch (type) {
    case 'ItemsQueued': {
      const { jobId, accountId, group, language, reservationId } = data;
      for (const { itemId, videoId, reference } of data.items) {
        const queued = { itemId, videoId, reference, reservationId };
        state.items.set(itemId, { ...untouched, ...queued });
      }
      return { ...state, jobId, accountId, group, language };
    }
    case 'ItemStarted':
      return withItem(state, data.itemId, ({ startsInRun }) => ({
        status: 'processing',
        attempt: data.attempt,
        startsInRun: startsInRun + 1,
      }));
    case 'ItemExtracted':
      return withItem(state, data.itemId, () => ({
        status: 'settling',
        language: data.language,
        ...(data.isRecognized === undefined ? {} : { isRecognized: data.isRecognized }),
        ...(data.contentSha256 === undefined ? {} : { contentSha256: data.contentSha256 }),
      }));
    case 'ItemCompleted': {
      const { itemId, creditsCharged, chargeId } = data;
      return withItem(state, itemId, () => ({ status: 'complete', creditsCharged, chargeId }));
    }
    case 'ItemPostponed':
      return withItem(state, data.itemId, ({ failuresInRun }) => ({
        status: 'queued',
        failuresInRun: failuresInRun + 1,
        postponed: data.attempt,
      }));
    case 'ItemExtractionFailed':
      return withItem(state, data.itemId, () => ({ status: 'failed', errorCode: data.code }));
    case 'ItemsCancelled':
      for (const itemId of data.itemIds) withItem(state, itemId, () => ({ status: 'cancelled' }));
      return { ...state, run: data.run, isCancelled: true };
    case 'ItemsRequeued': {
      const { run, reservationId } = data;
      const anew = { status: 'queued', startsInRun: 0, failuresInRun: 0, postponed: 0, reservationId } as const;
      for (const itemId of data.itemIds) withItem(state, itemId, () => anew);
      return { ...state, run };
    }
  }
};

/** A copy that `evolve` may change: it replaces items, and never changes one. */
export const copy = (state: State): State => ({ ...state, items: new Map(state.items) });

const untouched = {
  status: 'queued',
  attempt: 0,
  startsInRun: 0,
  failuresInRun: 0,
  postponed: 0,
  errorCode: null,
  language: null,
  creditsCharged: 0,
  chargeId: null,
} as const;

/** The fold owns the map: a copy of it per event would be quadratic. */
const withItem = (state: State, itemId: string, changesOf: (item: Item) => Partial<Item>): State => {
  const item = state.items.get(itemId);
  if (item !== undefined) state.items.set(itemId, { ...item, ...changesOf(item) });
  return state;
};

const isOver = ({ status }: Item): boolean => status === 'complete' || status === 'failed' || status === 'cancelled';

/** Every item is terminal. A stream that does not exist yet has not ended. */
export const isEnded = ({ items }: State): boolean => items.size > 0 && items.values().every(isOver);

/** The items with this status, in the order of the job. */
export const itemsWith = ({ items }: State, status: ItemStatus): readonly Item[] =>
  [...items.values()].filter((item) => item.status === status);

/** What happened once is stored once: the id of an event is made from what it is about. */
export const idOf = (stream: string, { type, data }: ItemEvent): string => {
  switch (type) {
    case 'ItemsQueued':
      return uuidOf(`${stream}|${type}`);
    case 'ItemsCancelled':
    case 'ItemsRequeued':
      return uuidOf(`${stream}|${type}|${data.run}`);
    case 'ItemStarted':
    case 'ItemExtracted':
    case 'ItemCompleted':
    case 'ItemPostponed':
    case 'ItemExtractionFailed':
      return uuidOf(`${data.itemId}|${type}|${data.attempt}`);
  }
};
