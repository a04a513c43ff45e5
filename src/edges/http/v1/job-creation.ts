import { z } from 'zod';
import { type Commands, maxItemsPerJob } from '../../../commands.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { type HttpResponse, json } from '../middleware/response.ts';

export const webhookUrl = z
  .string()
  .min(1)
  .max(2_048)
  .nullable()
  .optional()
  .meta({ description: 'Told when the job ends.', format: 'uri' });

/** How much of its lists a job takes. */
export const jobLimit = z
  .int()
  .min(1)
  .max(maxItemsPerJob)
  .optional()
  .meta({
    description: `Videos of all listings together; without it all that are listed, as far as a job can hold them (${maxItemsPerJob.toLocaleString('en')}).`,
  });

/** What fields are called inside, and by an operation that refuses them. */
export type FieldNames = Readonly<Record<string, string>>;

/** Names the fields of a refusal as this operation does. */
export const naming = async <Started>(
  names: FieldNames,
  work: Promise<Started>,
): Promise<Started> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal) || error.details === null) throw error;
    const { fields, ...others } = error.details;
    if (!Array.isArray(fields)) throw error;
    const details = { ...others, fields: fields.map((field) => renamed(names, field)) };
    throw new Refusal(error.code, error.message, details, error.retryAfterS);
  }
};

const renamed = (names: FieldNames, field: unknown): unknown => {
  if (typeof field !== 'object' || field === null || !('path' in field)) return field;
  const path = names[String(field.path)];
  return path === undefined ? field : { ...field, path };
};

/** What the platform can refuse while a playlist or a channel is listed. */
export const refusalsOfListing = [
  'PLATFORM_BLOCKED',
  'PLATFORM_RATE_LIMITED',
  'PLATFORM_TIMEOUT',
  'PLATFORM_CHANGED',
] as const;

/** What stands above the answer that names a new job. */
export const startedHeaders = {
  'X-Credits-Reserved': 'Credits that were set aside for the job.',
  Location: 'The job.',
} as const;

/** What a dry run tells. */
export const plannedSchema = z
  .object({
    dry_run: z.literal(true),
    kind: z.enum(['batch', 'playlist', 'channel']),
    videos_found: z
      .int()
      .nullable()
      .meta({ description: 'Null: listing takes too long to wait for.' }),
    credits_needed: z.int().meta({ description: 'Set aside when the job is created.' }),
    expected: z.int().nullable(),
    hidden: z.int().nullable(),
    truncated: z.boolean(),
  })
  .meta({ id: 'JobPlan' });

type Planned = Awaited<ReturnType<Commands['planJob']>>;
type Started = Awaited<ReturnType<Commands['startJob']>>;

export const plannedAnswer = (
  kind: 'batch' | 'playlist' | 'channel',
  { items, listing, listed, creditsNeeded }: Planned,
): HttpResponse => {
  const body: z.input<typeof plannedSchema> = {
    dry_run: true,
    kind,
    videos_found: listing === null ? items.length : null,
    credits_needed: creditsNeeded,
    expected: listed?.listing.expected ?? null,
    hidden: listed?.listing.hidden ?? null,
    truncated: listed?.listing.isTruncated ?? false,
  };
  return json(body);
};

/** 202, with what was set aside. */
export const startedAnswer = ({ jobId, creditsReserved }: Started, body: unknown): HttpResponse =>
  json(body, {
    status: 202,
    headers: { 'X-Credits-Reserved': String(creditsReserved), Location: `/v1/jobs/${jobId}` },
  });
