import type { Commands } from '../../../../commands.ts';
import { dayMs } from '../../../../kernel/clock.ts';
import type { AccountUsage, CreditStatus, LedgerEntry, Queries, ShownJob } from '../../../../queries.ts';
import { JobTable } from '../jobs/jobs-page.tsx';
import { firstRequest } from '../keys/first-request.ts';
import { documentOf, Pair, Row, usePage } from '../layout.tsx';
import { type EntryNames, EntryTable } from '../ledger/ledger-page.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { Note, PostButton } from '../parts/form.tsx';
import { Code } from '../parts/markdown.tsx';
import { planTexts } from '../parts/plan-texts.ts';
import { dateIn, Time } from '../parts/times.tsx';
import { UsageChart } from '../parts/usage-chart.tsx';
import { fill, number, plural, type Words } from '../words.ts';

/** `daily`: usage of the last days, which the chart shows. */
type OverviewView = Pick<Awaited<ReturnType<Commands['profile']>>, 'email' | 'name' | 'registeredAt'> &
  Awaited<ReturnType<Queries['accountOverview']>> &
  Pick<AccountUsage, 'creditsReserved' | 'periodStart' | 'periodEnd' | 'daily'> & {
    /** Credits of a day, on average of the last week. */
    readonly creditsPerDay: number;
    readonly now: Date;
    /** The newest entries that took credits. */
    readonly charges: readonly LedgerEntry[];
    readonly names: EntryNames;
    /** Jobs that are not over. */
    readonly jobs: readonly ShownJob[];
    /** Nothing was ever asked for by a key. */
    readonly isUnused: boolean;
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
export const overviewPage = documentOf((view: OverviewView) => {
  const context = usePage();
  const { account, keys, site, statements, language } = context.words;
  const { credits, plan, creditsReserved: reserved } = view;
  const left = fill(account.left, { included: number(language, credits.included) }).split('{remaining}');
  return (
    <AccountPage title={view.name ?? view.email} isAddress={view.name === null} current="overview">
      {view.isProvisional ? <ProofNote isSent={view.isProofSent} /> : <CreditsNote credits={credits} />}
      <Row>
        {credits.isUnlimited ? (
          <p>{account.unlimited}</p>
        ) : (
          <>
            <p>
              <span class="quiet-text">
                {left[0]}
                <span class="big-number">{number(language, credits.remaining)}</span>
                {left[1]} {reserved === 0 ? null : fill(account.reserved, { n: number(language, reserved) })}
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
            from: dateIn(context.words, view.periodStart),
            to: dateIn(context.words, view.periodEnd),
          })}{' '}
          {credits.isUnlimited ? null : lastsUntil(context.words, view)}{' '}
          <a href="/account/statements">{statements.title}</a>
        </p>
      </Row>
      <Activity {...view} />
      <Row>
        <h2>{site.account}</h2>
        <dl class="pairs">
          <Pair name={account.plan}>
            {planTexts(context.words, plan).label} · <a href="/account/plans">{account.plans}</a>
          </Pair>
          <Pair name={account.keys}>
            {plural(language, account.active, view.keysActive)} · <a href="/account/keys">{keys.create}</a>
          </Pair>
          <Pair name={account.webhooks}>
            <a href="/account/webhooks">{plural(language, account.active, view.webhooksActive)}</a>
          </Pair>
          <Pair name={account.since}>
            <Time at={view.registeredAt.toISOString()} /> · {view.email}
          </Pair>
        </dl>
      </Row>
    </AccountPage>
  );
});

/** Until when the credits last, if each day takes as many as those of the last week; nothing, if none were used. */
export const lastsUntil = (
  { account, language }: Words,
  {
    credits,
    creditsPerDay,
    now,
    periodEnd,
  }: Pick<OverviewView, 'creditsPerDay' | 'now' | 'periodEnd'> & { readonly credits: Pick<CreditStatus, 'remaining'> },
): string | null => {
  if (creditsPerDay <= 0) return null;
  const until = now.getTime() + (Math.max(0, credits.remaining) / creditsPerDay) * dayMs;
  if (until >= Date.parse(periodEnd)) return account.lastsPeriod;
  return fill(account.lastsUntil, { day: dateIn({ language }, new Date(until).toISOString()) });
};

/** What goes on: a first request until one was made, then the chart, running jobs and the newest charges. */
const Activity = (view: OverviewView) => {
  const context = usePage();
  const { account, site, keys } = context.words;
  if (view.isUnused) {
    return (
      <Row>
        <h2>{account.first}</h2>
        <p>
          {account.firstText} <a href="/account/keys">{keys.create}</a>
        </p>
        <Code text={firstRequest(context.publicUrl, '$STENO_API_KEY')} />
      </Row>
    );
  }
  return (
    <Row>
      <h2>
        <a href="/account/usage">{account.usage}</a>
      </h2>
      <UsageChart daily={view.daily} />
      {view.jobs.length === 0 ? null : (
        <>
          <h2>
            <a href="/jobs">{site.jobs}</a>
          </h2>
          <JobTable jobs={view.jobs} />
        </>
      )}
      {view.charges.length === 0 ? null : (
        <>
          <h2>
            <a href="/account/ledger">{account.lastCharges}</a>
          </h2>
          <EntryTable entries={view.charges} names={view.names} />
        </>
      )}
    </Row>
  );
};

export const CreditsNote = ({ credits }: { readonly credits: CreditStatus }) => {
  const { account, errors, language } = usePage().words;
  const figures = { remaining: number(language, credits.remaining), included: number(language, credits.included) };
  return credits.isLow ? (
    <Row>
      <Note kind={credits.isExhausted ? 'bad' : 'warn'} hasFocus={false}>
        <p>
          {credits.isExhausted ? account.exhausted : fill(account.low, figures)}{' '}
          <a href="/account/plans">{errors.credits}</a>
        </p>
      </Note>
    </Row>
  ) : null;
};
