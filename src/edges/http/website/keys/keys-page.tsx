import { mostCredits } from '../../../../contract/caps.ts';
import { plainFormat } from '../../../../contract/formats.ts';
import { createKey } from '../../../../contract/keys.ts';
import type { KeyView } from '../../../../queries.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage, Time } from '../parts/account-frame.tsx';
import { Field, MadeBefore, Note, Once, Submit } from '../parts/form.tsx';
import { limitsOf } from '../parts/form-body.ts';
import { Code } from '../parts/markdown.tsx';
import { number } from '../words.ts';
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
  const { account, keys: words, auth } = context.words;
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
        {view.keys.map((key) => (
          <KeyRow shown={key} now={view.now} />
        ))}
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
  const curl = `curl "${context.publicUrl}/v1/transcripts/jNQXAC9IVRw?format=${plainFormat}" \\\n  -H "Authorization: Bearer ${fullKey}"`;
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

/** A key with what it has spent, and how to end it: in rows, so that no button is out of sight on a phone. */
const KeyRow = ({ shown, now }: { readonly shown: KeyView; readonly now: string }) => {
  const { keys: words, usage, language } = usePage().words;
  const { keyId, name, prefix, createdAt, lastUsedAt, creditsUsed, capCredits } = shown;
  const state = stateOf(shown, now);
  return (
    <Row at={`${state === 'active' ? '●' : '○'} ${words[state]}`}>
      <p>
        <strong>{name}</strong> <code class="nowrap">{prefix}…</code>
      </p>
      <ul class="facts">
        <li>
          {words.created}: <Time at={createdAt} />
        </li>
        <li>
          {words.used}: {lastUsedAt === null ? words.never : <Time at={lastUsedAt} />}
        </li>
        <li>
          {usage.creditsUsed}:{' '}
          <a href={`/account/ledger?key_id=${keyId}`}>
            {number(language, creditsUsed)}
            {capCredits === null ? '' : ` / ${number(language, capCredits)}`}
          </a>
        </li>
      </ul>
      {state !== 'active' ? null : (
        <div class="actions">
          <a class="button quiet" href={`/account/keys/${keyId}/roll`} title={words.rollHint}>
            {words.roll}
          </a>
          <a class="button bad" href={`/account/keys/${keyId}/revoke`}>
            {words.revoke}
          </a>
        </div>
      )}
    </Row>
  );
};
