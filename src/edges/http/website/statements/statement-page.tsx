import type { ComponentChildren } from 'preact';
import type { Statement } from '../../../../contract/statements.ts';
import type { StatementPeriod } from '../../../../queries.ts';
import { documentOf, Pair, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, numeric } from '../parts/data-table.tsx';
import { operationName } from '../parts/event-name.tsx';
import { Day, dateIn, Time } from '../parts/times.tsx';
import { labelIn, number } from '../words.ts';

/** The billing periods, the newest first. */
export const statementsPage = documentOf((periods: readonly StatementPeriod[]) => {
  const { account, statements: words, ledger } = usePage().words;
  return (
    <AccountPage title={words.title} current="ledger">
      <Row>
        <p>{words.intro}</p>
        {periods.length === 0 ? <p class="quiet-text">{account.none}</p> : null}
        <ul>
          {periods.map(({ period, provisional }) => (
            <li>
              <a href={`/account/statements/${period}`}>
                <Day day={period} />
              </a>{' '}
              {provisional ? <span class="badge">{words.provisional}</span> : null}
            </li>
          ))}
        </ul>
        <p class="small">
          <a href="/account/ledger">{ledger.all}</a>
        </p>
      </Row>
    </AccountPage>
  );
});

/** One statement, to read and to print; `keys`: names of keys by their ids. */
export const statementPage = documentOf((statement: Statement, keys: ReadonlyMap<string, string>) => {
  const context = usePage();
  const { statements: words } = context.words;
  const { period, provisional } = statement;
  return (
    <AccountPage title={`${words.one} ${dateIn(context.words, period)}`} current="ledger">
      <Row>
        <p>
          <Time at={statement.opens_at} /> – <Time at={statement.closes_at} />{' '}
          {provisional ? <span class="badge">{words.provisional}</span> : null}
        </p>
        <p>
          <code>{statement.account_id}</code>
        </p>
        <p class="actions">
          <a href={`/account/statements/${period}?format=csv`}>CSV</a>
          <a href={`/account/statements/${period}?format=json`}>JSON</a>
          <a href="/account/statements">{words.title}</a>
        </p>
        <Balances statement={statement} />
      </Row>
      <Charges charges={statement.charges} keys={keys} />
      <Lines
        title={words.grants}
        rows={statement.grants.map(({ entry, at, kind, credits }) => ({
          entry,
          at,
          credits,
          reason: labelIn(words.kinds, kind) ?? kind,
        }))}
      />
      <Lines
        title={words.refunds}
        rows={statement.refunds.map((line) => ({
          ...line,
          reason: labelIn(words.reasons, line.reason) ?? line.reason,
        }))}
      />
      <Lines
        title={words.corrections}
        rows={statement.corrections.map(({ number: note, correction, reason, ...line }) => ({
          ...line,
          entry: correction,
          reason: (
            <>
              <strong>{note}</strong> {reason} (<EntryLink entry={line.entry}>{words.corrected}</EntryLink>)
            </>
          ),
        }))}
      />
      <Row>
        <h2>{words.proof}</h2>
        <dl class="pairs">
          <Proof label={words.first} entry={statement.first_entry} />
          <Proof label={words.last} entry={statement.last_entry} />
        </dl>
        {provisional ? null : <p class="small">{words.stable}</p>}
      </Row>
    </AccountPage>
  );
});

const Balances = ({ statement }: { readonly statement: Statement }) => {
  const { statements: words, language } = usePage().words;
  const sumOf = (lines: readonly { readonly credits: number }[]): number =>
    lines.reduce((sum, { credits }) => sum + credits, 0);
  const figures = [
    [words.opening, statement.opening_balance],
    [words.openingReserved, statement.opening_reserved],
    [words.grants, sumOf(statement.grants)],
    [words.charges, -sumOf(statement.charges)],
    [words.refunds, sumOf(statement.refunds)],
    [words.corrections, sumOf(statement.corrections)],
    [words.expired, -statement.expired],
    [words.reserved, statement.reserved],
    [words.closing, statement.closing_balance],
  ] as const;
  return (
    <DataTable
      label={words.one}
      columns={[words.figure, numeric(usePage().words.account.credits)]}
      rows={figures.map(([name, credits]) => [name, shown(language, credits)])}
    />
  );
};

type ChargesView = Pick<Statement, 'charges'> & { readonly keys: ReadonlyMap<string, string> };

const Charges = ({ charges, keys }: ChargesView) => {
  const { words } = usePage();
  const { statements, ledger, usage, account } = words;
  if (charges.length === 0) return null;
  return (
    <Row>
      <h2>{statements.charges}</h2>
      <DataTable
        label={statements.charges}
        columns={[ledger.what, ledger.key, statements.tag, numeric(usage.requests), numeric(account.credits)]}
        rows={charges.map((line) => [
          operationName(words, line.operation),
          line.key_id === null ? usage.noKey : (keys.get(line.key_id) ?? line.key_id),
          line.cost_tag,
          number(words.language, line.count),
          number(words.language, line.credits),
        ])}
      />
    </Row>
  );
};

type Line = {
  readonly entry: string;
  readonly at: string;
  readonly reason: ComponentChildren;
  readonly credits: number;
};

/** Grants, refunds or corrections: each entry with its time and reason. */
const Lines = ({ title, rows }: { readonly title: string; readonly rows: readonly Line[] }) => {
  const { statements: words, ledger, account, language } = usePage().words;
  if (rows.length === 0) return null;
  return (
    <Row>
      <h2>{title}</h2>
      <DataTable
        label={title}
        columns={[ledger.time, words.reason, numeric(account.credits)]}
        rows={rows.map(({ entry, at, reason, credits }) => [
          <EntryLink entry={entry}>
            <Time at={at} />
          </EntryLink>,
          reason,
          shown(language, credits),
        ])}
      />
    </Row>
  );
};

const EntryLink = ({ entry, children }: { readonly entry: string; readonly children: ComponentChildren }) => (
  <a href={`/account/ledger/${entry}`}>{children}</a>
);

const Proof = ({ label, entry }: { readonly label: string; readonly entry: Statement['first_entry'] }) =>
  entry === null ? null : (
    <Pair name={label}>
      <EntryLink entry={entry.id}>{entry.id}</EntryLink> <code>{entry.hash}</code>
    </Pair>
  );

const shown = (language: string, credits: number): string =>
  `${credits < 0 ? '−' : ''}${number(language, Math.abs(credits))}`;
