import { z } from 'zod';
import { timestamp } from '../schemas.ts';
import { jobKindSchema } from '../v1/job-json.ts';

/** What a receiver gets: the same bytes at every attempt. */
export const webhookEventSchema = z
  .object({
    id: z.string().meta({ description: 'The `webhook-id`: the same at every attempt and replay.' }),
    type: z.enum(['job.completed', 'job.failed']),
    timestamp,
    api_version: z.string().meta({ description: 'Version of the shape of this body.' }),
    test: z.literal(true).optional(),
    data: z.object({
      job_id: z.string(),
      kind: jobKindSchema,
      status: z.enum(['completed', 'completed_with_errors', 'failed']),
      run: z.int(),
      total_items: z.int(),
      completed_items: z.int(),
      failed_items: z.int(),
      credits_charged: z.int(),
      created_at: timestamp,
      updated_at: timestamp,
      results_url: z.url(),
    }),
  })
  .meta({ id: 'WebhookEvent' });

const data = {
  job_id: 'job_1',
  kind: 'batch',
  run: 1,
  total_items: 3,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:12.000Z',
  results_url: 'https://steno.example.org/v1/jobs/job_1/results',
} as const;
const about = {
  id: 'evt_1',
  timestamp: data.updated_at,
  api_version: '1.0.0',
} as const;

/** One of each kind. */
export const webhookExamples = {
  'job.completed': {
    ...about,
    type: 'job.completed',
    data: {
      ...data,
      status: 'completed_with_errors',
      completed_items: 2,
      failed_items: 1,
      credits_charged: 2,
    },
  },
  'job.failed': {
    ...about,
    type: 'job.failed',
    data: { ...data, status: 'failed', completed_items: 0, failed_items: 3, credits_charged: 0 },
  },
} satisfies Record<string, z.input<typeof webhookEventSchema>>;

const headers = {
  'webhook-id': 'The id of the event; a repeat has the same.',
  'webhook-timestamp': 'Unix time of the attempt in seconds.',
  'webhook-signature': '`v1,` and the signature in Base64, of each secret that is good now.',
  'X-Service-Signature': '`t=`, the time, and `v1=`, the signature in hexadecimal.',
};

/** The `webhooks` section: what the service sends. */
export const webhooksSection = (schema: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(webhookExamples).map(([type, example]) => [
      type,
      {
        post: {
          operationId: type === 'job.completed' ? 'onJobCompleted' : 'onJobFailed',
          tags: ['Webhooks'],
          summary:
            type === 'job.completed' ? 'A job is over, and something is complete' : 'A job failed',
          description:
            'Sent to registered webhooks and to the `webhook_url` of the job, and again after a failure, over about three days. Answer any 2xx at once; 410 disables the webhook. docs/webhook-verification.md shows how to verify it.',
          security: [],
          parameters: Object.entries(headers).map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: { required: true, content: { 'application/json': { schema, example } } },
          responses: {
            '2XX': { description: 'It was taken.' },
            default: { description: 'It is sent again later.' },
          },
        },
      },
    ]),
  );
