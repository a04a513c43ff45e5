import { z } from 'zod';
import { jobKind } from './jobs.ts';
import { member, timestamp } from './schemas.ts';

/** How a run of a job can end, as receivers are told. */
export const endedStatus = z.enum(['completed', 'completed_with_errors', 'failed']);

export type EndedStatus = z.output<typeof endedStatus>;

type WebhookEventKind = {
  /** When it is sent. */
  readonly summary: string;
};

/** The kinds of webhook events. */
export const webhookEventKinds = {
  'job.completed': { summary: 'A job is over, and something is complete' },
  'job.failed': { summary: 'A job failed' },
} as const satisfies Readonly<Record<string, WebhookEventKind>>;

export type WebhookKind = keyof typeof webhookEventKinds;

export const webhookKinds = Object.keys(webhookEventKinds) as WebhookKind[];

/** The kind that tells of a run which ended so. */
export const kindFor = (status: EndedStatus): WebhookKind => (status === 'failed' ? 'job.failed' : 'job.completed');

/** The kinds that a webhook wants; without a choice, every one. */
export const chosenKinds = z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length);

/** What a receiver gets: the same bytes at every attempt. */
export const webhookEvent = z
  .object({
    id: z.string().meta({ description: 'The `webhook-id`: the same at every attempt and replay.' }),
    type: z.enum(webhookKinds).describe('Kind of the event.'),
    timestamp: timestamp.describe('When it happened, RFC 3339 in UTC.'),
    api_version: z.string().meta({ description: 'Version of the shape of this body.' }),
    test: z
      .literal(true)
      .optional()
      .describe('true: a delivery that its owner asked for as a test; its job never was.'),
    data: z
      .object({
        job_id: member.jobId,
        kind: jobKind,
        status: endedStatus.describe('How the run ended.'),
        run: z.int().min(1).describe('1, and one more for each retry of the job; null: no job.'),
        total_items: member.totalItems,
        completed_items: member.completedItems,
        failed_items: member.failedItems,
        credits_charged: member.creditsCharged,
        created_at: member.createdAt,
        updated_at: member.updatedAt,
        results_url: z.url().describe('Where the results are read.'),
      })
      .describe('What is recorded of it.'),
  })
  .meta({ id: 'WebhookEvent' });
