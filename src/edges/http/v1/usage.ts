import { answerOf } from '../../../contract/answer-of.ts';
import { readUsage, usageSchema } from '../../../contract/usage.ts';
import { json } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

const usageAnswer = answerOf(usageSchema);

/** The usage of the account of a key. */
export const usage = ({ queries }: Application<never, 'usage'>): Route[] => [
  keyRoute(readUsage, async ({ call, query: { days, as_of = null } }) => {
    const report = await queries.usage(call.accountId, days, as_of);
    const by_tag = report.byTag.map(({ costTag, ...sums }) => ({ cost_tag: costTag, ...sums }));
    const own = { rate_limit_per_min: report.limitPerMinute, unlimited: report.isUnlimited, by_tag };
    return json(usageAnswer(report, own));
  }),
];
