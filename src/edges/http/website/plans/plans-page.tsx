import type { CreditStatus, Plan, Queries } from '../../../../queries.ts';
import { documentOf, type PageContext, Row, usePage } from '../layout.tsx';
import { CreditsNote } from '../overview/overview-page.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, numeric } from '../parts/data-table.tsx';
import { money, planTexts } from '../parts/plan-texts.ts';
import { fill, number } from '../words.ts';

type PlansView = ReturnType<Queries['plans']> & { readonly own: Own | null };

/** The plans side by side with the one of this account; `own` is null for somebody who is not signed in. */
export const plansPage = documentOf((view: PlansView) => {
  const context = usePage();
  const { account, plans: words } = context.words;
  return (
    <AccountPage title={account.plans} current="plans">
      {view.own === null ? null : <CreditsNote credits={view.own.credits} />}
      <Row>
        <p>{words.renewal}</p>
      </Row>
      <Row>
        <DataTable
          label={account.plans}
          columns={[
            account.plan,
            words.price,
            account.credits,
            numeric(words.perThousand),
            numeric(words.perMinute),
            numeric(account.keys),
            words.included,
          ]}
          rows={view.plans.map((plan) => cellsOf(context, plan, view))}
        />
      </Row>
      {view.isBillingConfigured ? null : (
        <Row>
          <p class="quiet-text">{words.noBilling}</p>
        </Row>
      )}
    </AccountPage>
  );
});

type Own = { readonly plan: Pick<Plan, 'key'>; readonly credits: CreditStatus };

const cellsOf = ({ words }: PageContext, plan: Plan, { own, maxKeys }: PlansView) => {
  const { plans, language } = words;
  const { label, price, features } = planTexts(words, plan);
  return [
    <>
      <strong>{label}</strong> {plan.key === own?.plan.key ? <span class="badge">✓ {plans.current}</span> : null}
    </>,
    <span class="nowrap">{price}</span>,
    <>
      {plan.isUnlimited ? plans.byContract : fill(plans.month, { credits: number(language, plan.includedCredits) })}
      {!plan.isUnlimited && own !== null && plan.includedCredits < own.credits.included ? (
        <>
          {' '}
          <span class="badge">{plans.fewer}</span>
        </>
      ) : null}
    </>,
    plan.isUnlimited ? null : money(language, plan, (plan.monthlyPriceCents * 1_000) / plan.includedCredits),
    number(language, plan.limitPerMinute),
    number(language, maxKeys),
    features.join(' · '),
  ];
};
