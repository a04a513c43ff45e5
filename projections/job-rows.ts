import type { Sql } from 'postgres';
import type { JobCreated, JobStatus } from '../src/jobs/job.ts';
import { type ListOrder, type ListPage, type Page, pageInOrder, readPage } from './list-order.ts';

export type JobItemRow = {
  readonly itemId: string;
  readonly jobId: string;
  readonly videoId: string | null;
  readonly reference: string;
  readonly status: 'queued' | 'processing' | 'complete' | 'failed' | 'cancelled';
  readonly requestedLanguage: string | null;
  readonly language: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly attempts: number;
  readonly creditsCharged: number;
  readonly chargeId: string | null;
  /** Where the item ended last; results are read in this order. Null while it is open. */
  readonly endedPosition: string | null;
};

/** An item with the details of the refusal that it failed with. */
export type DetailedItemRow = JobItemRow & { readonly errorDetails: Readonly<Record<string, unknown>> | null };

export type JobRow = Readonly<
  Pick<JobCreated['data'], 'jobId' | 'accountId' | 'kind' | 'reference' | 'totalItems' | 'webhookUrl'>
> & {
  readonly status: JobStatus;
  readonly run: number;
  readonly completedItems: number;
  readonly failedItems: number;
  /** What its items and their operations cost, as far as they are complete. */
  readonly creditsCharged: number;
  /** Why the listing failed. */
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly position: string;
};

const creditsCharged = (sql: Sql) => sql`(
  SELECT coalesce(sum(item.credits_charged), 0)::integer FROM job_items AS item WHERE item.job_id = jobs.job_id)`;

/** The position is selected as text under the same name, so ORDER BY must name the table, or 9 would come after 10. */
const jobColumns = (sql: Sql) => sql`
  job_id, account_id, kind, reference, status, run, total_items, completed_items, failed_items,
  ${creditsCharged(sql)} AS credits_charged,
  typed_text(webhook_url) AS webhook_url, error_code, error_message, created_at, updated_at, position::text`;

/** An order of jobs: by what they were created from, when, by their items, or by what they cost so far. */
export type JobOrder = ListOrder<'reference' | 'created' | 'items' | 'credits'>;

/** One page of the jobs of an account. */
export type JobPage = ListPage<JobOrder['by']>;

/** The jobs of an account. */
export const jobsOf = async (sql: Sql, accountId: string, page: JobPage): Promise<Page<JobRow>> => {
  const { before, status = null, order = { by: 'created', isDescending: true } } = page;
  const values = {
    reference: sql`coalesce(reference, '')`,
    created: null,
    items: sql`total_items`,
    credits: creditsCharged(sql),
  };
  const list = sql`FROM jobs WHERE account_id = ${accountId}`;
  const { by, isDescending } = order;
  return await readPage(
    page.limit,
    (limit) => sql<JobRow[]>`
    SELECT ${jobColumns(sql)}
    ${list} ${status === null ? sql`` : sql`AND status = ${status}`}
    ${pageInOrder(sql, { list, position: sql`jobs.position`, value: values[by], isDescending, before, limit })}`,
  );
};

/** Whether a job of this account names a URL for its deliveries. */
export const hasJobWithUrl = async (sql: Sql, accountId: string): Promise<boolean> => {
  const rows = await sql`
    SELECT 1 FROM jobs WHERE account_id = ${accountId} AND webhook_url IS NOT NULL LIMIT 1`;
  return rows.length > 0;
};

/** One job of an account, null when the account has none with this id. */
export const jobOf = async (sql: Sql, accountId: string, jobId: string): Promise<JobRow | null> => {
  const [row] = await sql<JobRow[]>`
    SELECT ${jobColumns(sql)} FROM jobs WHERE job_id = ${jobId} AND account_id = ${accountId}`;
  return row ?? null;
};

/** One job of any account; null if there is none with this id. */
export const jobById = async (sql: Sql, jobId: string): Promise<JobRow | null> => {
  const [row] = await sql<JobRow[]>`SELECT ${jobColumns(sql)} FROM jobs WHERE job_id = ${jobId}`;
  return row ?? null;
};

const itemColumns = (sql: Sql) => sql`
  i.item_id, i.job_id, i.video_id, i.reference, i.status, i.requested_language, i.language, i.error_code,
  i.error_message, i.attempts, i.credits_charged, i.charge_id, i.ended_position::text`;

