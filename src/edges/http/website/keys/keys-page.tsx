import { capPeriods, usualWarnings } from '../../../../contract/caps.ts';
import { keyScopes } from '../../../../contract/key-scopes.ts';
import { createKey, keyOverlapHours } from '../../../../contract/keys.ts';
import type { KeyView } from '../../../../queries.ts';
import { documentOf, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, Next, numeric } from '../parts/data-table.tsx';
import { Check, Choice, Field, MadeBefore, Note, PostForm } from '../parts/form.tsx';
import { limitsOf } from '../parts/form-body.ts';
import { Code } from '../parts/markdown.tsx';
import { paged, sorted } from '../parts/sorting.ts';
import { Day, Time } from '../parts/times.tsx';
import { fill, hours, labelIn, number } from '../words.ts';
import { firstRequest } from './first-request.ts';
import { mcpSnippets } from './mcp-snippets.ts';

export type KeysView = {
  readonly keys: readonly KeyView[];
  /** Just made: the only time that it is shown. */
  readonly made: { readonly fullKey: string; readonly name: string } | null;
  readonly wrong: string | null;
  /** The form was sent before, and its secret is not shown again. */
  readonly isMadeBefore: boolean;
  readonly now: string;
};

/** The keys of an account; a new one is shown once, inside requests that work. */
export const keysPage = documentOf((view: KeysView) => {
  const context = usePage();
  const { account, keys: words, auth, consent, language } = context.words;
  const active = view.keys.filter((key) => stateOf(key, view.now) === 'active');
  const over = view.keys.filter((key) => stateOf(key, view.now) !== 'active');
  const overShown = paged(context.url, over);
  return (
    <AccountPage title={account.keys} current="keys">
      {view.made === null ? null : <NewKey {...view.made} />}
      {view.isMadeBefore ? <MadeBefore /> : null}
      {view.wrong === null ? null : (
        <Row>
          <Note kind="bad">{view.wrong}</Note>
        </Row>
      )}
      {view.keys.length === 0 ? null : (
        <Row>
          {active.length === 0 ? null : <KeyTable keys={active} now={view.now} />}
          {over.length === 0 ? null : (
            <details open={overShown.page > 1}>
              <summary>{fill(words.over, { n: number(language, over.length) })}</summary>
              <KeyTable keys={overShown.rows} now={view.now} />
              <Next href={overShown.next} />
            </details>
          )}
        </Row>
      )}
      <Row>
        {view.keys.length === 0 ? <p>{words.none}</p> : null}
        <h2>{words.create}</h2>
        <PostForm action="/account/keys" submit={words.create}>
          <Field
            id="name"
            label={words.name}
            hint={words.nameHint}
            of={createKey.body}
            placeholder={words.defaultName}
          />
          <fieldset class="field">
            <legend>{words.scopes}</legend>
            <p class="hint">{words.scopesHint}</p>
            {keyScopes.map((scope) => (
              <Check name="scopes" value={scope} isChecked>
                {labelIn(consent.scopes, scope) ?? scope}
              </Check>
            ))}
          </fieldset>
          <Field id="expires_at" label={`${words.expires} (${auth.optional})`} hint={consent.untilHint} type="date" />
          <Field id="cap" label={`${words.cap} (${auth.optional})`} {...limitsOf(createKey.body, 'cap_credits')} />
          <Choice
            id="cap_period"
            label={words.capWindow}
            value="period"
            options={capPeriods.map((period) => [period, words.capPeriods[period]] as const)}
          />
          <Field id="warn_at" label={words.warnAt} hint={words.warnAtHint} value={usualWarnings.join(', ')} />
        </PostForm>
      </Row>
    </AccountPage>
  );
});

