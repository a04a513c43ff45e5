import { z } from 'zod';
import type { KeyEndpoint } from '../../../contract/endpoint.ts';
import { count, integerParameter } from '../../../contract/schemas.ts';
import type { Queries, UsageReport } from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

/** The UsageSummary of the specification. */
export const usageSummarySchema = z
  .object({
    requests: count,
    successful: count,
    failed: count,
    credits_used: z.int().meta({
      description:
        'Charged in these days, less what was given back in them: below zero when that was more. The sum of `by_kind`.',
    }),
    by_kind: z.array(z.object({ kind: z.string(), count, credits: z.int() })),
    daily: z.array(z.object({ day: z.iso.date(), count, credits: z.int() })),
  })
  .meta({ id: 'UsageSummary' });

const usageSchema = usageSummarySchema
  .extend({
    plan: z.string(),
    credits_remaining: z.int(),
    credits_reserved: count,
    rate_limit_per_min: z.int().nullable(),
    unlimited: z.boolean().meta({
      description: 'true: nothing is refused for want of credits, whatever `credits_remaining` says.',
    }),
    period_days: z.int().min(1),
  })
  .meta({ id: 'Usage' });

const readUsage = {
  access: 'key',
  scope: 'usage',
  id: 'getUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'Usage',
  summary: 'What this account has used',
  description: 'Failures count as requests and cost nothing. Failed items of jobs count under `job_item`.',
  query: z.object({
    days: integerParameter('How many UTC days back, today included.', { default: 30, max: 366 }),
  }),
  answers: { 200: { description: 'Usage and what is left.', schema: usageSchema } },
} satisfies KeyEndpoint;

export const usageEndpoints = [readUsage] as const;

/** The UsageSummary fields of a report. */
export const usageSummaryJson = (report: UsageReport): z.input<typeof usageSummarySchema> => ({
  requests: report.requests,
  successful: report.successful,
  failed: report.failed,
  credits_used: report.creditsUsed,
  by_kind: report.byKind.map(({ kind, count, credits }) => ({ kind, count, credits })),
  daily: report.daily.map(({ day, count, credits }) => ({ day, count, credits })),
});

/** The usage of the account of a key. */
export const usage = ({ queries }: { readonly queries: Pick<Queries, 'usage'> }): Route[] => [
  keyRoute(readUsage, async ({ call, query: { days } }) => {
    const report = await queries.usage(call.accountId, days);
    const body: z.input<typeof usageSchema> = {
      plan: report.plan,
      credits_remaining: report.creditsRemaining,
      credits_reserved: report.creditsReserved,
      rate_limit_per_min: report.limitPerMinute,
      unlimited: report.isUnlimited,
      period_days: report.periodDays,
      ...usageSummaryJson(report),
    };
    return json(body);
  }),
];
