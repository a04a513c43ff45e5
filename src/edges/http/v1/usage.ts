import { answerOf } from '../../../contract/answer-of.ts';
import { readUsage, usageSchema } from '../../../contract/usage.ts';
import type { Queries } from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

const usageAnswer = answerOf(usageSchema);

/** The usage of the account of a key. */
export const usage = ({ queries }: { readonly queries: Pick<Queries, 'usage'> }): Route[] => [
  keyRoute(readUsage, async ({ call, query: { days, as_of = null } }) => {
    const report = await queries.usage(call.accountId, days, as_of);
    const by_tag = report.byTag.map(({ costTag, ...sums }) => ({ cost_tag: costTag, ...sums }));
    const own = { rate_limit_per_min: report.limitPerMinute, unlimited: report.isUnlimited, by_tag };
    return json(usageAnswer(report, own));
  }),
];
