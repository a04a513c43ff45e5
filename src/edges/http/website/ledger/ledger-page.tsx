import type { z } from 'zod';
import type { ledgerFilters } from '../../../../contract/account.ts';
import type { EntryOrder, LedgerEntry } from '../../../../queries.ts';
import { documentOf, type PageContext, Pair, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, Next, numeric } from '../parts/data-table.tsx';
import { EventName, operationName } from '../parts/event-name.tsx';
import { Code } from '../parts/markdown.tsx';
import { addressWith, type ListSort, nextAddress, sortIn } from '../parts/sorting.ts';
import { Clock, Day, dateIn, Time } from '../parts/times.tsx';
import { labelIn, number } from '../words.ts';

export type LedgerFilter = Readonly<Omit<z.output<typeof ledgerFilters>, 'limit' | 'before' | 'as_of'>>;

/** What the rows of entries name besides what the entries say. */
export type EntryNames = {
  /** Titles of videos by their ids, as far as they are known. */
  readonly titles: ReadonlyMap<string, string>;
  /** Names of keys by their ids. */
  readonly keys: ReadonlyMap<string, string>;
  /** Credits of the account after each entry, those that are set aside included, by position. */
  readonly balances: ReadonlyMap<string, number>;
};

/** What an entry gave or took, signed as its owner sees it; null where nothing was: setting aside for a job takes nothing yet. */
export const creditsOf = ({ type, data }: LedgerEntry): number | null => {
  const { amount } = data;
  if (typeof amount !== 'number' || /^(CreditsReserved|ReservationReleased)$/.test(type)) {
    return null;
  }
  const isTaken = /^(CreditsCharged|ReservationSettled|CreditsExpired)$/.test(type);
  return isTaken ? -amount : amount;
};

const isCharge = ({ type }: LedgerEntry): boolean => /^(CreditsCharged|ReservationSettled)$/.test(type);

/** What a filter leaves, in the language of the page; a day says from when already. */
const shownOf = (
  { words }: PageContext,
  { day, kind, key_id: keyId, cost_tag: tag, request_id: requestId, used_since: since }: LedgerFilter,
  keys: EntryNames['keys'],
): string =>
  [
    day === undefined ? undefined : dateIn(words, day),
    kind === undefined ? undefined : operationName(words, kind),
    keyId === 'none' ? words.usage.noKey : keyId === undefined ? undefined : (keys.get(keyId) ?? keyId),
    tag,
    requestId,
    since === undefined || day !== undefined ? undefined : `${dateIn(words, since)} –`,
  ]
    .filter((part) => part !== undefined)
    .join(words.site.comma);

/** The order of the entries at an address: of charges, the largest comes first. */
export const entrySort = (address: string): ListSort<EntryOrder['by']> =>
  sortIn<EntryOrder['by']>(address, { time: 'descending', credits: 'ascending' }, 'time');

type LedgerView = {
  readonly entries: readonly LedgerEntry[];
  readonly filter: LedgerFilter;
  readonly nextBefore: string | null;
  readonly names: EntryNames;
  /** Operations that were used lately, to filter by. */
  readonly kinds: readonly string[];
};

/** The books of an account, whole or by day, kind, key or request. */
export const ledgerPage = documentOf((view: LedgerView) => {
  const context = usePage();
  const { account, ledger: words, statements, usage } = context.words;
  const filters = Object.keys(view.filter);
  return (
    <AccountPage title={account.ledger} current="ledger">
      <Row>
        <p>
          {words.intro} <a href="/account/statements">{statements.title}</a>
        </p>
        <Filters {...view} />
        {filters.length === 0 ? null : (
          <p>
            {words.filters} <strong>{shownOf(context, view.filter, view.names.keys)}</strong> ·{' '}
            <a href="/account/ledger">{words.all}</a>
          </p>
        )}
        {view.entries.length === 0 ? <p class="quiet-text">{account.none}</p> : null}
      </Row>
      {view.entries.length === 0 ? null : (
        <Row>
          <EntryTable entries={view.entries} names={view.names} sort={entrySort(context.url)} />
        </Row>
      )}
      <Row>
        <Next href={nextAddress(context.url, view.nextBefore)} />
        <h2>{words.verify}</h2>
        <p>{words.verifyText}</p>
        <Code text={verifyCommand(context.publicUrl)} />
        <p class="small">
          <a href="/docs/verify-ledger.mjs">verify-ledger.mjs</a> · <a href="/account/usage">{usage.requests}</a>
        </p>
      </Row>
    </AccountPage>
  );
});

