import { valuesOf } from '../src/eventlog/connection.ts';
import type { Transaction } from '../src/eventlog/event-log.ts';
import type { FoldedEvent } from '../src/eventlog/event-rows.ts';
import type { Projection, Tables } from '../src/eventlog/projections/projection.ts';
import { type FollowEvent, type FollowOptions, followEvents } from '../src/follows/follow.ts';
import { type FollowBudgetEvent, followBudgetEvents } from '../src/follows/follow-budget.ts';
import { type FollowedVideoEvent, followedVideoEvents } from '../src/follows/followed-video.ts';

type AnyFollowEvent = FollowEvent | FollowedVideoEvent | FollowBudgetEvent;

/** Follows with what they found and spent, and the feed of each: what happened, by position, for clients that watch it. */
export const follows: Projection<AnyFollowEvent> = {
  name: 'follows',
  version: 1,
  types: Object.keys({ ...followEvents, ...followedVideoEvents, ...followBudgetEvents }) as AnyFollowEvent['type'][],
  tables: ['follows', 'follow_videos', 'follow_budgets', 'follow_feed'],
  createSql: ({ follows: table, follow_videos: videos, follow_budgets: budgets, follow_feed: feed }) => `
    CREATE TABLE ${table} (
      follow_id       text PRIMARY KEY,
      account_id      text NOT NULL,
      source_kind     text NOT NULL,
      source_id       text NOT NULL,
      status          text NOT NULL,
      reason          text,
      language        text,
      captions        text NOT NULL,
      operations      text,
      keep            boolean NOT NULL,
      kinds           text[] NOT NULL,
      webhook_url     text,
      max_credits     bigint NOT NULL,
      interval_s      integer NOT NULL,
      feed_generation integer NOT NULL DEFAULT 1,
      created_at      timestamptz NOT NULL,
      position        bigint NOT NULL
    );
    CREATE INDEX ON ${table} (account_id, position DESC);
    CREATE TABLE ${videos} (
      follow_id       text NOT NULL,
      video_id        text NOT NULL,
      status          text NOT NULL,
      job_id          text,
      error_code      text,
      credits_charged integer NOT NULL DEFAULT 0,
      charge_id       text,
      language        text,
      found_at        timestamptz NOT NULL,
      due_at          timestamptz,
      ended_at        timestamptz,
      ended_position  bigint,
      position        bigint NOT NULL,
      PRIMARY KEY (follow_id, video_id)
    ) WITH (fillfactor = 70);
    CREATE INDEX ON ${videos} (follow_id, position DESC);
    CREATE INDEX ON ${videos} (follow_id, ended_position DESC) WHERE status = 'complete';
    CREATE INDEX ON ${videos} (found_at) WHERE status IN ('waiting', 'queued');
    CREATE TABLE ${budgets} (
      follow_id    text NOT NULL,
      period       text NOT NULL,
      job_id       text NOT NULL,
      credits      bigint NOT NULL,
      waiting_for  text,
      retry_at     timestamptz,
      max_credits  bigint,
      PRIMARY KEY (follow_id, period, job_id)
    );
    CREATE TABLE ${feed} (
      follow_id text NOT NULL,
      position  bigint NOT NULL,
      type      text NOT NULL,
      data      jsonb NOT NULL,
      PRIMARY KEY (follow_id, position)
    )`,
  fold: async (transaction, events, tables) => {
    for (const event of events) await folded(transaction, event, tables);
  },
};

/** What its owner need not hear of. */
const isShown = (type: AnyFollowEvent['type']): boolean =>
  type !== 'FollowBudgetSettled' && type !== 'FollowFeedMoved' && type !== 'FollowKeyReplaced';

