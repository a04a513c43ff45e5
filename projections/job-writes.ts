import { columnsOf } from '../src/eventlog/connection.ts';
import type { Transaction } from '../src/eventlog/event-log.ts';
import type { JobCreated, JobStatus } from '../src/jobs/job.ts';
import type { JobItemRow } from './job-rows.ts';

export type NewJob = JobCreated['data'] & { readonly isListed: boolean; readonly position: string };

export type NewItem = Pick<JobItemRow, 'itemId' | 'jobId' | 'videoId' | 'reference' | 'language'> & {
  readonly at: string;
};

/** The changes of one job in a batch: the newest values, and sums. */
export type JobChange = {
  readonly jobId: string;
  /** `requeued`: queued again, unless the row says that the job is processing. */
  status: JobStatus | 'requeued' | null;
  run: number | null;
  totalItems: number | null;
  completed: number;
  failed: number;
  code: string | null;
  message: string | null;
  at: string;
};

/** The changes of one item in a batch. Null: unchanged. An error is that of the newest event. */
export type ItemChange = {
  readonly itemId: string;
  status: string;
  attempts: number | null;
  language: string | null;
  code: string | null;
  message: string | null;
  credits: number | null;
  chargeId: string | null;
  dueAt: string;
  ended: string | null;
};

export type FeedEntry = {
  readonly jobId: string;
  readonly position: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
};

/** Inserts new jobs: one statement for all rows of a batch. */
export const insertJobs = async (by: Transaction, table: string, rows: readonly NewJob[]): Promise<void> => {
  await by.query(
    `INSERT INTO ${table} (job_id, account_id, kind, reference, status, run, is_listed, total_items,
       webhook_url, created_at, updated_at, position)
     SELECT job_id, account_id, kind, reference, 'queued', 1, is_listed, total_items,
       webhook_url, created_at, created_at, position
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::int[], $7::text[],
       $8::timestamptz[], $9::bigint[])
       AS new (job_id, account_id, kind, reference, is_listed, total_items, webhook_url, created_at, position)
     ON CONFLICT (job_id) DO NOTHING`,
    columnsOf(
      rows,
      'jobId',
      'accountId',
      'kind',
      'reference',
      'isListed',
      'totalItems',
      'webhookUrl',
      'at',
      'position',
    ),
  );
};

/** Inserts items with status `queued`; an existing row is not changed. */
export const insertItems = async (by: Transaction, table: string, rows: readonly NewItem[]): Promise<void> => {
  await by.query(
    `INSERT INTO ${table} (item_id, job_id, video_id, reference, status, requested_language, due_at)
     SELECT item_id, job_id, video_id, reference, 'queued', language, due_at
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
       AS new (item_id, job_id, video_id, reference, language, due_at)
     ON CONFLICT (item_id) DO NOTHING`,
    columnsOf(rows, 'itemId', 'jobId', 'videoId', 'reference', 'language', 'at'),
  );
};

/** Applies the changes of jobs: counts are added, times only grow, null leaves a column unchanged. */
export const updateJobs = async (by: Transaction, table: string, rows: readonly JobChange[]): Promise<void> => {
  await by.query(
    `UPDATE ${table} AS job
     SET status = CASE
           WHEN new.status = 'requeued' AND job.status = 'processing' THEN job.status
           WHEN new.status = 'requeued' THEN 'queued'
           ELSE coalesce(new.status, job.status) END,
         run = coalesce(new.run, job.run),
         is_listed = job.is_listed OR new.total_items IS NOT NULL OR new.code IS NOT NULL,
         total_items = coalesce(new.total_items, job.total_items),
         completed_items = job.completed_items + new.completed,
         failed_items = job.failed_items + new.failed,
         error_code = coalesce(new.code, job.error_code),
         error_message = coalesce(new.message, job.error_message),
         updated_at = greatest(job.updated_at, new.at)
     FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::int[], $6::int[], $7::text[],
       $8::text[], $9::timestamptz[])
       AS new (job_id, status, run, total_items, completed, failed, code, message, at)
     WHERE job.job_id = new.job_id`,
    columnsOf(rows, 'jobId', 'status', 'run', 'totalItems', 'completed', 'failed', 'code', 'message', 'at'),
  );
};

/** Applies the changes of items. Null leaves attempts, language and charge unchanged, and clears the error. */
export const updateItems = async (by: Transaction, table: string, rows: readonly ItemChange[]): Promise<void> => {
  await by.query(
    `UPDATE ${table} AS item
     SET status = new.status,
         attempts = coalesce(new.attempts, item.attempts),
         language = coalesce(new.language, item.language),
         error_code = new.code,
         error_message = new.message,
         credits_charged = coalesce(new.credits, item.credits_charged),
         charge_id = coalesce(new.charge_id, item.charge_id),
         due_at = new.due_at,
         ended_position = new.ended
     FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[],
       $8::text[], $9::timestamptz[], $10::bigint[])
       AS new (item_id, status, attempts, language, code, message, credits, charge_id, due_at, ended)
     WHERE item.item_id = new.item_id`,
    columnsOf(
      rows,
      'itemId',
      'status',
      'attempts',
      'language',
      'code',
      'message',
      'credits',
      'chargeId',
      'dueAt',
      'ended',
    ),
  );
};

/** Inserts entries of the feed; an existing position is not changed. */
export const insertFeed = async (by: Transaction, table: string, rows: readonly FeedEntry[]): Promise<void> => {
  await by.query(
    `INSERT INTO ${table} (job_id, position, type, data)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::jsonb[])
     ON CONFLICT DO NOTHING`,
    columnsOf(rows, 'jobId', 'position', 'type', 'data'),
  );
};
