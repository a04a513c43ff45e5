import type { FoldedEvent } from '../src/eventlog/event-rows.ts';
import type { Projection } from '../src/eventlog/projections/projection.ts';
import type { ItemEvent } from '../src/jobs/item-group.ts';
import type { JobEvent, JobStatus } from '../src/jobs/job.ts';
import {
  type FeedEntry,
  type ItemChange,
  insertFeed,
  insertItems,
  insertJobs,
  type JobChange,
  type NewItem,
  type NewJob,
  updateItems,
  updateJobs,
} from './job-writes.ts';

type JobOrItemEvent = JobEvent | ItemEvent;

/**
 * Jobs and items for their owner, and the feed of each job: its events by position, for clients that follow it. A
 * settling item is still processing for its owner.
 */
export const jobs: Projection<JobOrItemEvent> = {
  name: 'jobs',
  version: 1,
  types: [
    'JobCreated',
    'JobItemsListed',
    'JobListingFailed',
    'JobStarted',
    'JobCompleted',
    'JobCompletedWithErrors',
    'JobFailed',
    'JobCancelled',
    'JobRetried',
    'ItemsQueued',
    'ItemStarted',
    'ItemExtracted',
    'ItemCompleted',
    'ItemPostponed',
    'ItemExtractionFailed',
    'ItemsCancelled',
    'ItemsRequeued',
  ],
  tables: ['jobs', 'job_items', 'job_feed'],
  createSql: ({ jobs: table, job_items: items, job_feed: feed }) => `
    CREATE TABLE ${table} (
      job_id          text PRIMARY KEY,
      account_id      text NOT NULL,
      kind            text NOT NULL,
      reference       text,
      status          text NOT NULL,
      run             integer NOT NULL,
      is_listed       boolean NOT NULL,
      total_items     integer NOT NULL,
      completed_items integer NOT NULL DEFAULT 0,
      failed_items    integer NOT NULL DEFAULT 0,
      webhook_url     text,
      error_code      text,
      error_message   text,
      created_at      timestamptz NOT NULL,
      updated_at      timestamptz NOT NULL,
      position        bigint NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX ON ${table} (account_id, position DESC);
    CREATE INDEX ON ${table} (updated_at) WHERE status IN ('queued', 'processing');
    CREATE TABLE ${items} (
      item_id         text PRIMARY KEY,
      job_id          text NOT NULL,
      video_id        text,
      reference       text NOT NULL,
      status          text NOT NULL,
      requested_language text,
      language        text,
      error_code      text,
      error_message   text,
      attempts        integer NOT NULL DEFAULT 0,
      credits_charged integer NOT NULL DEFAULT 0,
      charge_id       text,
      due_at          timestamptz NOT NULL,
      ended_position  bigint
    ) WITH (fillfactor = 70);
    CREATE INDEX ON ${items} (job_id, item_id);
    CREATE INDEX ON ${items} (job_id, ended_position) WHERE ended_position IS NOT NULL;
    CREATE INDEX ON ${items} (due_at) WHERE status IN ('queued', 'processing');
    CREATE TABLE ${feed} (
      job_id    text NOT NULL,
      position  bigint NOT NULL,
      type      text NOT NULL,
      data      jsonb NOT NULL,
      PRIMARY KEY (job_id, position)
    )`,
  fold: async (transaction, events, tables) => {
    const { jobs: table = 'jobs', job_items: items = 'job_items', job_feed: feed = 'job_feed' } = tables;
    const batch = batchOf(events);
    if (batch.created.length > 0) await insertJobs(transaction, table, batch.created);
    if (batch.queued.length > 0) await insertItems(transaction, items, batch.queued);
    if (batch.jobs.size > 0) await updateJobs(transaction, table, [...batch.jobs.values()]);
    if (batch.items.size > 0) await updateItems(transaction, items, [...batch.items.values()]);
    if (batch.feed.length > 0) await insertFeed(transaction, feed, batch.feed);
  },
};

type Batch = {
  readonly created: NewJob[];
  readonly queued: NewItem[];
  readonly jobs: Map<string, JobChange>;
  readonly items: Map<string, ItemChange>;
  readonly feed: FeedEntry[];
};

