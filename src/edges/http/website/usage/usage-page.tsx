import { csvLine } from '../../../../kernel/csv.ts';
import type { AccountUsage, KeyView } from '../../../../queries.ts';
import { documentOf, Pair, Row, Tabs, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, numeric } from '../parts/data-table.tsx';
import { operationName } from '../parts/event-name.tsx';
import { addressWith, sorted } from '../parts/sorting.ts';
import { Day } from '../parts/times.tsx';
import { UsageChart } from '../parts/usage-chart.tsx';
import { fill, number, plural } from '../words.ts';

type UsageView = {
  readonly usage: AccountUsage;
  readonly days: number;
  /** The days are those of the present billing period. */
  readonly isBillingPeriod: boolean;
  /** Sums of as many days before these. */
  readonly before: { readonly requests: number; readonly creditsUsed: number };
  /** For the names of keys. */
  readonly keys: readonly Pick<KeyView, 'keyId' | 'name'>[];
};

const periods = [7, 30, 90] as const;

/** What was used: a chart by day, values, and sums by operation, key and tag; each leads to its ledger entries. */
export const usagePage = documentOf((view: UsageView) => {
  const context = usePage();
  const { account, usage: words } = context.words;
  const { usage } = view;
  const [first] = usage.daily;
  const since = first === undefined ? '' : `&used_since=${first.day}`;
  const nameOf = (keyId: string): string => view.keys.find((key) => key.keyId === keyId)?.name ?? keyId;
  const isEmpty = usage.requests === 0;
  return (
    <AccountPage title={account.usage} current="usage">
      <Row>
        <Periods view={view} />
        {isEmpty ? (
          <p>
            {words.empty} <a href="/account">{account.overview}</a>
          </p>
        ) : (
          <>
            <Sums view={view} />
            <UsageChart daily={usage.daily} />
            <details>
              <summary>{words.values}</summary>
              <Days usage={usage} />
            </details>
          </>
        )}
      </Row>
      {isEmpty ? null : (
        <Row>
          <SumTable
            title={words.byKind}
            rows={usage.byKind.map(({ kind, ...sums }) => ({
              ...sums,
              name: operationName(context.words, kind),
              href: `/account/ledger?kind=${encodeURIComponent(kind)}${since}`,
            }))}
          />
          <SumTable
            title={words.byKey}
            rows={usage.byKey.map(({ keyId, ...sums }) => ({
              ...sums,
              name: keyId === null ? words.noKey : nameOf(keyId),
              href: `/account/ledger?key_id=${keyId ?? 'none'}${since}`,
            }))}
          />
          <SumTable
            title={words.byTag}
            rows={usage.byTag.flatMap(({ costTag, ...sums }) =>
              costTag === null
                ? []
                : { ...sums, name: costTag, href: `/account/ledger?cost_tag=${encodeURIComponent(costTag)}${since}` },
            )}
          />
        </Row>
      )}
    </AccountPage>
  );
});

/** The figures of the page as CSV. */
export const usageFile = ({ daily, byKind, byKey, byTag }: AccountUsage): string => {
  const rows = [
    ['by', 'name', 'requests', 'credits'],
    ...daily.map(({ day, count, credits }) => ['day', day, count, credits]),
    ...byKind.map(({ kind, count, credits }) => ['operation', kind, count, credits]),
    ...byKey.map(({ keyId, count, credits }) => ['key', keyId, count, credits]),
    ...byTag.flatMap(({ costTag, count, credits }) => (costTag === null ? [] : [['tag', costTag, count, credits]])),
  ];
  return rows.map(csvLine).join('');
};

const Periods = ({ view: { days, isBillingPeriod } }: { readonly view: UsageView }) => {
  const context = usePage();
  const { usage: words, language } = context.words;
  const links = periods.map((each) => ({
    href: `/account/usage?days=${each}`,
    text: plural(language, words.days, each),
    isCurrent: !isBillingPeriod && each === days,
  }));
  const period = { href: '/account/usage?period=billing', text: words.thisPeriod, isCurrent: isBillingPeriod };
  return (
    <Tabs label={words.choose} links={[...links, period]}>
      <li class="push">
        <a href={addressWith(context.url, { format: 'csv' })}>CSV</a>
      </li>
    </Tabs>
  );
};

const Sums = ({ view: { usage, before } }: { readonly view: UsageView }) => {
  const { usage: words, language } = usePage().words;
  const compared = (n: number): string => fill(words.before, { n: number(language, n) });
  return (
    <dl class="sums">
      <Pair name={words.requests}>
        <span class="big-number">{number(language, usage.requests)}</span>{' '}
        <span class="quiet-text small">
          {number(language, usage.failed)} {words.failed} · {compared(before.requests)}
        </span>
      </Pair>
      <Pair name={words.creditsUsed}>
        <a href="/account/statements" class="big-number">
          {number(language, usage.creditsUsed)}
        </a>{' '}
        <span class="quiet-text small">{compared(before.creditsUsed)}</span>
      </Pair>
    </dl>
  );
};

/** Days on which something was used, the newest first. */
const Days = ({ usage }: { readonly usage: AccountUsage }) => {
  const { usage: words, language } = usePage().words;
  const used = usage.daily.filter(({ count, credits }) => count !== 0 || credits !== 0).toReversed();
  return (
    <DataTable
      label={words.values}
      isEven
      columns={[words.day, numeric(words.requests), numeric(words.creditsUsed)]}
      rows={used.map(({ day, count, credits }) => [
        <a href={`/account/ledger?day=${day}&used_since=${day}`}>
          <Day day={day} />
        </a>,
        number(language, count),
        number(language, credits),
      ])}
    />
  );
};

type SumRow = { readonly name: string; readonly href: string; readonly count: number; readonly credits: number };

const SumTable = ({ title, rows: given }: { readonly title: string; readonly rows: readonly SumRow[] }) => {
  const page = usePage();
  const { usage: words, language } = page.words;
  if (given.length === 0) return null;
  const { rows, links } = sorted(page, given, {
    name: ({ name }) => name,
    requests: ({ count }) => count,
    credits: ({ credits }) => credits,
  });
  return (
    <>
      <h2>{title}</h2>
      <DataTable
        label={title}
        isEven
        columns={[
          { name: words.name, sort: links.name },
          numeric(words.requests, links.requests),
          numeric(words.creditsUsed, links.credits),
        ]}
        rows={rows.map(({ name, href, count, credits }) => [
          <a href={href} aria-label={fill(words.entries, { what: name })}>
            {name}
          </a>,
          number(language, count),
          number(language, credits),
        ])}
      />
    </>
  );
};
