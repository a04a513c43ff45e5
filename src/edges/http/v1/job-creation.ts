import { z } from 'zod';
import { type Commands, type JobWanted, maxItemsPerJob } from '../../../commands.ts';
import type { Described } from '../../../contract/endpoint.ts';
import { operationCall } from '../../../contract/operations.ts';
import { count } from '../../../contract/schemas.ts';
import { aboutRecognition, asrChoices } from '../../../contract/transcripts.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { type HttpResponse, json } from '../middleware/response.ts';

/** The limit of videos of all listings of a job. */
export const jobLimit = z
  .int()
  .min(1)
  .max(maxItemsPerJob)
  .optional()
  .meta({
    description: `Videos of all listings together; without it all that are listed, as far as a job can hold them (${maxItemsPerJob.toLocaleString('en')}).`,
  });

/** The name of the member; written out, an object with it would look like a promise to the linter. */
const then = 'then';

/** What every new job may be given. */
export const jobOptions = {
  webhook_url: z
    .string()
    .min(1)
    .max(2_048)
    .nullable()
    .optional()
    .meta({ description: 'Told when the job ends.', format: 'uri' }),
  [then]: z.array(operationCall).max(8).default([]).meta({
    description:
      'Operations on each item after its transcript. Each is charged as that operation; what they may cost is set aside with the rest.',
  }),
  asr: asrChoices.default('off').meta({ description: aboutRecognition }),
  dry_run: z.boolean().default(false),
} as const;

type Options = z.output<z.ZodObject<typeof jobOptions>> & {
  readonly limit?: number | undefined;
  readonly lang?: string | undefined;
};

/** Names of fields inside the application, and in the request. */
type FieldNames = Readonly<Record<string, string>>;

/** Translates the field names of a refusal into those of the request. */
export const naming = async <Started>(names: FieldNames, work: Promise<Started>): Promise<Started> => {
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

const plannedSchema = z
  .object({
    dry_run: z.literal(true),
    kind: z.enum(['batch', 'playlist', 'channel']),
    videos_found: z.int().nullable().meta({
      description: 'Null: listing takes too long to wait for, or more requests to the platform than a dry run makes.',
    }),
    credits_needed: count.meta({
      description: 'Set aside when the job is created; the most of it where `videos_found` is null.',
    }),
    expected: count.nullable(),
    hidden: count.nullable(),
    truncated: z.boolean(),
  })
  .meta({ id: 'JobPlan' });

/** The answers of a new job, which `schema` shows. */
export const jobAnswers = (schema: z.ZodType): Readonly<Record<number, Described>> => ({
  200: { description: 'A dry run: what the job would hold and cost.', schema: plannedSchema },
  202: {
    description: 'The job.',
    schema,
    headers: {
      'X-Credits-Reserved': 'Credits that were set aside for the job.',
      Location: 'The job.',
    },
  },
});

export type Started = Awaited<ReturnType<Commands['startJob']>>;

/** Creates a job and answers it by what `shown` makes of it, or on a dry run what it would be. */
export const createdAnswer = async (
  { commands, call }: { commands: Pick<Commands, 'planJob' | 'startJob'>; call: Call },
  of: { readonly kind: JobWanted['kind']; readonly references: readonly string[] },
  body: Options,
  { names, shown }: { names: FieldNames; shown: (started: Started) => unknown },
): Promise<HttpResponse> => {
  const wanted = {
    ...of,
    limit: body.limit ?? null,
    language: body.lang ?? null,
    webhookUrl: body.webhook_url ?? null,
    following: body.then,
    ...(body.asr === 'auto' ? { recognizesSpeech: true } : {}),
  };
  if (body.dry_run) {
    const { items, listing, listed, creditsNeeded } = await naming(names, commands.planJob(call, wanted));
    const planned: z.input<typeof plannedSchema> = {
      dry_run: true,
      kind: of.kind,
      videos_found: listing === null ? items.length : null,
      credits_needed: creditsNeeded,
      expected: listed?.listing.expected ?? null,
      hidden: listed?.listing.hidden ?? null,
      truncated: listed?.listing.isTruncated ?? false,
    };
    return json(planned);
  }
  const started = await naming(names, commands.startJob(call, wanted));
  const { jobId, creditsReserved } = started;
  return json(shown(started), {
    status: 202,
    headers: { 'X-Credits-Reserved': String(creditsReserved), Location: `/v1/jobs/${jobId}` },
  });
};