/** The lines of filters above the entries: operations and keys, each added to what is filtered by already. */
const Filters = ({ kinds, filter, names: { keys } }: LedgerView) => {
  const context = usePage();
  const { usage, site } = context.words;
  const all = `/account/ledger?${context.url.split('?')[1] ?? ''}`;
  const link = (name: 'kind' | 'key_id', value: string, text: string) => (
    <li>
      <a
        href={addressWith(all, { request_id: null, [name]: value })}
        aria-current={filter[name] === value ? 'true' : undefined}
      >
        {text}
      </a>
    </li>
  );
  return (
    <>
      {kinds.length === 0 ? null : (
        <ul class="inline-list">
          <li class="quiet-text">{`${usage.byKind}${site.colon}`}</li>
          {kinds.map((kind) => link('kind', kind, operationName(context.words, kind)))}
        </ul>
      )}
      {keys.size === 0 ? null : (
        <ul class="inline-list">
          <li class="quiet-text">{`${usage.byKey}${site.colon}`}</li>
          {[...keys].slice(0, keysToChoose).map(([keyId, name]) => link('key_id', keyId, name))}
          {link('key_id', 'none', usage.noKey)}
        </ul>
      )}
    </>
  );
};

/** Keys in the line of filters, at most; those of entries lead to their own entries, too. */
const keysToChoose = 12;

type EntryTableProps = Pick<LedgerView, 'entries' | 'names'> & {
  /** The heads of the columns sort by these. */
  readonly sort?: ListSort<EntryOrder['by']>;
};

/** Entries with the balance after each, in the order in which they are given; in the order of time, by day. */
export const EntryTable = ({ entries, names, sort }: EntryTableProps) => {
  const context = usePage();
  const { account, ledger: words, statements, language } = context.words;
  const isByDay = sort === undefined || sort.order.by === 'time';
  const groups = Map.groupBy(entries, ({ occurredAt }) => (isByDay ? occurredAt.slice(0, 10) : null));
  return (
    <DataTable
      label={account.ledger}
      columns={[
        { name: words.time, sort: sort?.links.time },
        words.what,
        words.video,
        words.key,
        numeric(account.credits, sort?.links.credits),
        numeric(words.balance),
      ]}
      groups={[...groups].map(([day, ofGroup]) => ({
        heading: day === null ? null : <Day day={day} />,
        rows: ofGroup.map((entry) => {
          const credits = creditsOf(entry);
          const balance = names.balances.get(entry.position);
          return [
            isByDay ? <Clock at={entry.occurredAt} /> : <Time at={entry.occurredAt} hasUtc />,
            <>
              <a href={`/account/ledger/${entry.id}`}>{entryInWords(context, entry)}</a>
              {isCharge(entry) ? (
                <>
                  {' '}
                  <a class="small" href={`/account/ledger/${entry.id}/receipt`}>
                    {statements.receipt}
                  </a>
                </>
              ) : null}
            </>,
            entry.type === 'OperationFailed' ? (
              <Reason data={entry.data} />
            ) : (
              <Video data={entry.data} titles={names.titles} />
            ),
            <KeyName data={entry.data} keys={names.keys} />,
            credits === null ? null : signed(language, credits),
            balance === undefined ? null : number(language, balance),
          ];
        }),
      }))}
    />
  );
};

/** What happened, and to what operation: a charge is named by its operation alone. */
const entryInWords = ({ words }: PageContext, { type, data }: LedgerEntry): string => {
  const what = labelIn(words.events, type) ?? type;
  if (typeof data['operation'] !== 'string') return what;
  const operation = operationName(words, data['operation']);
  if (type === 'CreditsCharged') return operation;
  return what.includes(operation) ? what : `${operation} · ${what}`;
};

