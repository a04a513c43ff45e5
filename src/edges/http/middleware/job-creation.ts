import type { z } from 'zod';
import type { Commands, JobRequest, StartedJob } from '../../../commands.ts';
import type { jobOptions, plannedSchema } from '../../../contract/jobs.ts';
import { captionsWanted } from '../../../contract/transcripts.ts';
import type { Call } from '../../../kernel/call.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { isDryRun } from './dry-run.ts';
import { type HttpResponse, json } from './response.ts';
import type { RequestInfo } from './route.ts';

type Options = z.output<z.ZodObject<typeof jobOptions>> & { readonly limit?: number | undefined };

/** Names of fields inside the application, and in the request. */
type FieldNames = Readonly<Record<string, string>>;

/** Translates the field names of a refusal into those of the request. */
export const naming = async <Result>(names: FieldNames, work: Promise<Result>): Promise<Result> => {
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

/** The job that a body asks for. */
export const jobWanted = (
  of: { readonly kind: JobRequest['kind']; readonly references: readonly string[] },
  body: Options,
): Parameters<Commands['startJob']>[1] => {
  const besides = [...body.include, ...(body.count_tokens ? (['token_count'] as const) : [])];
  return {
    ...of,
    limit: body.limit ?? null,
    ...captionsWanted(body),
    webhookUrl: body.webhook_url ?? null,
    following: body.then,
    ...(besides.length === 0 ? {} : { besides }),
  };
};

/** Creates a job and answers it by what `shown` makes of it, or on a dry run what it would be. */
export const createdAnswer = async (
  {
    commands,
    call,
    requestInfo,
  }: { commands: Pick<Commands, 'planJob' | 'startJob'>; call: Call; requestInfo: Pick<RequestInfo, 'request'> },
  of: Parameters<typeof jobWanted>[0],
  body: Options,
  { names, shown }: { names: FieldNames; shown: (started: StartedJob) => unknown },
): Promise<HttpResponse> => {
  const wanted = jobWanted(of, body);
  if (body.dry_run || isDryRun(requestInfo.request.headers)) {
    const { items, listing, listed, creditsNeeded } = await naming(names, commands.planJob(call, wanted));
    const planned: z.input<typeof plannedSchema> = {
      dry_run: true,
      operation: 'job',
      credits: creditsNeeded,
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