const NewKey = ({ fullKey, name }: NonNullable<KeysView['made']>) => {
  const context = usePage();
  const { keys: words, site, transcript } = context.words;
  return (
    <Row>
      <x-dialog>
        <dialog open aria-labelledby="new-key">
          <h2 id="new-key">
            {words.newKey}
            {site.colon}
            {name}
          </h2>
          <Note kind="warn">{words.onlyNow}</Note>
          <pre tabindex={0}>
            <code id="full-key">{fullKey}</code>
          </pre>
          <x-copy data-what="full-key" data-done={transcript.copied} hidden>
            <button type="button">{words.copy}</button>
          </x-copy>
          <h3>{words.tryIt}</h3>
          <Code text={firstRequest(context.publicUrl, fullKey)} />
          <h3>{words.forAgents}</h3>
          {mcpSnippets(context.publicUrl, fullKey).map(({ client, file, text }) => (
            <details>
              <summary>
                {client} {file === null ? null : <code>{file}</code>}
              </summary>
              <Code text={text} />
            </details>
          ))}
          <form method="get" action="/account/keys" class="actions">
            <button type="submit">{words.done}</button>
          </form>
        </dialog>
      </x-dialog>
    </Row>
  );
};

const stateOf = (key: KeyView, now: string): 'active' | 'revoked' | 'expired' => {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
};

/** Keys side by side: what each has spent of its cap, and how to end it. */
const KeyTable = ({ keys, now }: { readonly keys: readonly KeyView[]; readonly now: string }) => {
  const page = usePage();
  const { account, keys: words, usage } = page.words;
  const timeOf = (at: string | null): number => (at === null ? 0 : Date.parse(at));
  // A page that answers a form of one key has the address of the form.
  const url = page.url.startsWith('/account/keys?') ? page.url : '/account/keys';
  const { rows, links } = sorted({ ...page, url }, keys, {
    name: ({ name }) => name,
    created: ({ createdAt }) => timeOf(createdAt),
    expires: ({ expiresAt }) => timeOf(expiresAt),
    used: ({ lastUsedAt }) => timeOf(lastUsedAt),
    credits: ({ creditsUsed, capUsed }) => capUsed ?? creditsUsed,
  });
  return (
    <DataTable
      label={account.keys}
      columns={[
        { name: words.name, sort: links.name },
        words.state,
        words.may,
        { name: words.created, sort: links.created },
        { name: words.expires, sort: links.expires },
        { name: words.used, sort: links.used },
        numeric(usage.creditsUsed, links.credits),
        '',
      ]}
      rows={rows.map((key) => {
        const state = stateOf(key, now);
        return [
          <>
            <strong>{key.name}</strong> <code class="nowrap">{key.prefix}…</code>
          </>,
          <span class="nowrap">
            {state === 'active' ? '●' : '○'} {words[state]}
          </span>,
          <Scopes scopes={key.scopes} />,
          <Day day={key.createdAt} />,
          key.expiresAt === null ? '–' : <Time at={key.expiresAt} />,
          key.lastUsedAt === null ? <span>{words.never}</span> : <Time at={key.lastUsedAt} />,
          <Spent shown={key} />,
          state === 'active' ? <KeyActions keyId={key.keyId} /> : null,
        ];
      })}
    />
  );
};

/** What a key may do, by the names that the API has for it. */
const Scopes = ({ scopes }: { readonly scopes: readonly string[] }) =>
  scopes.length === 0 || scopes.length === keyScopes.length ? (
    <span>{usePage().words.keys.everything}</span>
  ) : (
    <code>{scopes.join(' ')}</code>
  );

/** What a key has spent: in the window of its cap where it has one, else in the billing period. */
const Spent = ({ shown: { keyId, creditsUsed, capCredits, capUsed, capPeriod } }: { readonly shown: KeyView }) => {
  const { language, keys: words } = usePage().words;
  return (
    <a href={`/account/ledger?key_id=${keyId}`}>
      {number(language, capUsed ?? creditsUsed)}
      {capCredits === null
        ? ''
        : ` / ${fill(words.capIn, { cap: number(language, capCredits), period: words.capPeriods[capPeriod] })}`}
    </a>
  );
};

const KeyActions = ({ keyId }: { readonly keyId: string }) => {
  const { keys: words, language } = usePage().words;
  const overlap = hours(language, keyOverlapHours);
  return (
    <span class="actions">
      <a href={`/account/keys/${keyId}/roll`} title={fill(words.rollHint, { overlap })}>
        {words.roll}
      </a>
      <a class="bad-text" href={`/account/keys/${keyId}/revoke`}>
        {words.revoke}
      </a>
    </span>
  );
};
