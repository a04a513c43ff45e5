import type { AccountUsage, KeyView } from '../../../../queries.ts';
import { type PageContext, Row, Section, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { operationName } from '../parts/event-name.tsx';
import { fill, number, plural } from '../words.ts';

export type UsageView = {
  readonly usage: AccountUsage;
  readonly days: number;
  /** For the names of keys. */
  readonly keys: readonly Pick<KeyView, 'keyId' | 'name'>[];
};

const periods = [7, 30, 90, 366] as const;

/** Usage as bars; each bar and each figure leads to its ledger entries. */
export const usagePage = (context: PageContext, view: UsageView): string => {
  const { account, usage: words, language } = context.words;
  const { usage } = view;
  const [first] = usage.daily;
  const since = first === undefined ? '' : `&used_since=${first.day}`;
  const nameOf = (keyId: string): string => view.keys.find((key) => key.keyId === keyId)?.name ?? keyId;
  return accountPage(context, {
    title: account.usage,
    current: 'usage',
    children: (
      <>
        <Row>
          <form method="get" action="/account/usage" class="actions">
            <label for="days">{words.choose}</label>
            <select id="days" name="days">
              {periods.map((days) => (
                <option value={days} selected={days === view.days}>
                  {plural(language, words.days, days)}
                </option>
              ))}
            </select>
            <button type="submit" class="quiet">
              {words.show}
            </button>
          </form>
        </Row>
        <Row at={words.requests}>
          <p>
            <span class="big-number">{number(language, usage.requests)}</span>{' '}
            <span class="quiet-text">
              {number(language, usage.successful)} {words.successful}, {number(language, usage.failed)} {words.failed}
            </span>
          </p>
        </Row>
        <Row at={words.creditsUsed}>
          <p>
            <span class="big-number">{number(language, usage.creditsUsed)}</span>
          </p>
        </Row>
        <Section>
          <h2>{words.daily}</h2>
          <Daily daily={usage.daily} />
        </Section>
        <Bars
          title={words.byKind}
          rows={usage.byKind.map(({ kind, count, credits }) => ({
            name: operationName(context.words, kind),
            href: `/account/ledger?kind=${encodeURIComponent(kind)}${since}`,
            count,
            credits,
          }))}
        />
        <Bars
          title={words.byKey}
          rows={usage.byKey.map(({ keyId, count, credits }) => ({
            name: keyId === null ? words.noKey : nameOf(keyId),
            href: `/account/ledger?key_id=${keyId ?? 'none'}${since}`,
            count,
            credits,
          }))}
        />
      </>
    ),
  });
};

const height = 120;

/** One bar for each day, at most the newest 92 that fit; wide enough to be hit by a finger where there are few. */
const Daily = ({ daily }: { readonly daily: AccountUsage['daily'] }) => {
  const { usage: words, language } = usePage().words;
  const shown = daily.slice(-92);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  const width = 26;
  return (
    <figure class="table-wrap daily" aria-label={words.daily}>
      <svg
        class="bars"
        viewBox={`0 0 ${shown.length * width} ${height + 18}`}
        width={shown.length * width}
        height={height + 18}
      >
        <title>{words.daily}</title>
        {shown.map(({ day, count }, index) => {
          const size = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
          const label = `${day}: ${number(language, count)}`;
          return (
            <a href={`/account/ledger?day=${day}&used_since=${day}`} aria-label={fill(words.entries, { what: label })}>
              <title>{label}</title>
              <rect x={index * width} y={0} width={width} height={height} fill-opacity={0} />
              <rect
                class={count === 0 ? 'none' : 'some'}
                x={index * width + 3}
                y={height - size}
                width={width - 6}
                height={size}
              />
              {index % 7 === 0 ? (
                <text x={index * width + 3} y={height + 14} font-size={11} fill="currentColor">
                  {day.slice(5)}
                </text>
              ) : null}
            </a>
          );
        })}
      </svg>
    </figure>
  );
};

type BarRow = {
  readonly name: string;
  readonly href: string;
  readonly count: number;
  readonly credits: number;
};

const Bars = ({ title, rows }: { readonly title: string; readonly rows: readonly BarRow[] }) => {
  const { account, usage: words, tabs, language } = usePage().words;
  const most = Math.max(1, ...rows.map(({ credits }) => credits));
  return (
    <div class="section">
      <Row>
        <h2>{title}</h2>
      </Row>
      {rows.length === 0 ? (
        <Row>
          <p class="quiet-text">{account.none}</p>
        </Row>
      ) : null}
      {rows.map(({ name, href, count, credits }) => (
        <Row at={number(language, count)}>
          <p>
            <a href={href} aria-label={fill(words.entries, { what: name })}>
              {name}
            </a>{' '}
            <span class="quiet-text">{plural(language, tabs.credits, credits)}</span>
            <br />
            <progress max={most} value={Math.max(0, credits)} aria-label={name} />
          </p>
        </Row>
      ))}
    </div>
  );
};
