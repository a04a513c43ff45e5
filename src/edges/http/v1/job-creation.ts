import { z } from 'zod';
import { type Commands, maxItemsPerJob } from '../../../commands.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { type HttpResponse, json } from '../middleware/response.ts';
import { count } from '../schemas.ts';

export const webhookUrl = z
  .string()
  .min(1)
  .max(2_048)
  .nullable()
  .optional()
  .meta({ description: 'Told when the job ends.', format: 'uri' });

/** The limit of videos of all listings of a job. */
export const jobLimit = z
  .int()
  .min(1)
  .max(maxItemsPerJob)
  .optional()
  .meta({
    description: `Videos of all listings together; without it all that are listed, as far as a job can hold them (${maxItemsPerJob.toLocaleString('en')}).`,
  });

/** Names of fields inside the application, and in the request. */
export type FieldNames = Readonly<Record<string, string>>;

/** Translates the field names of a refusal into those of the request. */
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

/** The refusals of a listing. */
export const refusalsOfListing = [
  'PLATFORM_BLOCKED',
  'PLATFORM_RATE_LIMITED',
  'PLATFORM_TIMEOUT',
  'PLATFORM_CHANGED',
] as const;

/** Headers of the response with a new job. */
export const startedHeaders = {
  'X-Credits-Reserved': 'Credits that were set aside for the job.',
  Location: 'The job.',
} as const;

/** The response of a dry run. */
export const plannedSchema = z
  .object({
    dry_run: z.literal(true),
    kind: z.enum(['batch', 'playlist', 'channel']),
    videos_found: z
      .int()
      .nullable()
      .meta({ description: 'Null: listing takes too long to wait for.' }),
    credits_needed: count.meta({ description: 'Set aside when the job is created.' }),
    expected: count.nullable(),
    hidden: count.nullable(),
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

/** 202 with the reserved credits. */
export const startedAnswer = ({ jobId, creditsReserved }: Started, body: unknown): HttpResponse =>
  json(body, {
    status: 202,
    headers: { 'X-Credits-Reserved': String(creditsReserved), Location: `/v1/jobs/${jobId}` },
  });