/** One change per job and item, for any number of events. */
const batchOf = (events: readonly FoldedEvent<JobOrItemEvent>[]): Batch => {
  const batch: Batch = { created: [], queued: [], jobs: new Map(), items: new Map(), feed: [] };
  for (const event of events) {
    const jobEvent = event as JobOrItemEvent;
    const position = String(event.position);
    addJobChange(batch, jobEvent, position);
    addItemChanges(batch, jobEvent, position);
    if (isShown(jobEvent.type)) {
      batch.feed.push({
        jobId: jobEvent.data.jobId,
        position,
        type: jobEvent.type,
        data: JSON.stringify(jobEvent.data),
      });
    }
  }
  return batch;
};

/** Settling is not visible, and lists of items are in the job itself. */
const isShown = (type: JobOrItemEvent['type']): boolean => type !== 'ItemExtracted' && type !== 'ItemsQueued';

const statusAfter: Partial<Record<JobOrItemEvent['type'], JobStatus>> = {
  JobStarted: 'processing',
  JobCompleted: 'completed',
  JobCompletedWithErrors: 'completed_with_errors',
  JobFailed: 'failed',
  JobCancelled: 'cancelled',
};

const addJobChange = (batch: Batch, { type, data }: JobOrItemEvent, position: string): void => {
  if (type === 'JobCreated') batch.created.push({ ...data, isListed: data.listing === null, position });
  const change = batch.jobs.get(data.jobId) ?? {
    jobId: data.jobId,
    status: null,
    run: null,
    totalItems: null,
    completed: 0,
    failed: 0,
    code: null,
    message: null,
    at: data.at,
  };
  batch.jobs.set(data.jobId, change);
  // Workers write concurrently, so the newest event need not have the latest time.
  if (data.at > change.at) change.at = data.at;
  change.status = statusAfter[type] ?? change.status;
  if (type === 'JobItemsListed') change.totalItems = data.totalItems;
  if (type === 'JobListingFailed') Object.assign(change, { code: data.code, message: data.message });
  if (type === 'JobRetried') {
    change.run = data.run;
    if (change.status === null) change.status = 'requeued';
    else if (change.status !== 'processing' && change.status !== 'requeued') change.status = 'queued';
  }
  if (type === 'ItemCompleted') change.completed += 1;
  if (type === 'ItemExtractionFailed') change.failed += 1;
  if (type === 'ItemsRequeued') change.failed -= data.itemIds.length;
};

const addItemChanges = (batch: Batch, { type, data }: JobOrItemEvent, position: string): void => {
  const change = (itemId: string, status: string, more: Partial<ItemChange> = {}): void => {
    const before = batch.items.get(itemId) ?? unchanged;
    const dueAt = data.at;
    const rest = { code: null, message: null, ended: null, dueAt, ...more };
    batch.items.set(itemId, { ...before, itemId, status, ...rest });
  };
  switch (type) {
    case 'ItemsQueued':
      for (const { itemId, videoId, reference } of data.items) {
        const { jobId, language, at } = data;
        batch.queued.push({ itemId, jobId, videoId, reference, language, at });
      }
      return;
    case 'ItemStarted':
      change(data.itemId, 'processing', { attempts: data.attempt });
      return;
    case 'ItemExtracted':
      change(data.itemId, 'processing', { language: data.language });
      return;
    case 'ItemCompleted': {
      const { creditsCharged: credits, chargeId } = data;
      change(data.itemId, 'complete', { credits, chargeId, ended: position });
      return;
    }
    case 'ItemPostponed': {
      const { code, message, retryAt } = data;
      change(data.itemId, 'queued', { code, message, dueAt: retryAt });
      return;
    }
    case 'ItemExtractionFailed': {
      const { code, message } = data;
      change(data.itemId, 'failed', { code, message, ended: position });
      return;
    }
    case 'ItemsCancelled':
      for (const itemId of data.itemIds) change(itemId, 'cancelled', { ended: position });
      return;
    case 'ItemsRequeued':
      for (const itemId of data.itemIds) change(itemId, 'queued');
      return;
    default:
      return;
  }
};

const unchanged = { attempts: null, language: null, credits: null, chargeId: null };
