import { z } from 'zod';
import { count, link, timestamp } from './schemas.ts';
import { transcriptSchema } from './transcripts.ts';

/** The status of a job. */
export const jobStatus = z.enum(['queued', 'processing', 'completed', 'completed_with_errors', 'failed', 'cancelled']);
/** The kind of a job. */
export const jobKind = z.enum(['batch', 'playlist', 'channel']).meta({
  description:
    '`batch`: the videos that it names. `playlist`, `channel`: the videos that its one playlist or channel lists.',
});
/** The status of an item. */
export const itemStatus = z.enum(['queued', 'processing', 'complete', 'failed', 'cancelled']);

const jobItemSchema = z
  .object({
    id: z.string(),
    job_id: z.string(),
    video_id: z.string().nullable(),
    url: link.nullable(),
    reference: z.string().meta({ description: 'As it was sent, or the link of a listed video.' }),
    status: itemStatus,
    language: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    attempts: count,
  })
  .meta({ id: 'JobItem' });

/** The Job of the specification. */
export const jobSchema = z
  .object({
    id: z.string(),
    kind: jobKind,
    status: jobStatus,
    total_items: count,
    completed_items: count,
    failed_items: count,
    webhook_url: link.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    items: z.array(jobItemSchema),
    items_truncated: z.boolean().meta({ description: 'There are more items than these.' }),
    run: z.int().min(1).meta({ description: '1, and one more for each retry.' }),
    source: z.string().nullable().meta({ description: 'The playlist or channel it was made of.' }),
    error_code: z.string().nullable().meta({ description: 'Why its listing failed.' }),
    error_message: z.string().nullable(),
  })
  .meta({ id: 'Job' });

export const operationResultSchema = z
  .object({
    operation: z.string(),
    result: z.record(z.string(), z.unknown()).meta({ description: 'What the operation of that name answers.' }),
    credits_charged: count,
    charge_id: z.string().nullable(),
  })
  .meta({ id: 'OperationResult' });

export const jobResultSchema = z
  .object({
    item_id: z.string(),
    reference: z.string().meta({ description: 'As it was sent, or the link of a listed video.' }),
    video_id: z.string().nullable(),
    url: link.nullable(),
    status: itemStatus,
    language: z.string().nullable(),
    transcript: transcriptSchema.nullable(),
    operations: z.array(operationResultSchema).meta({ description: 'Of `then` of the job.' }),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    error_details: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The `details` that the same refusal has as an error.' }),
    attempts: count,
    credits_charged: count,
    charge_id: z.string().nullable(),
  })
  .meta({ id: 'JobResult' });
