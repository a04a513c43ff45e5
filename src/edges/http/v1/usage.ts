import type { z } from 'zod';
import { readUsage, type usageSchema, type usageSummarySchema } from '../../../contract/usage.ts';
import type { Queries, UsageReport } from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

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
