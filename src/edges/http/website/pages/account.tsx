import type { AccountEventView, CreditStatus, Plan } from '../../../../queries.ts';
import { type PageContext, Row, Section, usePage } from '../layout.tsx';
import { EventName } from '../parts/event-name.tsx';
import { Field, NewPasswordField, Note, Once, PostButton, Submit } from '../parts/form.tsx';
import { fill, number, plural } from '../words.ts';
import { accountPage, Time } from './account-frame.tsx';

export type OverviewView = {
  readonly email: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly plan: Plan;
  readonly credits: CreditStatus;
  readonly reserved: number;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly keysActive: number;
  readonly webhooksActive: number;
  /** The plan waits for a proof of the mailbox. */
  readonly isProvisional: boolean;
  /** Another link was just asked for. */
  readonly isProofSent: boolean;
};

const ProofNote = ({ isSent }: { readonly isSent: boolean }) => {
  const { auth } = usePage().words;
  return (
    <Row>
      <h2>{auth.proveTitle}</h2>
      <Note kind={isSent ? 'ok' : 'warn'}>{isSent ? auth.proveSent : auth.proveText}</Note>
      <div class="actions">
        <PostButton action="/account/mailbox">{auth.proveAgain}</PostButton>
      </div>
    </Row>
  );
};

/** How the account stands: plan, credits, what is active. */
export const overviewPage = (context: PageContext, view: OverviewView): string => {
  const { account, keys, language } = context.words;
  const { credits, plan } = view;
  const left = fill(account.left, { included: number(language, credits.included) }).split('{remaining}');
  return accountPage(context, {
    title: view.name ?? view.email,
    current: 'overview',
    children: (
      <>
        {view.isProvisional ? <ProofNote isSent={view.isProofSent} /> : <CreditsNote credits={credits} />}
        <Row at={account.credits}>
          {credits.isUnlimited ? (
            <p>{account.unlimited}</p>
          ) : (
            <>
              <p>
                <span class="quiet-text">
                  {left[0]}
                  <span class="big-number">{number(language, credits.remaining)}</span>
                  {left[1]}{' '}
                  {view.reserved === 0 ? null : fill(account.reserved, { n: number(language, view.reserved) })}
                </span>
              </p>
              <progress
                max={Math.max(1, credits.included)}
                value={Math.min(credits.remaining, credits.included)}
                aria-label={account.credits}
              />
            </>
          )}
          <p class="quiet-text small">
            {fill(account.period, {
              from: view.periodStart.slice(0, 10),
              to: view.periodEnd.slice(0, 10),
            })}
          </p>
        </Row>
        <Row at={account.plan}>
          <p>
            {plan.label} · <a href="/account/plans">{account.plans}</a>
          </p>
        </Row>
        <Row at={account.keys}>
          <p>
            {plural(language, account.active, view.keysActive)} · <a href="/account/keys">{keys.create}</a>
          </p>
        </Row>
        <Row at={account.webhooks}>
          <p>
            <a href="/account/webhooks">{plural(language, account.active, view.webhooksActive)}</a>
          </p>
        </Row>
        <Row at={account.since}>
          <p>
            <Time at={view.createdAt} /> · {view.email}
          </p>
        </Row>
      </>
    ),
  });
};

const CreditsNote = ({ credits }: { readonly credits: CreditStatus }) => {
  const { account, errors, language } = usePage().words;
  const figures = {
    remaining: number(language, credits.remaining),
    included: number(language, credits.included),
  };
  return credits.isLow ? (
    <Row>
      <Note kind={credits.isExhausted ? 'bad' : 'warn'}>
        <p>
          {credits.isExhausted ? account.exhausted : fill(account.low, figures)}{' '}
          <a href="/account/plans">{errors.credits}</a>
        </p>
      </Note>
    </Row>
  ) : null;
};

