import type { LedgerEntry } from '../../../../queries.ts';
import { type PageContext, Row } from '../layout.tsx';
import { accountPage, Time } from '../parts/account-frame.tsx';
import { EventName, operationName } from '../parts/event-name.tsx';
import { Code } from '../parts/markdown.tsx';
import { number } from '../words.ts';

export type LedgerFilter = Readonly<Partial<Record<'day' | 'kind' | 'key_id' | 'request_id' | 'used_since', string>>>;

/** What an entry gave or took, signed as its owner sees it; null where nothing was: setting aside for a job takes nothing yet. */
const creditsOf = ({ type, data }: LedgerEntry): number | null => {
  const { amount } = data;
  if (typeof amount !== 'number' || /^(CreditsReserved|ReservationReleased)$/.test(type)) {
    return null;
  }
  const isTaken = /^(CreditsCharged|ReservationSettled|CreditsExpired)$/.test(type);
  return isTaken ? -amount : amount;
};

/** What a filter leaves, in the language of the page; a day says from when already. */
const shownOf = (
  { words }: PageContext,
  { day, kind, key_id: keyId, request_id: requestId, used_since: since }: LedgerFilter,
): string =>
  [
    day,
    kind === undefined ? undefined : operationName(words, kind),
    keyId === 'none' ? words.usage.noKey : keyId,
    requestId,
    since === undefined || day !== undefined ? undefined : `${since} –`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');

/** The books of an account, newest first, whole or by day, kind, key or request. */
export const ledgerPage = (
  context: PageContext,
  view: {
    readonly entries: readonly LedgerEntry[];
    readonly filter: LedgerFilter;
    readonly nextBefore: string | null;
  },
): string => {
  const { account, ledger: words, usage, language } = context.words;
  const filters = Object.entries(view.filter);
  const older = new URLSearchParams([...filters, ['before', view.nextBefore ?? '']]);
  return accountPage(context, {
    title: account.ledger,
    current: 'ledger',
    children: (
      <>
        <Row>
          <p>{words.intro}</p>
          {filters.length === 0 ? null : (
            <p>
              {words.filters} <strong>{shownOf(context, view.filter)}</strong> ·{' '}
              <a href="/account/ledger">{words.all}</a>
            </p>
          )}
          {view.entries.length === 0 ? <p class="quiet-text">{account.none}</p> : null}
        </Row>
        {view.entries.map((entry) => {
          const credits = creditsOf(entry);
          const { operation, videoId } = entry.data;
          return (
            <div class="row">
              <a class="at" href={`/account/ledger/${entry.id}`}>
                {credits === null ? '·' : signed(language, credits)}
              </a>
              <p>
                <EventName type={entry.type} href={`/account/ledger/${entry.id}`} />{' '}
                {typeof operation === 'string' ? (
                  <span class="badge">{operationName(context.words, operation)}</span>
                ) : null}{' '}
                {typeof videoId === 'string' ? <code>{videoId}</code> : null}{' '}
                <span class="quiet-text small">
                  <Time at={entry.occurredAt} />
                </span>
              </p>
            </div>
          );
        })}
        <Row>
          {view.nextBefore === null ? null : (
            <p>
              <a class="button quiet" href={`/account/ledger?${older}`}>
                {account.next}
              </a>
            </p>
          )}
          <h2>{words.verify}</h2>
          <p>{words.verifyText}</p>
          <Code text={verifyCommand(context.publicUrl)} />
          <p class="small">
            <a href="/docs/verify-ledger.mjs">verify-ledger.mjs</a> · <a href="/account/usage">{usage.requests}</a>
          </p>
        </Row>
      </>
    ),
  });
};

/** Fetches every page of the ledger. */
const verifyCommand = (server: string): string => `STENO_API_KEY=$KEY node verify-ledger.mjs ${server}`;

const signed = (language: string, credits: number): string =>
  `${credits > 0 ? '+' : credits < 0 ? '−' : ''}${number(language, Math.abs(credits))}`;

/** The receipt: one entry with its hashes, and everything that its hash covers. */
export const receiptPage = (context: PageContext, entry: LedgerEntry): string => {
  const { account, ledger: words, errors, language } = context.words;
  const credits = creditsOf(entry);
  return accountPage(context, {
    title: words.entry,
    current: 'ledger',
    children: (
      <>
        <Row at={credits === null ? '' : signed(language, credits)}>
          <dl class="pairs">
            <dt>{words.type}</dt>
            <dd>
              <EventName type={entry.type} />
            </dd>
            <dt>{account.when}</dt>
            <dd>
              <Time at={entry.occurredAt} />
            </dd>
            <dt>{words.book}</dt>
            <dd>
              <code>{entry.stream}</code>
            </dd>
            <dt>{words.version}</dt>
            <dd>{entry.version}</dd>
            {entry.requestId === null ? null : (
              <>
                <dt>{errors.requestId}</dt>
                <dd>
                  <code>{entry.requestId}</code>{' '}
                  <a href={`/account/requests/${encodeURIComponent(entry.requestId)}`}>{words.all_of_request}</a>
                </dd>
              </>
            )}
            <dt>{words.hash}</dt>
            <dd>
              <code>{entry.hash}</code>
            </dd>
            <dt>{words.previous}</dt>
            <dd>
              <code>{entry.prevHash}</code>
            </dd>
          </dl>
        </Row>
        <Row>
          <h2>{words.data}</h2>
          <Code text={JSON.stringify(entry.data, null, 2)} />
          <h2>{words.verify}</h2>
          <p>{words.verifyText}</p>
          <Code text={verifyCommand(context.publicUrl)} />
          <p>
            <a href="/account/ledger">{words.all}</a>
          </p>
        </Row>
      </>
    ),
  });
};