const detailedItems = (sql: Sql) => sql`
  SELECT ${itemColumns(sql)}, ended.data -> 'details' AS error_details
  FROM job_items AS i
  LEFT JOIN job_feed AS ended
    ON i.status = 'failed' AND ended.job_id = i.job_id AND ended.position = i.ended_position`;

/** The first items of each of these jobs, in the order of the job, at most `perJob` of each. */
export const firstItemsOf = async (sql: Sql, jobIds: readonly string[], perJob: number): Promise<JobItemRow[]> => {
  return await sql<JobItemRow[]>`
    SELECT ${itemColumns(sql)}
    FROM unnest(string_to_array(${jobIds.join()}, ',')) AS wanted (job_id)
    CROSS JOIN LATERAL (
      SELECT * FROM job_items WHERE job_id = wanted.job_id ORDER BY item_id LIMIT ${perJob}
    ) AS i`;
};

/** The first items of a job, in its order, at most `limit`. */
export const detailedItemsOf = async (sql: Sql, jobId: string, limit: number): Promise<DetailedItemRow[]> =>
  await sql<DetailedItemRow[]>`${detailedItems(sql)} WHERE i.job_id = ${jobId} ORDER BY i.item_id LIMIT ${limit}`;

/** Items that have ended, in the order in which they ended, after a position. An item retried ends again. */
export const endedItemsOf = async (
  sql: Sql,
  jobId: string,
  page: { readonly limit: number; readonly after: string | null; readonly afterItem: string | null },
): Promise<DetailedItemRow[]> => {
  return await sql<DetailedItemRow[]>`
    ${detailedItems(sql)}
    WHERE i.job_id = ${jobId} AND i.ended_position IS NOT NULL
      ${
        page.after === null
          ? sql``
          : sql`AND (i.ended_position, i.item_id) > (${page.after}::bigint, ${page.afterItem ?? ''})`
      }
    ORDER BY i.ended_position, i.item_id
    LIMIT ${page.limit}`;
};

export type FeedRow = {
  readonly position: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of a retry: whether the job was processing and still is; else it is queued again. */
  readonly goesOn: boolean;
};

/** What happened in a job after a position, in order, at most `limit`. */
export const feedOf = async (
  sql: Sql,
  jobId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<FeedRow[]> => {
  return await sql<FeedRow[]>`
    SELECT position::text, type, data,
      CASE WHEN type = 'JobRetried' THEN coalesce((
        SELECT before.type = 'JobStarted'
        FROM job_feed before
        WHERE before.job_id = job_feed.job_id AND before.position < job_feed.position
          AND before.type IN (
            'JobStarted', 'JobCompleted', 'JobCompletedWithErrors', 'JobFailed', 'JobCancelled')
        ORDER BY before.position DESC
        LIMIT 1), false)
      ELSE false END AS goes_on
    FROM job_feed
    WHERE job_id = ${jobId} AND position > ${page.after}::bigint
    ORDER BY job_feed.position
    LIMIT ${page.limit}`;
};

/** Whether a job is over and each of its items has ended. */
export const isSettled = async (sql: Sql, jobId: string): Promise<boolean> => {
  const rows = await sql`
    SELECT FROM jobs
    WHERE job_id = ${jobId} AND status NOT IN ('queued', 'processing')
      AND NOT EXISTS (
        SELECT FROM job_items
        WHERE job_items.job_id = jobs.job_id AND job_items.status IN ('queued', 'processing'))`;
  return rows.length > 0;
};

/** Those of these jobs that are cancelled. */
export const cancelledAmong = async (sql: Sql, jobIds: readonly string[]): Promise<string[]> => {
  const rows = await sql<{ jobId: string }[]>`
    SELECT job_id FROM jobs
    WHERE job_id = ANY(string_to_array(${jobIds.join()}, ',')) AND status = 'cancelled'`;
  return rows.map(({ jobId }) => jobId);
};

/** Jobs of an account that are not over, oldest first, at most `limit`. */
export const openJobIdsOf = async (sql: Sql, accountId: string, limit: number): Promise<string[]> => {
  const rows = await sql<{ jobId: string }[]>`
    SELECT job_id FROM jobs
    WHERE account_id = ${accountId} AND status IN ('queued', 'processing')
    ORDER BY position
    LIMIT ${limit}`;
  return rows.map(({ jobId }) => jobId);
};