/** The plans side by side with the one of this account. */
export const plansPage = (
  context: PageContext,
  view: {
    readonly plans: readonly Plan[];
    readonly current: string;
    readonly credits: CreditStatus;
    readonly isBillingConfigured: boolean;
  },
): string => {
  const { account, plans: words, language } = context.words;
  return accountPage(context, {
    title: account.plans,
    current: 'plans',
    children: (
      <>
        <CreditsNote credits={view.credits} />
        <Row>
          <p>{words.renewal}</p>
        </Row>
        {view.plans.map((plan) => (
          <div class="row section">
            <span class="at">{plan.priceLabel}</span>
            <div>
              <h2>
                {plan.label} {plan.key === view.current ? <span class="badge">✓ {words.current}</span> : null}
              </h2>
              <ul class="facts">
                <li>
                  {plan.isUnlimited
                    ? words.byContract
                    : fill(words.month, { credits: number(language, plan.includedCredits) })}
                  {!plan.isUnlimited && plan.includedCredits < view.credits.included ? (
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

export type SessionView = {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly seenAt: string;
  readonly ip: string;
  readonly userAgent: string | null;
};

export type HistoryView = Pick<AccountEventView, 'eventId' | 'type' | 'occurredAt' | 'channel'> & {
  readonly ip: string | null;
};

/** Password, sessions, a copy of the data, erasure, and what happened to the account. */
export const securityPage = (
  context: PageContext,
  view: {
    readonly sessions: readonly SessionView[];
    readonly history: readonly HistoryView[];
    readonly nextBefore: string | null;
    readonly wrong: string | null;
  },
): string => {
  const { account, security, auth, transcript } = context.words;
  return accountPage(context, {
    title: account.security,
    current: 'security',
    children: (
      <>
        {view.wrong === null ? null : (
          <Row>
            <Note kind="bad">{view.wrong}</Note>
          </Row>
        )}
        <Row>
          <h2>{security.sessions}</h2>
        </Row>
        {view.sessions.map((session) => (
          <Row at={session.ip}>
            <div class="actions">
              <span class="small">
                {session.userAgent ?? ''} · {security.seen.split('{at}')[0]}
                <Time at={session.seenAt} />
              </span>
              {session.isCurrent ? (
                <span class="badge">✓ {security.thisOne}</span>
              ) : (
                <a class="button quiet" href={`/account/security/sessions?id=${session.id}`}>
                  {security.end}
                </a>
              )}
            </div>
          </Row>
        ))}
        <Section>
          <h2>{auth.password}</h2>
          <form method="post" action="/account/security/password">
            <Once />
            <Field id="current" label={security.current} type="password" autocomplete="current-password" required />
            <NewPasswordField id="next" label={security.next} more={security.changeHint} />
            <Submit>{security.change}</Submit>
          </form>
        </Section>
        <Section>
          <h2>{security.export}</h2>
          <p>{security.exportText}</p>
          <div class="actions">
            <PostButton action="/account/security/export">{transcript.download}</PostButton>
          </div>
          <h2>{security.erase}</h2>
          <p>{security.eraseText}</p>
          <div class="actions">
            <a class="button bad" href="/account/security/erase">
              {security.erase}
            </a>
          </div>
        </Section>
        <History view={view} />
      </>
    ),
  });
};

const History = ({
  view,
}: {
  readonly view: { readonly history: readonly HistoryView[]; readonly nextBefore: string | null };
}) => {
  const { account, security } = usePage().words;
  return (
    <Section>
      <h2>{security.history}</h2>
      <section class="table-wrap" tabindex={0} aria-label={security.history}>
        <table>
          <thead>
            <tr>
              <th scope="col">{account.when}</th>
              <th scope="col">{account.what}</th>
              <th scope="col">{account.where}</th>
            </tr>
          </thead>
          <tbody>
            {view.history.map((event) => (
              <tr>
                <td>
                  <Time at={event.occurredAt} />
                </td>
                <td data-label={account.what}>
                  <EventName type={event.type} />
                </td>
                <td data-label={account.where}>
                  {event.channel ?? ''} {event.ip ?? ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {view.nextBefore === null ? null : (
        <p>
          <a href={`/account/security?before=${view.nextBefore}`}>{account.next}</a>
        </p>
      )}
    </Section>
  );
};
