import { z } from 'zod';
import { count, timestamp } from '../schemas.ts';
import { jobKindSchema } from '../v1/job-json.ts';
import { recordedExamples } from './recorded-examples.ts';

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

const headers = {
  'webhook-id': 'The id of the event; a repeat has the same.',
  'webhook-timestamp': 'Unix time of the attempt in seconds.',
  'webhook-signature': '`v1,` and the signature in Base64, of each secret that is good now.',
  'X-Service-Signature': '`t=`, the time, and `v1=`, the signature in hexadecimal.',
  'User-Agent': 'The sender and the version of its form.',
};
/** Only where the service is traced. */
const traceHeader = {
  name: 'traceparent',
  in: 'header',
  required: false,
  description:
    'The trace that the delivery belongs to (W3C Trace Context): that of the request which made the job, if it sent one. Absent where the service is not traced.',
  schema: { type: 'string' },
  example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

/** The `webhooks` section: what the service sends. */
export const webhooksSection = (schema: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(recordedExamples().webhooks).map(([type, example]) => [
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
          parameters: [
            ...Object.entries(headers).map(([name, description]) => ({
              name,
              in: 'header',
              required: true,
              description,
              schema: { type: 'string' },
              example: example.headers[name.toLowerCase()],
            })),
            traceHeader,
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example: example.body } },
          },
          responses: {
            '2XX': { description: 'It was taken.' },
            default: { description: 'It is sent again later.' },
          },
        },
      },
    ]),
  );
