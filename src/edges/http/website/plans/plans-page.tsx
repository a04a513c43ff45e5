import type { CreditStatus, Plan } from '../../../../queries.ts';
import { type PageContext, Row } from '../layout.tsx';
import { CreditsNote } from '../overview/overview-page.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { fill, number } from '../words.ts';

/** The plans side by side with the one of this account; `own` is null for somebody who is not signed in. */
export const plansPage = (
  context: PageContext,
  view: {
    readonly plans: readonly Plan[];
    readonly own: Own | null;
    readonly isBillingConfigured: boolean;
  },
): string => {
  const { account, plans: words } = context.words;
  return accountPage(context, {
    title: account.plans,
    current: 'plans',
    children: (
      <>
        {view.own === null ? null : <CreditsNote credits={view.own.credits} />}
        <Row>
          <p>{words.renewal}</p>
        </Row>
        <Row>
          <DataTable
            label={account.plans}
            columns={[
              { name: account.plan },
              { name: words.price },
              { name: account.credits },
              { name: words.perThousand, isNumber: true },
              { name: words.perMinute, isNumber: true },
              { name: words.included },
            ]}
            groups={[{ heading: null, rows: view.plans.map((plan) => cellsOf(context, plan, view.own)) }]}
          />
        </Row>
        {view.isBillingConfigured ? null : (
          <Row>
            <p class="quiet-text">{words.noBilling}</p>
          </Row>
        )}
      </>
    ),
  });
};

type Own = { readonly plan: Pick<Plan, 'key'>; readonly credits: CreditStatus };

const cellsOf = ({ words: { plans: words, language } }: PageContext, plan: Plan, own: Own | null) => [
  <>
    <strong>{plan.label}</strong> {plan.key === own?.plan.key ? <span class="badge">✓ {words.current}</span> : null}
  </>,
  <span class="nowrap">{plan.priceLabel}</span>,
  <>
    {plan.isUnlimited ? words.byContract : fill(words.month, { credits: number(language, plan.includedCredits) })}
    {!plan.isUnlimited && own !== null && plan.includedCredits < own.credits.included ? (
      <>
        {' '}
        <span class="badge">{words.fewer}</span>
      </>
    ) : null}
  </>,
  plan.isUnlimited ? null : dollars(language, (plan.monthlyPriceCents * 1_000) / plan.includedCredits),
  number(language, plan.limitPerMinute),
  plan.features.join(', '),
];

/** Cents of a dollar, as the language writes money. A transcript costs one credit. */
const dollars = (language: string, cents: number): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' }).format(cents / 100);