const Video = ({ data, titles }: { readonly data: LedgerEntry['data']; readonly titles: EntryNames['titles'] }) => {
  const { videoId } = data;
  if (typeof videoId !== 'string') return null;
  const title = titles.get(videoId);
  return <span title={videoId}>{title ?? <code>{videoId}</code>}</span>;
};

/** Why a request failed, in the place of its video, which the entry does not name. */
const Reason = ({ data: { code } }: { readonly data: LedgerEntry['data'] }) => {
  const { codes } = usePage().words.refusals;
  if (typeof code !== 'string') return null;
  const text = labelIn(codes, code);
  return (
    <>
      {/* A sentence with figures of the request, which the entry does not keep, is left to the page of its code. */}
      {text === undefined || text.includes('{') ? null : `${text} `}
      <a href={`/docs/errors/${code}`} class="small">
        {code}
      </a>
    </>
  );
};

const KeyName = ({ data, keys }: { readonly data: LedgerEntry['data']; readonly keys: EntryNames['keys'] }) => {
  const { keyId } = data;
  if (typeof keyId !== 'string') return null;
  return <a href={`/account/ledger?key_id=${encodeURIComponent(keyId)}`}>{keys.get(keyId) ?? keyId}</a>;
};

/** Fetches every page of the ledger. */
const verifyCommand = (server: string): string => `STENO_API_KEY=$KEY node verify-ledger.mjs ${server}`;

const signed = (language: string, credits: number): string =>
  `${credits > 0 ? '+' : credits < 0 ? '−' : ''}${number(language, Math.abs(credits))}`;

/** The receipt: one entry with its hashes, and everything that its hash covers. */
export const receiptPage = documentOf((entry: LedgerEntry) => {
  const context = usePage();
  const { account, ledger: words, statements, errors, language } = context.words;
  const credits = creditsOf(entry);
  return (
    <AccountPage title={words.entry} current="ledger">
      <Row>
        <dl class="pairs">
          {credits === null ? null : (
            <Pair name={account.credits}>
              <strong class="number">{signed(language, credits)}</strong>
            </Pair>
          )}
          <Pair name={words.type}>
            <EventName type={entry.type} />
          </Pair>
          <Pair name={account.when}>
            <Time at={entry.occurredAt} hasUtc />
          </Pair>
          <Pair name={words.book}>
            <code>{entry.stream}</code>
          </Pair>
          <Pair name={words.version}>{entry.version}</Pair>
          {entry.requestId === null ? null : (
            <Pair name={errors.requestId}>
              <code>{entry.requestId}</code>{' '}
              <a href={`/account/requests/${encodeURIComponent(entry.requestId)}`}>{words.all_of_request}</a>
            </Pair>
          )}
          <Pair name={words.hash}>
            <code>{entry.hash}</code>
          </Pair>
          <Pair name={words.previous}>
            <code>{entry.prevHash}</code>
          </Pair>
        </dl>
      </Row>
      <Row>
        <h2>{words.data}</h2>
        <Code text={JSON.stringify(entry.data, null, 2)} />
        {isCharge(entry) ? (
          <>
            <h2>{statements.receipt}</h2>
            <p>
              {statements.receiptText} <a href={`/account/ledger/${entry.id}/receipt`}>{statements.receipt}</a> ·{' '}
              <a href="/.well-known/jwks.json">jwks.json</a> · <a href="/docs/verify-receipt.mjs">verify-receipt.mjs</a>
            </p>
            <Code text={`node verify-receipt.mjs receipt-${entry.id}.json --jwks jwks.json`} />
          </>
        ) : null}
        <h2>{words.verify}</h2>
        <p>{words.verifyText}</p>
        <Code text={verifyCommand(context.publicUrl)} />
        <p>
          <a href="/account/ledger">{words.all}</a>
        </p>
      </Row>
    </AccountPage>
  );
});
