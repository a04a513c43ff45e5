import { z } from 'zod';
import { jobKind } from './jobs.ts';
import { count, timestamp } from './schemas.ts';

/** How a run of a job can end, as receivers are told. */
export const endedStatus = z.enum(['completed', 'completed_with_errors', 'failed']);

type EndedStatus = z.output<typeof endedStatus>;

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
    type: z.enum(webhookKinds),
    timestamp,
    api_version: z.string().meta({ description: 'Version of the shape of this body.' }),
    test: z.literal(true).optional(),
    data: z.object({
      job_id: z.string(),
      kind: jobKind,
      status: endedStatus,
      run: z.int().min(1),
      total_items: count,
      completed_items: count,
      failed_items: count,
      credits_charged: count,
      created_at: timestamp,
      updated_at: timestamp,
      results_url: z.url(),
    }),
  })
  .meta({ id: 'WebhookEvent' });
