import { z } from 'zod';
import { endpointsWith, type KeyEndpoint } from './endpoint.ts';
import { asOf, count, integerParameter, member, named, rows } from './schemas.ts';

/** What usage says of each kind, tag, key and day. */
export const usageSums = { count: member.requests, credits: z.int().describe('Credits, less refunds.') };

/** The UsageSummary of the specification. */
export const usageSummarySchema = named('UsageSummary', {
  requests: count.describe('Requests, the failed ones included.'),
  successful: count.describe('Requests that succeeded.'),
  failed: count.describe('Requests that failed.'),
  credits_used: z
    .int()
    .describe('Charged in these days, less refunds: negative if refunds exceed charges. The sum of `by_kind`.'),
  by_kind: rows('The figures by kind of operation.', { kind: z.string().describe('Kind of operation.'), ...usageSums }),
  by_tag: rows('The figures by cost tag, most credits first.', {
    cost_tag: z.string().nullable().describe('The cost tag; null: none.'),
    ...usageSums,
  }),
  daily: rows('One entry for each UTC day, oldest first, including days without requests.', {
    day: z.iso.date().describe('UTC day.'),
    ...usageSums,
  }),
});

/** The usage of an account. */
export const usageSchema = usageSummarySchema
  .extend({
    plan: z.string().describe('The plan of the account.'),
    credits_remaining: z.int().describe('Credits that can be spent now.'),
    credits_reserved: count.describe('Credits reserved for jobs.'),
    rate_limit_per_min: z.int().nullable().describe('Requests per minute.'),
    unlimited: z
      .boolean()
      .describe('true: nothing is refused for lack of credits, whatever the value of `credits_remaining`.'),
    period_days: z.int().min(1).describe('Days that the figures cover, today included.'),
  })
  .meta({ id: 'Usage' });

/** What a caller with key reads of its credits. */
export const ofUsage = endpointsWith({ access: 'key', scope: 'usage', tag: 'Usage' });

export const readUsage = {
  ...ofUsage('getUsage', 'GET', '/v1/usage'),
  summary: 'The usage of this account',
  description: 'Failures count as requests and cost nothing. Failed items of jobs count under `job_item`.',
  query: z.object({
    as_of: asOf,
    days: integerParameter('How many UTC days back, today included.', { default: 30, max: 366 }),
  }),
  answers: { 200: { description: 'Usage and what is left.', schema: usageSchema } },
} satisfies KeyEndpoint;
