import type { CreditStatus, Plan } from '../../../../queries.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { Note, PostButton } from '../parts/form.tsx';
import { Time } from '../parts/times.tsx';
import { fill, number, plural } from '../words.ts';

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

export const CreditsNote = ({ credits }: { readonly credits: CreditStatus }) => {
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
