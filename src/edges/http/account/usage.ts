import { z } from 'zod';
import { answerOf } from '../../../contract/answer-of.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import {
  entryParams,
  ledgerEntryAnswer,
  ledgerEntrySchema,
  ledgerPageSchema,
  ledgerQuery,
} from '../../../contract/ledger.ts';
import { count, integerParameter, lengths, representable, timestamp } from '../../../contract/schemas.ts';
import { usageSummarySchema } from '../../../contract/usage.ts';
import type { AccountUsage, Plan, Queries } from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import { ofUser, type SessionDeps, userRoute } from '../middleware/session.ts';
import { creditsJson, creditsSchema } from './account.ts';
import { planJson, planSchema } from './auth-json.ts';

const common = { ...ofUser, tag: 'Usage' } as const;

const links = z.object({ ledger: z.string() }).meta({ description: 'The ledger entries behind the figure.' });

const usageSchema = usageSummarySchema
  .extend({
    plan: planSchema.nullable(),
    credits_remaining: z.int(),
    credits_reserved: count,
    credits: creditsSchema,
    period_days: z.int().min(1),
    period_start: timestamp,
    period_end: timestamp,
    by_kind: z.array(z.object({ kind: z.string(), count, credits: z.int(), links })),
    daily: z.array(z.object({ day: z.iso.date(), count, credits: z.int(), links })),
    by_key: z.array(
      z.object({
        key_id: z.string().nullable().meta({
          description:
            'Null: without a key. What was given back is with the key that had paid, or here where a refund does not name it.',
        }),
        count,
        credits: z.int(),
        links: links.nullable(),
      }),
    ),
  })
  .meta({ id: 'AccountUsage' });

const getUsage = {
  ...common,
  id: 'getAccountUsage',
  method: 'GET',
  path: '/api/account/usage',
  summary: 'What this account has used, and what is left',
  description: 'Each figure links to the ledger entries behind it.',
  query: z.object({
    days: integerParameter('How many UTC days back, today included.', { default: 30, max: 366 }),
  }),
  answers: { 200: { description: 'Every figure with its entries.', schema: usageSchema } },
} satisfies OpenEndpoint;

const listPlans = {
  ...common,
  access: 'anyone',
  cacheControl: 'public, max-age=60',
  tag: 'Account',
  id: 'listPlans',
  method: 'GET',
  path: '/api/account/plans',
  summary: 'The plans',
  description: 'From the smallest to the largest.',
  answers: {
    200: {
      description: 'From the smallest to the largest.',
      schema: z.object({ plans: z.array(planSchema), billing_configured: z.boolean() }).meta({ id: 'Plans' }),
    },
  },
} satisfies OpenEndpoint;

/** The query of the ledger, with filters. */
export const ledgerFilters = ledgerQuery.extend({
  day: z.iso
    .date()
    .refine(...representable)
    .optional()
    .meta({ description: 'Only entries of this UTC day.' }),
  kind: z
    .string()
    .regex(/^[a-z_]{1,32}$/, { error: 'takes a kind of usage' })
    .optional()
    .meta({ description: 'Only entries of this kind of operation.', ...lengths(1, 32) }),
  key_id: z
    .string()
    .regex(/^(key_[0-9a-f]{32}|none)$/, { error: 'takes the id of a key, or none' })
    .optional()
    .meta({
      description: 'Only entries of this key; `none`: of operations without a key.',
      ...lengths(4, 36),
    }),
  used_since: z.iso
    .date()
    .refine(...representable)
    .optional()
    .meta({ description: 'Only entries that usage counts, from this UTC day on.' }),
});

/** The key of a filter as the query takes it: null is any, an empty text none. */
export const keyIdOf = ({ key_id }: { readonly key_id?: string | undefined }): string | null =>
  key_id === 'none' ? '' : (key_id ?? null);

const listLedger = {
  ...common,
  id: 'listAccountLedger',
  method: 'GET',
  path: '/api/account/ledger',
  summary: 'The ledger of this account, newest first',
  description: 'Every charge, refund, grant and free use, as under `/v1/ledger`.',
  query: ledgerFilters,
  answers: { 200: { description: 'One page.', schema: ledgerPageSchema } },
} satisfies OpenEndpoint;

const readEntry = {
  ...common,
  id: 'getAccountLedgerEntry',
  method: 'GET',
  path: '/api/account/ledger/:id',
  summary: 'One ledger entry with what proves it',
  description: 'With the hashes that prove it.',
  params: entryParams,
  answers: { 200: { description: 'The entry.', schema: ledgerEntrySchema } },
  refusals: ['NOT_FOUND'],
} satisfies OpenEndpoint;

export const accountUsageEndpoints = [getUsage, listPlans, listLedger, readEntry] as const;

type Deps = SessionDeps & {
  readonly queries: Pick<Queries, 'accountUsage' | 'planOfAccount' | 'plans' | 'ledger' | 'ledgerEntry'>;
};

/** Usage, plans and books of the signed-in account. */
export const accountUsage = (deps: Deps): Route[] => [
  userRoute(deps, getUsage, async ({ call, query }) => {
    const [usage, plan] = await Promise.all([
      deps.queries.accountUsage(call.accountId, query.days),
      deps.queries.planOfAccount(call.accountId),
    ]);
    return json(usageJson(usage, plan));
  }),

  openRoute(listPlans, async () => {
    const { plans, isBillingConfigured } = deps.queries.plans();
    return json({ plans: plans.map(planJson), billing_configured: isBillingConfigured });
  }),

  userRoute(deps, listLedger, async ({ call, query }) => {
    const page = await deps.queries.ledger(call.accountId, {
      limit: query.limit,
      before: query.before ?? null,
      requestId: query.request_id ?? null,
      day: query.day ?? null,
      kind: query.kind ?? null,
      keyId: keyIdOf(query),
      usedSince: query.used_since ?? null,
    });
    return json({ entries: page.entries.map((entry) => ledgerEntryAnswer(entry)), next_before: page.nextBefore });
  }),

  userRoute(deps, readEntry, async ({ call, params }) => {
    return json(ledgerEntryAnswer(await deps.queries.ledgerEntry(call.accountId, params.id)));
  }),
];

const usageSummaryAnswer = answerOf(usageSummarySchema);

const entriesOf = (name: 'day' | 'kind' | 'key_id', value: string): { ledger: string } => ({
  ledger: `/api/account/ledger?${name}=${encodeURIComponent(value)}`,
});

const usageJson = (usage: AccountUsage, plan: Plan): z.input<typeof usageSchema> => {
  const summary = usageSummaryAnswer(usage);
  return {
    ...summary,
    plan: planJson(plan),
    credits_remaining: usage.creditsRemaining,
    credits_reserved: usage.creditsReserved,
    credits: creditsJson(usage.credits),
    period_days: usage.periodDays,
    period_start: usage.periodStart,
    period_end: usage.periodEnd,
    by_kind: summary.by_kind.map((row) => ({ ...row, links: entriesOf('kind', row.kind) })),
    daily: summary.daily.map((row) => ({ ...row, links: entriesOf('day', row.day) })),
    by_key: usage.byKey.map(({ keyId, count, credits }) => ({
      key_id: keyId,
      count,
      credits,
      links: entriesOf('key_id', keyId ?? 'none'),
    })),
  };
};
