import { z } from 'zod';
import { capPeriods } from './caps.ts';
import { jobStatus } from './jobs.ts';
import { maxListedVideos } from './listings.ts';
import { grantSchema } from './oauth.ts';
import { operations } from './operations.ts';
import { count, member } from './schemas.ts';

/** The most videos of a source that pages of `list_videos` reach: each page lists those before it anew. */
export const maxVideosReached = 1_000;

/** The order in which tools for more than one video are used is in their texts: a model reads nothing else. */
export const listVideosTool = {
  name: 'list_videos',
  title: 'List videos',
  description:
    'Lists the videos of a channel (newest first) or playlist (in its order): ids, titles, lengths. Use it first to choose among many; then get_transcript for one of them, start_job for several.',
  price: 'A page costs 1 credit for each started hundred of its videos.',
  isSpeech: false,
} as const;

/** Videos of a page of `list_videos`: at most, and unless said otherwise. */
export const videosOfPage = { max: maxListedVideos, usual: 50 } as const;

export const startJobTool = {
  name: 'start_job',
  title: 'Transcribe many videos',
  description:
    'Reads several videos, or those of a channel or playlist, in the background, with operations on each (then). Answers at once with a job_id: call get_job until its status is completed, completed_with_errors, failed or cancelled. For one video use get_transcript.',
  price:
    'Each video that completes costs 1 credit (10 with recognized speech) and what its operations cost; failed ones cost nothing.',
  isSpeech: false,
} as const;

export const getJobTool = {
  name: 'get_job',
  title: 'Look at a job',
  description:
    'Says how far a job is, with the results that are there, page by page. While status is queued or processing, wait some seconds between calls.',
  price: 'Free.',
} as const;

export const usageTool = {
  name: 'usage',
  title: 'Credits and prices',
  description:
    'Says how many credits are left, what was spent today (UTC) by operation, what each tool costs, and the budget of this application or key. Use it before work on many videos.',
  isSpeech: false,
} as const;

/** Operations on each video of a job, as a tool takes them: their options are those of the tools of the same names. */
export const followingCalls = z
  .array(z.looseObject({ operation: z.enum(operations.map(({ name }) => name)) }))
  .max(8)
  .optional()
  .meta({
    description: 'on each video, with the options of the tool of that name: [{"operation": "summarize"}]',
  });

/** What the tool `usage` answers. */
export const agentUsageSchema = z.object({
  credits_remaining: z.int().nullable().describe('Null: without a limit.'),
  today: z
    .array(z.object({ operation: z.string(), count, credits: z.int() }))
    .describe('What the account used on this UTC day.'),
  prices: z
    .record(z.string(), count)
    .describe(
      'Credits of a call by the name of the tool, at most and without recognized speech; of list_videos for each started hundred, of start_job and follow for each video.',
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
    .describe('Of the application or key that calls; null: the credits of the account alone limit it.'),
});

/** A job as the tool that started it answers it. */
export const startedByTool = z.object({
  job_id: member.jobId,
  status: jobStatus,
  total_items: member.totalItems,
  credits_reserved: count.describe('Set aside; what is not used comes back when the job ends.'),
});
