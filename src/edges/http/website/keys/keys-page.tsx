import { capPeriods, mostCredits, usualWarnings } from '../../../../contract/caps.ts';
import { createKey } from '../../../../contract/keys.ts';
import type { KeyView } from '../../../../queries.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Field, MadeBefore, Note, Once, Submit } from '../parts/form.tsx';
import { limitsOf } from '../parts/form-body.ts';
import { Code } from '../parts/markdown.tsx';
import { Time } from '../parts/times.tsx';
import { fill, number } from '../words.ts';
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
export const keysPage = (context: PageContext, view: KeysView): string => {
  const { account, keys: words, auth, language } = context.words;
  const active = view.keys.filter((key) => stateOf(key, view.now) === 'active');
  const over = view.keys.filter((key) => stateOf(key, view.now) !== 'active');
  return accountPage(context, {
    title: account.keys,
    current: 'keys',
    children: (
      <>
        {view.made === null ? null : <NewKey made={view.made} />}
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
              <details>
                <summary>{fill(words.over, { n: number(language, over.length) })}</summary>
                <KeyTable keys={over} now={view.now} />
              </details>
            )}
          </Row>
        )}
        <Row>
          {view.keys.length === 0 ? <p>{words.none}</p> : null}
          <h2>{words.create}</h2>
          <form method="post" action="/account/keys">
            <Once />
            <Field
              id="name"
              label={words.name}
              hint={words.nameHint}
              {...limitsOf(createKey, 'name')}
              placeholder={words.defaultName}
            />
            <Field id="cap" label={`${words.cap} (${auth.optional})`} type="number" min={1} max={mostCredits} />
            <Field id="cap_period" label={words.capPeriod}>
              <select id="cap_period" name="cap_period">
                {capPeriods.map((period) => (
                  <option value={period} selected={period === 'period'}>
                    {words.capPeriods[period]}
                  </option>
                ))}
              </select>
            </Field>
            <Field id="warn_at" label={words.warnAt} hint={words.warnAtHint} value={usualWarnings.join(', ')} />
            <Submit>{words.create}</Submit>
          </form>
        </Row>
      </>
    ),
  });
};

const NewKey = ({ made }: { readonly made: { readonly fullKey: string; readonly name: string } }) => {
  const context = usePage();
  const { keys: words, transcript } = context.words;
  const { fullKey } = made;
  const curl = firstRequest(context.publicUrl, fullKey);
  return (
    <Row>
      <x-dialog>
        <dialog open aria-labelledby="new-key">
          <h2 id="new-key">
            {words.newKey}: {made.name}
          </h2>
          <Note kind="warn">{words.onlyNow}</Note>
          <pre tabindex={0}>
            <code id="full-key">{fullKey}</code>
          </pre>
          <x-copy data-what="full-key" data-done={transcript.copied} hidden>
            <button type="button">{words.copy}</button>
          </x-copy>
          <h3>{words.tryIt}</h3>
          <Code text={curl} />
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
  const { account, keys: words, usage } = usePage().words;
  return (
    <DataTable
      label={account.keys}
      columns={[
        { name: words.name },
        { name: words.state },
        { name: words.created },
        { name: words.used },
        { name: usage.creditsUsed, isNumber: true },
        { name: '' },
      ]}
      groups={[{ heading: null, rows: keys.map((key) => cellsOf(key, stateOf(key, now))) }]}
    />
  );
};

const cellsOf = (key: KeyView, state: ReturnType<typeof stateOf>) => [
  <>
    <strong>{key.name}</strong> <code class="nowrap">{key.prefix}…</code>
  </>,
  <State state={state} />,
  <Time at={key.createdAt} />,
  <LastUsed at={key.lastUsedAt} />,
  <Spent shown={key} />,
  state === 'active' ? <KeyActions keyId={key.keyId} /> : null,
];

const State = ({ state }: { readonly state: ReturnType<typeof stateOf> }) => (
  <span class="nowrap">
    {state === 'active' ? '●' : '○'} {usePage().words.keys[state]}
  </span>
);

const LastUsed = ({ at }: { readonly at: string | null }) =>
  at === null ? <span>{usePage().words.keys.never}</span> : <Time at={at} />;

/** What a key has spent: in the window of its cap where it has one, else in the billing period. */
const Spent = ({ shown: { keyId, creditsUsed, capCredits, capUsed, capPeriod } }: { readonly shown: KeyView }) => {
  const { language, keys: words } = usePage().words;
  return (
    <a href={`/account/ledger?key_id=${keyId}`}>
      {number(language, capUsed ?? creditsUsed)}
      {capCredits === null
        ? ''
        : ` / ${number(language, capCredits)} ${words.capPeriod} ${words.capPeriods[capPeriod]}`}
    </a>
  );
};

const KeyActions = ({ keyId }: { readonly keyId: string }) => {
  const { keys: words } = usePage().words;
  return (
    <span class="actions">
      <a href={`/account/keys/${keyId}/roll`} title={words.rollHint}>
        {words.roll}
      </a>
      <a class="bad-text" href={`/account/keys/${keyId}/revoke`}>
        {words.revoke}
      </a>
    </span>
  );
};
