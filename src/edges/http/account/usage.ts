import type { z } from 'zod';
import {
  accountUsageSchema,
  getUsage,
  ledgerPageIn,
  listAccountLedger,
  listPlans,
  readAccountEntry,
} from '../../../contract/account.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import { ledgerEntryAnswer } from '../../../contract/ledger.ts';
import { usageSummarySchema } from '../../../contract/usage.ts';
import type { AccountUsage, Plan } from '../../../queries.ts';
import { creditsAnswer, planAnswer } from '../middleware/account-answers.ts';
import { json } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import { type SessionDeps, userRoute } from '../middleware/session.ts';

/** Usage, plans and books of the signed-in account. */
export const accountUsage = (
  deps: SessionDeps<never, 'accountUsage' | 'ledger' | 'ledgerEntry' | 'planOfAccount' | 'plans'>,
): Route[] => [
  userRoute(deps, getUsage, async ({ call, query }) => {
    const [usage, plan] = await Promise.all([
      deps.queries.accountUsage(call.accountId, query.days),
      deps.queries.planOfAccount(call.accountId),
    ]);
    return json(usageJson(usage, plan));
  }),

  openRoute(listPlans, async () => {
    const { plans, isBillingConfigured } = deps.queries.plans();
    return json({ plans: plans.map(planAnswer), billing_configured: isBillingConfigured });
  }),

  userRoute(deps, listAccountLedger, async ({ call, query }) => {
    const page = await deps.queries.ledger(call.accountId, ledgerPageIn(query));
    return json({ entries: page.entries.map((entry) => ledgerEntryAnswer(entry)), next_before: page.nextBefore });
  }),

  userRoute(deps, readAccountEntry, async ({ call, params }) => {
    return json(ledgerEntryAnswer(await deps.queries.ledgerEntry(call.accountId, params.id)));
  }),
];

const usageSummaryAnswer = answerOf(usageSummarySchema);
const accountUsageAnswer = answerOf(accountUsageSchema);

/** The entries behind a figure, which begin on the first of its days. */
const entriesOf = (name: 'day' | 'kind' | 'key_id', value: string, since: string): { ledger: string } => ({
  ledger: `/api/account/ledger?${new URLSearchParams({ [name]: value, used_since: since })}`,
});

const usageJson = (usage: AccountUsage, plan: Plan): z.input<typeof accountUsageSchema> => {
  const summary = usageSummaryAnswer(usage, {
    by_tag: usage.byTag.map(({ costTag, ...sums }) => ({ cost_tag: costTag, ...sums })),
  });
  const since = usage.daily[0]?.day ?? usage.periodStart.slice(0, 10);
  return accountUsageAnswer(usage, {
    ...summary,
    plan: planAnswer(plan),
    credits: creditsAnswer(usage.credits),
    by_kind: summary.by_kind.map((row) => ({ ...row, links: entriesOf('kind', row.kind, since) })),
    daily: summary.daily.map((row) => ({ ...row, links: entriesOf('day', row.day, row.day) })),
    by_key: usage.byKey.map(({ keyId, count, credits }) => ({
      key_id: keyId,
      count,
      credits,
      links: entriesOf('key_id', keyId ?? 'none', since),
    })),
  });
};
