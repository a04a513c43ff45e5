import { z } from 'zod';
import type { KeyEndpoint } from './endpoint.ts';
import { count, integerParameter } from './schemas.ts';

/** The UsageSummary of the specification. */
export const usageSummarySchema = z
  .object({
    requests: count.meta({ description: 'Requests, the failed ones included.' }),
    successful: count.meta({ description: 'Requests that succeeded.' }),
    failed: count,
    credits_used: z.int().meta({
      description:
        'Charged in these days, less what was given back in them: below zero when that was more. The sum of `by_kind`.',
    }),
    by_kind: z.array(z.object({ kind: z.string(), count, credits: z.int() })),
    daily: z.array(z.object({ day: z.iso.date(), count, credits: z.int() })),
  })
  .meta({ id: 'UsageSummary' });

/** The usage of an account. */
export const usageSchema = usageSummarySchema
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

export const readUsage = {
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
