import { z } from 'zod';
import { capPeriods } from './caps.ts';
import { jobStatus, maxOperationsPerItem } from './jobs.ts';
import { maxListedVideos } from './listings.ts';
import { grantSchema } from './oauth.ts';
import { operations } from './operations.ts';
import { count, member, rows } from './schemas.ts';
import { recognitionPrice } from './transcripts.ts';

/** The most videos of a source that pages of `list_videos` reach: each page lists those before it anew. */
export const maxVideosReached = 1_000;

/** The order in which tools for more than one video are used is in their texts: a model reads nothing else. */
export const listVideosTool = {
  name: 'list_videos',
  title: 'List videos',
  description:
    'Lists the videos of a channel (newest first) or playlist (in its order): ids, titles, lengths; no dates, which get_video has. Use it first to choose among many; then get_transcript for one of them, start_job for several.',
  price: 'A page costs 1 credit for each started hundred of its videos.',
  isSpeech: false,
} as const;

/** Videos of a page of `list_videos`: at most, and unless said otherwise. */
export const videosOfPage = { max: maxListedVideos, usual: 50 } as const;

export const startJobTool = {
  name: 'start_job',
  title: 'Transcribe many videos',
  description:
    'Reads several videos, or those of a channel or playlist, in the background, with operations on each (then). Returns a job_id immediately: call get_job until its status is completed, completed_with_errors, failed or cancelled. For one video use get_transcript.',
  price: `Each video that completes costs 1 credit (${recognitionPrice} with recognized speech) and what its operations cost; failed ones cost nothing.`,
  isSpeech: false,
} as const;

export const getJobTool = {
  name: 'get_job',
  title: 'Get a job',
  description:
    'Returns the progress of a job and its results so far, page by page. While status is queued or processing, wait a few seconds between calls.',
  price: 'Free.',
} as const;

export const usageTool = {
  name: 'usage',
  title: 'Credits and prices',
  description:
    "Returns the credits left, today's spending (UTC) by operation, the price of each tool, and the budget of this application or key. Use it before work on many videos.",
  isSpeech: false,
} as const;

/** Operations on each video of a job, as a tool takes them: their options are those of the tools of the same names. */
export const followingCalls = z
  .array(z.looseObject({ operation: z.enum(operations.map(({ name }) => name)) }))
  .max(maxOperationsPerItem)
  .optional()
  .describe('on each video, with the options of the tool of that name: [{"operation": "summarize"}]');

/** What the tool `usage` answers. */
export const agentUsageSchema = z.object({
  credits_remaining: z.int().nullable().describe('Null: without a limit.'),
  today: rows('The usage of the account on this UTC day.', { operation: z.string(), count, credits: z.int() }),
  prices: z
    .record(z.string(), count)
    .describe(
      'Maximum credits per call by tool, without speech recognition; for list_videos per started hundred, for start_job and follow per video.',
    ),
  budget: z
    .union([
      grantSchema.pick({
        credits_per_day: true,
        credits_used_today: true,
        credits_total: true,
        credits_used: true,
        expires_at: true,
      }),
      z.object({ cap_credits: count, cap_period: z.enum(capPeriods), spent: count }),
    ])
    .nullable()
    .describe('The budget of the calling application or key; null: limited only by the credits of the account.'),
});

/** A job as the tool that started it answers it. */
export const startedByTool = z.object({
  job_id: member.jobId,
  status: jobStatus,
  total_items: member.totalItems,
  credits_reserved: count.describe('Reserved; the unused rest is released when the job ends.'),
});
