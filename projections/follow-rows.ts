import type { Sql } from 'postgres';
import type { FollowOptions, FollowStarted } from '../src/follows/follow.ts';
import { type Page, readPage } from './list-order.ts';

type ChosenRow = Omit<FollowOptions, 'maxCreditsPerPeriod'> &
  Pick<FollowStarted['data'], 'followId' | 'accountId' | 'sourceKind' | 'sourceId'>;

export type FollowRow = Readonly<ChosenRow> & {
  readonly title: string | null;
  readonly status: 'active' | 'paused' | 'ended';
  readonly reason: string | null;
  /** What the newest video that could not be paid waits for, in the period that was asked for; null: nothing waits. */
  readonly waitingFor: string | null;
  readonly maxCredits: number;
  /** In the period that was asked for. */
  readonly creditsUsed: number;
  readonly feedGeneration: number;
  readonly lastLookAt: string | null;
  readonly nextLookAt: string | null;
  readonly createdAt: string;
  readonly position: string;
};

/** Follows with their source, and what they have spent in a period. */
const selectFollows = (sql: Sql, period: string) => sql`
  SELECT f.follow_id, f.account_id, f.source_kind, f.source_id, s.title, f.status, f.reason, f.language, f.captions,
    typed_text(f.operations) AS operations, f.keep, to_json(f.kinds) AS kinds, typed_text(f.webhook_url) AS webhook_url,
    f.max_credits::float8, f.interval_s, f.feed_generation, s.last_look_at,
    CASE WHEN f.status = 'active' THEN s.next_look_at END AS next_look_at, f.created_at, f.position::text,
    coalesce((SELECT sum(b.credits) FROM follow_budgets AS b
      WHERE b.follow_id = f.follow_id AND b.period = ${period}), 0)::float8 AS credits_used,
    (SELECT b.waiting_for FROM follow_budgets AS b
      WHERE b.follow_id = f.follow_id AND b.period = ${period} AND b.job_id = ''
        AND (b.waiting_for <> 'budget' OR b.max_credits = f.max_credits)) AS waiting_for
  FROM follows AS f
  LEFT JOIN followed_sources AS s ON s.source = f.source_kind || ':' || f.source_id AND f.status <> 'ended'`;

/** The follows of an account that are not over, newest first, before a position, at most `limit`. */
export const followsOf = async (
  sql: Sql,
  accountId: string,
  period: string,
  page: { readonly limit: number; readonly before: string | null },
): Promise<Page<FollowRow>> => {
  const before = page.before === null ? sql`` : sql`AND f.position < ${page.before}::bigint`;
  return await readPage(
    page.limit,
    (limit) => sql<FollowRow[]>`
    ${selectFollows(sql, period)}
    WHERE f.account_id = ${accountId} AND f.status <> 'ended' ${before}
    ORDER BY f.position DESC
    LIMIT ${limit}`,
  );
};

/** Whether a follow of this account names a URL for its deliveries. */
export const hasFollowWithUrl = async (sql: Sql, accountId: string): Promise<boolean> => {
  const rows = await sql`
    SELECT 1 FROM follows WHERE account_id = ${accountId} AND webhook_url IS NOT NULL LIMIT 1`;
  return rows.length > 0;
};

export type FollowedVideoRow = {
  readonly videoId: string;
  readonly title: string | null;
  readonly status: 'waiting' | 'queued' | 'processing' | 'complete' | 'failed';
  readonly jobId: string | null;
  readonly errorCode: string | null;
  readonly creditsCharged: number;
  readonly chargeId: string | null;
  readonly language: string | null;
  readonly foundAt: string;
  readonly dueAt: string | null;
  readonly endedAt: string | null;
};

/** What a follow has found, newest first, at most `limit`; or what it has transcribed, in the order in which that ended. */
export const followedVideosOf = async (
  sql: Sql,
  followId: string,
  { limit, isTranscribed = false }: { readonly limit: number; readonly isTranscribed?: boolean },
): Promise<FollowedVideoRow[]> => {
  return await sql<FollowedVideoRow[]>`
    SELECT v.video_id, coalesce(seen.title, known.video ->> 'title') AS title,
      CASE WHEN v.status = 'queued' AND j.status = 'processing' THEN 'processing' ELSE v.status END AS status,
      v.job_id, v.error_code, v.credits_charged, v.charge_id, v.language, v.found_at, v.due_at, v.ended_at
    FROM follow_videos AS v
    JOIN follows AS f USING (follow_id)
    LEFT JOIN followed_videos AS seen
      ON seen.source = f.source_kind || ':' || f.source_id AND seen.video_id = v.video_id
    LEFT JOIN platform_video AS known ON known.video_id = v.video_id
    LEFT JOIN jobs AS j ON j.job_id = v.job_id
    WHERE v.follow_id = ${followId} ${isTranscribed ? sql`AND v.status = 'complete'` : sql``}
    ORDER BY ${isTranscribed ? sql`v.ended_position` : sql`v.position`} DESC
    LIMIT ${limit}`;
};

/** Videos of a follow that wait, or whose job was not begun, in the order in which they were found, at most `limit`. */
export const waitingVideosOf = async (sql: Sql, followId: string, limit: number): Promise<string[]> => {
  const rows = await sql<{ videoId: string }[]>`
    SELECT v.video_id FROM follow_videos AS v
    WHERE v.follow_id = ${followId} AND (v.status = 'waiting'
      OR v.status = 'queued' AND NOT EXISTS (SELECT FROM jobs AS j WHERE j.job_id = v.job_id))
    ORDER BY v.position LIMIT ${limit}`;
  return rows.map(({ videoId }) => videoId);
};

export type FollowFeedRow = {
  readonly position: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What happened in a follow after a position, in order, at most `limit`. */
export const followFeedOf = async (
  sql: Sql,
  followId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<FollowFeedRow[]> => {
  return await sql<FollowFeedRow[]>`
    SELECT position::text, type, data FROM follow_feed
    WHERE follow_id = ${followId} AND position > ${page.after}::bigint
    ORDER BY follow_feed.position LIMIT ${page.limit}`;
};