const folded = async (by: Transaction, recorded: FoldedEvent<AnyFollowEvent>, tables: Tables): Promise<void> => {
  const event = recorded as AnyFollowEvent;
  const position = String(recorded.position);
  await applied(by, event, position, tables);
  if (!isShown(event.type)) return;
  await by.query(
    `INSERT INTO ${tables['follow_feed']} (follow_id, position, type, data) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [event.data.followId, position, event.type, JSON.stringify(event.data)],
  );
};

const optionValues = (options: FollowOptions): readonly unknown[] => [
  ...valuesOf(options, 'language', 'captions', 'operations', 'keep', 'kinds', 'webhookUrl', 'maxCreditsPerPeriod'),
  options.intervalS,
];

/** Changes of one row: of a follow, or of a video that it found. */
const changes = (by: Transaction, { follows: table, follow_videos: videos }: Tables, followId: string) => ({
  follow: async (set: string, ...values: unknown[]): Promise<void> => {
    await by.query(`UPDATE ${table} SET ${set} WHERE follow_id = $1`, [followId, ...values]);
  },
  video: async (videoId: string, set: string, ...values: unknown[]): Promise<void> => {
    await by.query(`UPDATE ${videos} SET ${set} WHERE follow_id = $1 AND video_id = $2`, [
      followId,
      videoId,
      ...values,
    ]);
  },
});

const applied = async (by: Transaction, event: AnyFollowEvent, position: string, tables: Tables): Promise<void> => {
  const { type, data } = event;
  const { followId } = data;
  const inFollow = changes(by, tables, followId).follow;
  switch (type) {
    case 'FollowStarted':
      await by.query(
        `INSERT INTO ${tables['follows']} (language, captions, operations, keep, kinds, webhook_url, max_credits, interval_s,
           follow_id, account_id, source_kind, source_id, status, created_at, position)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'active', $13, $14)
         ON CONFLICT (follow_id) DO NOTHING`,
        [...optionValues(data), followId, data.accountId, data.sourceKind, data.sourceId, data.at, position],
      );
      return;
    case 'FollowOptionsChosen':
      return await inFollow(
        `language = $2, captions = $3, operations = $4, keep = $5, kinds = $6, webhook_url = $7, max_credits = $8,
         interval_s = $9`,
        ...optionValues(data),
      );
    case 'FollowPaused':
      return await inFollow(`status = 'paused', reason = $2`, data.why);
    case 'FollowResumed':
      return await inFollow(`status = 'active', reason = NULL`);
    case 'FollowFeedMoved':
      return await inFollow('feed_generation = $2', data.generation);
    case 'FollowEnded':
      return await inFollow(`status = 'ended', reason = NULL`);
    case 'FollowKeyReplaced':
      return;
    case 'FollowBudgetReserved':
    case 'FollowBudgetSettled':
    case 'FollowBudgetReached':
      return await budgeted(by, event, tables);
    default:
      return await videoChanged(by, event, position, tables);
  }
};

const videoChanged = async (
  by: Transaction,
  { type, data }: FollowedVideoEvent,
  position: string,
  tables: Tables,
): Promise<void> => {
  const { followId, videoId, at } = data;
  const inVideo = (set: string, ...values: unknown[]) => changes(by, tables, followId).video(videoId, set, ...values);
  switch (type) {
    case 'FollowVideoFound':
      await by.query(
        `INSERT INTO ${tables['follow_videos']} (follow_id, video_id, status, found_at, position)
         VALUES ($1, $2, 'waiting', $3, $4) ON CONFLICT DO NOTHING`,
        [followId, videoId, at, position],
      );
      return;
    case 'FollowVideoPostponed':
      return await inVideo(`status = 'waiting', due_at = $3`, data.retryAt);
    case 'FollowVideoTranscribed':
      return await inVideo(
        `status = 'complete', job_id = $3, credits_charged = $4, charge_id = $5, language = $6, error_code = NULL,
         due_at = NULL, ended_at = $7, ended_position = $8`,
        ...[data.jobId, data.creditsCharged, data.chargeId, data.language, at, position],
      );
    case 'FollowVideoFailed':
      return await inVideo(
        `status = 'failed', job_id = coalesce($3, job_id), error_code = $4, due_at = NULL, ended_at = $5`,
        ...[data.jobId, data.code, at],
      );
    case 'FollowVideoPassedOver':
      if (data.why === 'cancelled') return await inVideo(`status = 'failed', due_at = NULL, ended_at = $3`, at);
      await by.query(`DELETE FROM ${tables['follow_videos']} WHERE follow_id = $1 AND video_id = $2`, [
        followId,
        videoId,
      ]);
      return;
    case 'FollowCaptionsChanged':
      return;
  }
};

const budgeted = async (by: Transaction, { type, data }: FollowBudgetEvent, tables: Tables): Promise<void> => {
  const { followId, period, videoId } = data;
  const { follow_budgets: budgets } = tables;
  const inVideo = changes(by, tables, followId).video;
  switch (type) {
    case 'FollowBudgetReserved':
      await inVideo(videoId, `status = 'queued', job_id = $3, due_at = NULL`, data.jobId);
      await spent(by, budgets, data);
      await by.query(`DELETE FROM ${budgets} WHERE follow_id = $1 AND period = $2 AND job_id = ''`, [followId, period]);
      return;
    case 'FollowBudgetSettled':
      // A job that could not begin, or has read nothing, leaves its video waiting until its own stream says more.
      await by.query(
        `UPDATE ${tables['follow_videos']} SET status = 'waiting', job_id = NULL
         WHERE follow_id = $1 AND video_id = $2 AND status = 'queued' AND job_id = $3 AND $4::bigint = 0`,
        [followId, videoId, data.jobId, data.credits],
      );
      return await spent(by, budgets, data);
    case 'FollowBudgetReached':
      await by.query(
        `INSERT INTO ${budgets} (follow_id, period, job_id, credits, waiting_for, retry_at, max_credits)
         VALUES ($1, $2, '', 0, $3, $4, $5)
         ON CONFLICT (follow_id, period, job_id) DO UPDATE
         SET waiting_for = excluded.waiting_for, retry_at = excluded.retry_at, max_credits = excluded.max_credits`,
        [followId, period, data.waitingFor, data.retryAt, data.maxCreditsPerPeriod],
      );
      return;
  }
};

const spent = async (
  by: Transaction,
  budgets: string | undefined,
  { followId, period, jobId, credits }: Extract<FollowBudgetEvent, { type: 'FollowBudgetSettled' }>['data'],
): Promise<void> => {
  await by.query(
    `INSERT INTO ${budgets} (follow_id, period, job_id, credits) VALUES ($1, $2, $3, $4)
     ON CONFLICT (follow_id, period, job_id) DO UPDATE SET credits = excluded.credits`,
    [followId, period, jobId, credits],
  );
};
