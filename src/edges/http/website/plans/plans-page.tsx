import type { CreditStatus, Plan } from '../../../../queries.ts';
import { type PageContext, Row } from '../layout.tsx';
import { CreditsNote } from '../overview/overview-page.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { fill, number } from '../words.ts';

/** The plans side by side with the one of this account; `own` is null for somebody who is not signed in. */
export const plansPage = (
  context: PageContext,
  view: {
    readonly plans: readonly Plan[];
    readonly own: { readonly plan: Pick<Plan, 'key'>; readonly credits: CreditStatus } | null;
    readonly isBillingConfigured: boolean;
  },
): string => {
  const { account, plans: words, language } = context.words;
  return accountPage(context, {
    title: account.plans,
    current: 'plans',
    children: (
      <>
        {view.own === null ? null : <CreditsNote credits={view.own.credits} />}
        <Row>
          <p>{words.renewal}</p>
        </Row>
        {view.plans.map((plan) => (
          <div class="row section">
            <span class="at">{plan.priceLabel}</span>
            <div>
              <h2>
                {plan.label} {plan.key === view.own?.plan.key ? <span class="badge">✓ {words.current}</span> : null}
              </h2>
              <ul class="facts">
                <li>
                  {plan.isUnlimited
                    ? words.byContract
                    : fill(words.month, { credits: number(language, plan.includedCredits) })}
                  {!plan.isUnlimited && view.own !== null && plan.includedCredits < view.own.credits.included ? (
                    <>
                      {' '}
                      <span class="badge">{words.fewer}</span>
                    </>
                  ) : null}
                </li>
                <li>{fill(words.rate, { n: number(language, plan.limitPerMinute) })}</li>
                {plan.features.map((feature) => (
                  <li>{feature}</li>
                ))}
              </ul>
            </div>
          </div>
        ))}
        {view.isBillingConfigured ? null : (
          <Row>
            <p class="quiet-text">{words.noBilling}</p>
          </Row>
        )}
      </>
    ),
  });
};
